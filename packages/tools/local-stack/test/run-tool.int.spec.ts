import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { runTool } from '../src/commands/run-tool.js';
import { waitUntil } from '../src/servers/wait-until.js';

/** Leaves a process behind and prints its id. */
const program = `
import { spawn } from 'node:child_process';
const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
process.stdout.write(String(left.pid));
process.exit(3);
`;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('a tool leaves no process behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-tool-'));
  try {
    const entry = join(folder, 'tool.mjs');
    await writeFile(entry, program);
    const { code, output } = await runTool(entry, [], { show: false });
    expect(code).toBe(3);
    const left = Number(output);
    expect(left).toBeGreaterThan(1);
    await waitUntil(() => !isRunning(left), { what: 'the process has ended', timeoutMs: 60_000 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
