/**
 * Loaded first by every service of a system with faults. Its clock is off by what a file with the name of its process id says, in seconds; and
 * it dies where the file `kill-<service>` says: when bytes that match go out or come in on a connection. It collects its garbage
 * while there is a file `collect-<process id>`, and removes that.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const readEveryMs = 250;
const folder = process.env.STORM_FOLDER ?? '';
// …/services/<service>/dist/main.js, or `one` for all of them
const service = basename(dirname(dirname(process.argv[1] ?? '')));

const clockFile = join(folder, String(process.pid));
const RealDate = Date;
let offsetMs = 0;
const now = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

/** The service that is to die, with all others where they are in one process. */
let dying = service;
const pointFile = () => join(folder, `kill-${dying}`);
const { push, write } = Socket.prototype;
/** The point that is waited for; null: none. */
let point = null;
/** How many of the point's steps a connection has made. */
let made = new WeakMap();

function readPoint() {
  if (service === 'one') {
    dying =
      readdirSync(folder)
        .find((name) => /^kill-[a-z]+$/.test(name))
        ?.slice('kill-'.length) ?? service;
  }
  if (!existsSync(pointFile())) {
    point = null;
  } else if (point === null) {
    const { steps, before } = JSON.parse(readFileSync(pointFile(), 'utf8'));
    const compiled = steps.map(([direction, pattern]) => ({ direction, pattern: new RegExp(pattern, 's') }));
    point = { steps: compiled, before };
    made = new WeakMap();
  }
}

/** Whether these bytes are the last step of the point. */
function isReached(socket, direction, data) {
  const count = made.get(socket) ?? 0;
  const next = point.steps[count];
  const text = typeof data === 'string' ? data : Buffer.from(data ?? '').toString('latin1');
  if (next.direction !== direction || !next.pattern.test(text)) {
    return false;
  }
  made.set(socket, count + 1);
  return count + 1 === point.steps.length;
}

/** Of all replicas the one dies that takes the file. */
function die() {
  point = null;
  try {
    renameSync(pointFile(), join(folder, `killed-${dying}-${process.pid}`));
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

Socket.prototype.write = function (data, ...rest) {
  if (point === null || !isReached(this, 'writes', data)) {
    return write.call(this, data, ...rest);
  }
  if (point.before) {
    die();
    return write.call(this, data, ...rest);
  }
  const isFlushed = write.call(this, data, ...rest);
  die();
  return isFlushed;
};

Socket.prototype.push = function (data, ...rest) {
  if (point !== null && data !== null && isReached(this, 'reads', data)) {
    die();
  }
  return push.call(this, data, ...rest);
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const collectFile = join(folder, `collect-${process.pid}`);

setInterval(() => {
  if (existsSync(collectFile)) {
    collectGarbage();
    rmSync(collectFile, { force: true });
  }
  try {
    offsetMs = Number(readFileSync(clockFile, 'utf8')) * 1_000;
  } catch {
    offsetMs = 0;
  }
  readPoint();
}, readEveryMs).unref();
