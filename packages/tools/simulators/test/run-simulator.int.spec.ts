import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { simulatorProgram } from '@pinkas/simulators';

it('a simulator of a test run ends with the process that started it', async () => {
  const child = spawn(process.execPath, [simulatorProgram('whatsapp')], {
    env: { PATH: process.env.PATH, PORT: '0', STOP_WITH_STDIN: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  // The kernel does the same with the pipe of a process that is killed.
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

it('a simulator with many requests in flight warns of nothing, and ends', async () => {
  const child = spawn(process.execPath, [simulatorProgram('whatsapp')], {
    env: { PATH: process.env.PATH, PORT: '0', STOP_WITH_STDIN: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const printed = text(child.stderr);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  // Requests whose bodies never end; one is in flight when the server states that it may go on.
  const requests = Array.from({ length: 20 }, () => {
    const sent = request(`${url}/_mode`, {
      method: 'POST',
      agent: false,
      headers: { expect: '100-continue', 'content-length': 100 },
    });
    sent.on('error', () => {});
    sent.flushHeaders();
    return once(sent, 'continue');
  });
  await Promise.all(requests);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(await printed).toBe('');
});
