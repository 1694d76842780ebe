import { type Check, checkAreas, checkStates } from '@pinkas/contracts';
import { columns } from '../builder/table.js';

/** A check with the processes that have made it; none where the command has made it itself. */
export interface SourcedCheck {
  readonly check: Check;
  /** Such as `issuing on pinkas-issuing-7d9-x (1)`. */
  readonly source?: { readonly service: string; readonly process: string };
}

/** A line of the report: the same finding of one or more processes. */
export interface Line extends Check {
  readonly processes: readonly string[];
}

type States = Readonly<Record<Check['state'], number>>;

const named: Readonly<Record<Check['state'], string>> = {
  ok: 'ok',
  warning: 'warning',
  failure: 'failure',
  not_checked: 'not checked',
};

/** Joins the same findings of several processes, and adds which settings contradict each other. */
export function linesOf(checks: readonly SourcedCheck[]): Line[] {
  const lines = new Map<string, SourcedCheck[]>();
  for (const sourced of checks) {
    const { area, subject, state, finding } = sourced.check;
    const key = JSON.stringify([area, subject, state, finding]);
    lines.set(key, [...(lines.get(key) ?? []), sourced]);
  }
  const groups = [...lines.values()];
  const shown = groups.filter((group, index) => !isFigureOfAnother(group, groups.slice(0, index)));
  return [...shown.map((group) => lineOf(group, checks)), ...contradictions(groups)].sort(
    (a, b) => rankOf(a) - rankOf(b),
  );
}

const isSetting = ({ area, subject }: Check): boolean =>
  area === 'configuration' && /^[A-Z][A-Z_]+$/.test(subject);

const firstOf = ([first]: readonly SourcedCheck[]): Check => {
  if (first === undefined) {
    throw new Error('a line has no check');
  }
  return first.check;
};

/** Two processes read the size of a stream at two instants: one of the figures is enough where both are fine. */
function isFigureOfAnother(group: readonly SourcedCheck[], before: readonly SourcedCheck[][]): boolean {
  const check = firstOf(group);
  const processes = new Set(group.map(({ source }) => source?.process));
  return (
    check.state === 'ok' &&
    !isSetting(check) &&
    before.some((other) => {
      const { area, subject, state } = firstOf(other);
      const isSame = area === check.area && subject === check.subject && state === 'ok';
      return isSame && other.every(({ source }) => !processes.has(source?.process));
    })
  );
}

function lineOf(group: readonly SourcedCheck[], all: readonly SourcedCheck[]): Line {
  const check = firstOf(group);
  const processes = [...new Set(group.flatMap(({ source }) => source?.process ?? []))];
  const others = all.filter(
    ({ check: { area, subject }, source }) =>
      area === check.area && subject === check.subject && source && !processes.includes(source.process),
  );
  const differs = isSetting(check)
    ? others.some((other) => other.check.finding !== check.finding)
    : check.state !== 'ok' && others.some((other) => other.check.state !== check.state);
  const sources = differs ? sourcesOf(group, all) : '';
  const finding = sources === '' ? check.finding : `${check.finding} (${sources})`;
  return { ...check, finding, processes };
}

/** The services, where all of their processes are meant; else the processes. */
function sourcesOf(group: readonly SourcedCheck[], all: readonly SourcedCheck[]): string {
  const services = [...new Set(group.flatMap(({ source }) => source?.service ?? []))];
  return services
    .flatMap((service) => {
      const of = (checks: readonly SourcedCheck[]) =>
        new Set(checks.flatMap(({ source }) => (source?.service === service ? source.process : [])));
      const own = of(group);
      return own.size === of(all).size ? [service] : [...own];
    })
    .join(', ');
}

/** Settings that several services have, and that are not the same everywhere. */
function contradictions(groups: readonly SourcedCheck[][]): Line[] {
  const settings = groups.filter((group) => isSetting(firstOf(group)));
  return [...new Set(settings.map((group) => firstOf(group).subject))].flatMap((subject) => {
    const values = settings.filter((group) => firstOf(group).subject === subject);
    const all = values.flat();
    const line = {
      area: 'configuration',
      subject,
      state: 'failure' as const,
      finding: `is not the same everywhere: ${values.map((group) => sourcesOf(group, all)).join(' / ')}`,
      remedy: 'Set it to one value for all services, and restart them',
      processes: [...new Set(all.flatMap(({ source }) => source?.process ?? []))],
    };
    return values.length > 1 ? [line] : [];
  });
}

function rankOf({ area }: Check): number {
  const rank = (checkAreas as readonly string[]).indexOf(area);
  return rank < 0 ? checkAreas.length : rank;
}

/** How many lines there are of each state. */
export const countsOf = (lines: readonly Check[]): States =>
  Object.fromEntries(
    checkStates.map((state) => [state, lines.filter((line) => line.state === state).length]),
  ) as unknown as States;

/** The report for people: a line for each finding, what to do below it, and how many there are at the end. */
export function reportOf(lines: readonly Line[], counts: States): string {
  const rows = columns(lines.map(({ state, subject, finding }) => [named[state], subject, finding])).split(
    '\n',
  );
  const indent = ' '.repeat(Math.max(0, ...lines.map(({ state }) => named[state].length)) + 2);
  const text = lines.flatMap(({ remedy }, index) => [
    rows[index] ?? '',
    ...(remedy === null ? [] : [`${indent}→ ${remedy}`]),
  ]);
  const { ok, warning, failure, not_checked: notChecked } = counts;
  const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
  const summary = `${ok} ok, ${plural(warning, 'warning')}, ${plural(failure, 'failure')}, ${notChecked} not checked`;
  return [...text, '', summary].join('\n');
}
