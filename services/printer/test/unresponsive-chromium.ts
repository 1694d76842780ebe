import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a program that plays Chromium: at its first start it answers, but opens no page, as on a machine that is too busy;
 * at every further start it is the real one.
 *
 * @param folder where the program is written
 * @param chromium the real one's path
 * @returns the program's path
 */
export function unresponsiveAtFirst(folder: string, chromium: string): string {
  const program = join(folder, 'deaf-at-first');
  writeFileSync(
    program,
    `#!${process.execPath}
const fs = require('node:fs');
const first = ${JSON.stringify(join(folder, 'was-started'))};
if (fs.existsSync(first)) {
  const stdio = ['ignore', 'inherit', 'inherit', 3, 4];
  const child = require('node:child_process').spawn(${JSON.stringify(chromium)}, process.argv.slice(2), { stdio });
  child.on('exit', (code) => process.exit(code ?? 1));
} else {
  fs.writeFileSync(first, '');
  // Chromium's own protocol on two pipes: messages of JSON, each ended by a zero byte.
  let rest = '';
  fs.createReadStream(null, { fd: 3 }).on('data', (data) => {
    const messages = (rest + data).split('\\0');
    rest = messages.pop();
    for (const message of messages) {
      const { id, method } = JSON.parse(message);
      if (method === 'Browser.close') process.exit(0);
      if (/^Target\\.(create|attach)/.test(method)) continue;
      fs.writeSync(4, JSON.stringify({ id, result: { product: 'Chrome/120.0.0.0', userAgent: 'Chrome' } }) + '\\0');
    }
  }).on('end', () => process.exit(0));
}
`,
    { mode: 0o755 },
  );
  return program;
}
