import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';

const shownLinesMax = 20;

/**
 * Runs a program with its output in `.pinkas/logs/<name>.log`.
 *
 * Throws an error with the last lines of that log, without the lines that match `noise`, when the program fails or does not
 * end within `timeoutMs`.
 */
export async function runLogged(name, file, args, { timeoutMs, env = {}, noise = /^\s*$/ }) {
  const logFile = join(root, '.pinkas/logs', `${name}.log`);
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o711 });
  const log = openSync(logFile, 'w');
  let timedOut = false;
  const code = await new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    });
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.once('error', reject);
    child.once('exit', (status, signal) => {
      clearTimeout(timer);
      resolve(status ?? signal);
    });
  }).finally(() => closeSync(log));
  if (code !== 0) {
    const lines = readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !noise.test(line));
    const how = timedOut ? `did not finish within ${timeoutMs / 1000} s` : `ended with ${code}`;
    throw Object.assign(new Error(`${name} ${how}`), { logFile, lines: lines.slice(-shownLinesMax) });
  }
}
