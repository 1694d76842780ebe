import { compile, type Fault, Strict } from '@pinkas/contracts';
import type { TObject } from 'typebox';
import { below } from '../fault/faults-below.js';
import { malformedTexts, pointer } from '../fault/malformed-texts.js';

/** A query as far as it could be read. */
export interface ReadQuery {
  /** By name. They match the schema where there are no faults; what has a default is there. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Each at `/query/<name>`, one for each name. */
  readonly faults: readonly Fault[];
}

/**
 * Reads queries by the schema of a route, which is also what the interface publishes: whole numbers and booleans are
 * read from their one way of writing, everything else is the schema's to judge.
 * @param schema null where the route takes no parameters.
 */
export function queryReader(schema: TObject | null): (query: string) => ReadQuery {
  const known = schema ?? Strict({});
  const properties = new Map(
    Object.entries(known.properties as Record<string, { type?: string; default?: unknown }>),
  );
  const check = compile(known);
  return (query) => {
    const faults: Fault[] = [];
    const texts = new Map<string, string>();
    for (const [rawName, rawValue] of pairsOf(query)) {
      const name = decode(rawName);
      const value = decode(rawValue);
      const refuse = (message: string) => faults.push({ path: pointer('/query', name ?? rawName), message });
      if (name === undefined) refuse('must be UTF-8, percent-encoded');
      else if (!properties.has(name)) refuse('is not a known parameter');
      else if (texts.has(name)) refuse('must not stand more than once');
      else {
        texts.set(name, value ?? '');
        if (value === undefined) refuse('must be UTF-8, percent-encoded');
      }
    }
    const values: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const text = texts.get(name);
      if (text !== undefined) values[name] = meaningOf(text, property.type);
      else if ('default' in property) values[name] = property.default;
    }
    const checked = check(values);
    faults.push(...below('/query', [...(checked.ok ? [] : checked.faults), ...malformedTexts(values)]));
    return { values, faults: firstOfEachPath(faults) };
  };
}

/** The parameters as they were sent; `a` alone is `a=`. */
function* pairsOf(query: string): Generator<readonly [string, string]> {
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    yield equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  }
}

/** A percent-encoded text, or undefined where its bytes are no UTF-8: nothing is replaced silently. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** What a text means for a parameter of this type; a text that means nothing stays one, and the schema refuses it. */
function meaningOf(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^(0|-?[1-9]\d*)$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** What was said first of a parameter is nearest to its cause. */
export function firstOfEachPath(faults: readonly Fault[]): Fault[] {
  const first = new Map<string, Fault>();
  for (const fault of faults) if (!first.has(fault.path)) first.set(fault.path, fault);
  return [...first.values()];
}
