import { commandOptions, refuseOptions } from '../harness/command-options.js';
import { RunningStack } from '../harness/running-stack.js';
import { comparison, lastRelease, recordRelease, referenceMs } from './release.js';
import { figure, median, print, progress, type Row } from './report.js';
import { onOneSystem, onOwnSystems, type Scenario, type StartSystem } from './scenarios.js';

/**
 * Measures the complete system on this machine, in homes of its own, in about forty minutes. Every comparison is a ratio of figures that
 * were measured in turns within this run, since machines are shared and noisy; those of the last release are next to them, as they
 * would be on a machine as fast as this one.
 */
const partNames = Object.keys({ ...onOneSystem, ...onOwnSystems });
const usage = `npm run bench -- [PART …] [--requests N] [--documents N] [--customers N] [--businesses N] [--days N] [--json] [--record]
  measures the whole system on this machine, or the parts named
    PART           ${partNames.join(', ')}
    --requests N   how many the part hostile sends
    --documents N  how many the part memory issues, and the parts reading and export read; the part events
                   lists as many events, 100,000 by default; the part console writes 10,000
    --customers N  how many the part reading searches, as many as documents by default
    --businesses N of how many the part audit verifies the trails, 100 by default
    --days N       after how many days of signed heads it does, 365 by default
    --json         the figures as one line of JSON
    --record       stores the figures as those of this release`;
const { values, positionals: wanted } = commandOptions(usage, {
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    requests: { type: 'string' },
    documents: { type: 'string' },
    customers: { type: 'string' },
    businesses: { type: 'string' },
    days: { type: 'string' },
  },
});
const unknown = wanted.filter((part) => !partNames.includes(part));
if (unknown.length > 0) {
  refuseOptions(usage, `There is no part ${unknown.join(', ')}`);
}

/** The whole number of an option; undefined where it is not given. */
function numberOf(
  option: 'requests' | 'documents' | 'customers' | 'businesses' | 'days',
): number | undefined {
  const text = values[option];
  if (text !== undefined && !/^[1-9]\d*$/.test(text)) {
    refuseOptions(usage, `--${option} must be a whole number above zero`);
  }
  return text === undefined ? undefined : Number(text);
}

const options = {
  requests: numberOf('requests'),
  documents: numberOf('documents'),
  customers: numberOf('customers'),
  businesses: numberOf('businesses'),
  days: numberOf('days'),
};

/** What fails is reported, and does not lose the figures of the others. */
async function reporting<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    process.exitCode = 1;
    progress(`${what} failed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Measures on systems that are all gone afterwards, whatever happens. */
async function onSystems(measure: (start: StartSystem) => Promise<void>): Promise<void> {
  const systems: RunningStack[] = [];
  try {
    await measure(async (environment = {}) => {
      progress('starting a system …');
      const system = await RunningStack.start({
        PINKAS_FAULTS: 'false',
        PINKAS_LAYOUT: 'separate',
        ...environment,
      });
      systems.push(system);
      return system;
    });
  } finally {
    for (const system of systems) {
      await reporting('stopping a system', () => system.stop());
    }
  }
}

const begunMs = performance.now();
/** How fast the machine is changes in an hour: before each part. */
const references: number[] = [];
const rows: Row[] = [];
const measurePart = async (part: string, scenario: Scenario, start: StartSystem) => {
  const begunMs = performance.now();
  references.push(referenceMs());
  rows.push(...((await reporting(`part ${part}`, () => scenario(start, options))) ?? []));
  progress(`part ${part} took ${Math.round((performance.now() - begunMs) / 1_000)} s`);
};
/** Where none is named, all parts are measured. */
const wantedOf = (scenarios: Readonly<Record<string, Scenario>>) =>
  Object.entries(scenarios).filter(([part]) => wanted.length === 0 || wanted.includes(part));

await onSystems(async (start) => {
  let shared: Promise<RunningStack> | undefined;
  const startOnce = () => {
    shared ??= start();
    return shared;
  };
  for (const [part, scenario] of wantedOf(onOneSystem)) {
    await measurePart(part, scenario, startOnce);
  }
});
for (const [part, scenario] of wantedOf(onOwnSystems)) {
  await onSystems((start) => measurePart(part, scenario, start));
}
const reference = median(references);
rows.push(
  figure('reference_ms', reference, 'a fixed piece of work on this machine, before each part, median'),
  figure('bench_minutes', (performance.now() - begunMs) / 60_000, 'all of this took'),
);
const last = lastRelease();
print(rows, values.json, (row) => comparison(row, last, reference));
if (last) {
  progress(
    `The second column has the figures of ${last.release}, as they would be on a machine as fast as this one is now.`,
  );
}
if (values.record) {
  recordRelease(rows, reference);
}
