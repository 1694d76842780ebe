/** Loaded first by every service of a storm: its clock is off by what a file with the name of its process id says, in seconds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readEveryMs = 250;
const file = join(process.env.STORM_CLOCKS ?? '', String(process.pid));
const RealDate = Date;
let offsetMs = 0;
const now = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

setInterval(() => {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) * 1_000;
  } catch {
    offsetMs = 0;
  }
}, readEveryMs).unref();
