import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const logger = fileURLToPath(new URL('../dist/process/logger.js', import.meta.url));
const program = `
  const { createLogger } = await import(${JSON.stringify(logger)});
  const logger = createLogger('test', 'info');
  for (let line = 0; line < 5000; line += 1) logger.info({ text: 'x'.repeat(1000) }, 'line written');
`;

describe('the logger', () => {
  // Linux's device that has no room.
  it('a process whose log has no room goes on', async () => {
    const full = await open('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', full.fd, 'pipe'],
        timeout: 20_000,
      });
      let errors = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect([code, errors]).toEqual([0, '']);
    } finally {
      await full.close();
    }
  });
});
