import { describe, expect, it } from '@jest/globals';
import { contracts, events, publicRoutes } from '@pinkas/contracts';
import Type, { type TStringOptions } from 'typebox';
import { Compile } from 'typebox/compile';

/** Every pattern and format of a schema, however deep. */
function textChecksOf(value: unknown, found: Map<string, TStringOptions>, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) {
    return;
  }
  seen.add(value);
  const { pattern, format } = value as { pattern?: unknown; format?: unknown };
  if (typeof pattern === 'string') {
    found.set(pattern, { pattern });
  }
  if (typeof format === 'string') {
    found.set(format, { format });
  }
  for (const member of Object.values(value)) {
    textChecksOf(member, found, seen);
  }
}

const checks = new Map<string, TStringOptions>();
for (const schema of [
  ...contracts.flatMap(({ request, reply }) => [request, reply]),
  ...events.map(({ body }) => body),
  ...publicRoutes.flatMap(({ query, body, reply }) => [query, body, reply]),
]) {
  textChecksOf(schema, checks);
}

const pieces = ['0', 'a', ' ', '\t', '-', '+', '.', ':', '"', '\\', '@', 'א'];
/** Long texts of one piece or of two in turn, after a valid start and before an end that nothing accepts. */
const attacks = pieces.flatMap((item) =>
  pieces.flatMap((other) => ['', '+', '"', 'a@'].map((start) => ({ start, piece: `${item}${other}` }))),
);

const short = 2_000;
/** A check that is quadratic takes sixteen times as long for a text that is four times as long, a linear one four times. */
const growthMax = 10;
/** Below this the clock and the garbage collector are what is measured; a quadratic check of the long text takes far longer. */
const floorMs = 0.5;

/** The processor time of the shortest of some runs: whatever else the machine does only makes them longer. */
function shortestMs(run: () => unknown): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 5; count += 1) {
    const started = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(started);
    shortest = Math.min(shortest, (user + system) / 1_000);
  }
  return shortest;
}

/** A text for which a check takes more than linear time. */
function slowText(accepts: (text: string) => unknown): object | undefined {
  return attacks.find(({ start, piece }) => {
    const msOf = (length: number) => {
      const text = `${start}${piece.repeat(length / piece.length)}\u0000`;
      return shortestMs(() => accepts(text));
    };
    const isSlow = () => msOf(4 * short) > growthMax * Math.max(msOf(short), floorMs);
    return isSlow() && isSlow();
  });
}

describe('the patterns and formats of the contracts', () => {
  it('the measurement finds a check that takes quadratic time', () => {
    const quadratic = /^(?:\s*\s*)x/;
    expect(slowText((text) => quadratic.test(text))).toBeDefined();
  });

  it('every kind of text that callers send is among them', () => {
    expect([...checks.keys()]).toEqual(
      expect.arrayContaining(['email', 'uuid', 'calendar-date', '^\\d{5,9}$', '^\\+?[\\d\\-\\s]{7,20}$']),
    );
  });

  it.each([...checks])('%s takes linear time, whatever the text', (_name, check) => {
    const compiled = Compile(Type.String(check));
    expect(slowText((text) => compiled.Check(text))).toBeUndefined();
  });
});
