import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { commandOptions, refuseOptions } from '../harness/command-options.js';
import { repositoryRoot } from '../harness/sources.js';
import { FaultSystem } from './engine/system.js';
import { authoritySteps, killPointSteps, type Step } from './schedules/drawn.js';
import { figuresOf, runStorm, type StormReport } from './schedules/storm.js';

const usage = `npm run storm -- [--minutes N] [--seed N] [--longest-fault S] [--kill-points | --authority] [--pause MS] [--patience N] [--json]
  the faults of a seed against two replicas of each service; ends with 1 where an invariant was broken
    --minutes N        how long, default 5
    --seed N           a whole number, default random: the same seed draws the same faults
    --longest-fault S  in seconds, default 60
    --kill-points      a death at each kill point, once, in place of the faults of the seed
    --authority        each way in which the tax authority fails, once, in place of the faults of the seed
    --pause MS         between two requests of a caller, default 500
    --patience N       each wait is N times as long, on a machine with other work; default 1
    --json             the figures alone`;
const { values } = commandOptions(usage, {
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    'longest-fault': { type: 'string', default: '60' },
    pause: { type: 'string', default: '500' },
    'kill-points': { type: 'boolean', default: false },
    authority: { type: 'boolean', default: false },
    patience: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const longestFaultS = Number(values['longest-fault']);
const pauseMs = Number(values.pause);
const patience = Number(values.patience);
if (!(minutes > 0 && Number.isInteger(seed) && longestFaultS >= 1 && pauseMs > 0 && patience >= 1)) {
  refuseOptions(
    usage,
    '--minutes and --pause are above zero, --seed is a whole number, --longest-fault and --patience are 1 or more',
  );
}
const progress = (text: string) =>
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    progress('interrupted');
    interrupted.abort();
  });
}

const longestFaultMs = longestFaultS * 1_000;
progress(`seed ${seed}: starting a system with two replicas of each service …`);
// Where the machine has an object store, half of the seeds store PDFs there.
const system = await FaultSystem.start({ replicas: 2, patience, wantsStore: seed % 2 === 1 });
let extent = `${minutes} minutes`;
let steps: readonly Step[] | undefined;
if (values['kill-points']) {
  extent = 'every kill point';
  steps = killPointSteps(system.hasStore);
} else if (values.authority) {
  extent = 'every fault of the tax authority';
  steps = authoritySteps(longestFaultMs);
}
progress(`${extent}, PDFs in ${system.hasStore ? 'an object store' : 'the database'}`);
let report: StormReport;
try {
  report = await runStorm(system, {
    seed,
    ...(steps ? { steps, forMs: Number.POSITIVE_INFINITY } : { forMs: minutes * 60_000 }),
    longestFaultMs,
    pauseMs,
    stepsPerBook: 5,
    progress,
    signal: interrupted.signal,
  });
  if (report.broken) {
    const kept = join(repositoryRoot, '.pinkas', `storm-${seed}-logs`);
    await cp(join(system.stack.home, 'logs'), kept, { recursive: true });
    progress(`the logs are in ${kept}`);
  }
} finally {
  progress('stopping the system …');
  await system.stop();
}
printReport(report);
process.exitCode = report.broken === null ? 0 : 1;

function printReport({ broken, ...report }: StormReport): void {
  if (broken) {
    progress(`seed ${seed} (--longest-fault ${longestFaultS}) broke an invariant in the step ${broken.step}`);
    for (const finding of broken.findings.slice(0, 20)) {
      progress(`  ${finding}`);
    }
    progress(`the schedule so far:\n  ${report.schedule.join('\n  ')}`);
  }
  const figures = figuresOf({ ...report, broken });
  const facts = {
    ...figures,
    seed,
    answers: report.answers,
    refusals: report.refusals,
    pages: report.pages,
    credits: report.credits,
    applied: report.applied,
    kill_points: report.killPoints,
  };
  process.stdout.write(
    `${JSON.stringify(values.json ? figures : { ...facts, slowest_heal: report.slowestHeal })}\n`,
  );
}
