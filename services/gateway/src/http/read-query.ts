import {
  compile,
  malformedTexts,
  memberPointer,
  prefixPaths,
  type Sentence,
  Strict,
  sentence,
  type ValidationError,
} from '@pinkas/contracts';
import type { TObject } from 'typebox';

const querySentences = {
  encoding: sentence('must be UTF-8, percent-encoded', 'חייב להיות UTF-8 בקידוד אחוזים'),
  unknown: sentence('is not a known parameter', 'פרמטר לא מוכר'),
  repeated: sentence('must not appear more than once', 'אסור שיופיע יותר מפעם אחת'),
};

/** A query as far as it could be read. */
interface ReadQuery {
  /** By name, with defaults filled in; matches the schema where there are no errors. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Each at `/query/<name>`, one per name. */
  readonly errors: readonly ValidationError[];
}

/** The query of an address as it was sent, without the question mark. */
export const queryOf = (url: string): string => /\?(.*)$/s.exec(url)?.[1] ?? '';

/**
 * Compiles the reader of queries from the schema of a route, which is also the published one. An integer has
 * one notation; a boolean is `true`, `false`, `1` or `0` in any letter case, as the libraries of callers write it; the name of a list may
 * end with `[]` or `[0]`. Everything else is checked by the schema.
 * @param schema null where the route takes no parameters.
 */
export function queryReader(schema: TObject | null): (query: string) => ReadQuery {
  const known = schema ?? Strict({});
  const properties = new Map(
    Object.entries(known.properties as Record<string, { type?: string; default?: unknown }>),
  );
  const check = compile(known);
  return (query) => {
    const isList = (name: string) => properties.get(name)?.type === 'array';
    const { texts, errors } = textsOf(query, (name) => properties.has(name), isList);
    const values: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const [text, ...others] = texts.get(name) ?? [];
      if (text !== undefined) {
        values[name] = isList(name) ? [text, ...others] : parseValue(text, property.type);
      } else if ('default' in property) {
        values[name] = property.default;
      }
    }
    const checked = check(values);
    errors.push(
      ...prefixPaths('/query', [
        ...(checked.ok ? [] : checked.errors.map(ofParameter)),
        ...malformedTexts(values),
      ]),
    );
    return { values, errors: firstOfEachPath(errors) };
  };
}

/** An error of one value of a list is one of the parameter. */
const ofParameter = (error: ValidationError): ValidationError => ({
  ...error,
  path: error.path.replace(/^(\/[^/]*).*$/, '$1'),
});

/** The decoded texts of known parameters, and the errors of all others. */
function textsOf(
  query: string,
  isKnown: (name: string) => boolean,
  isList: (name: string) => boolean,
): { texts: ReadonlyMap<string, readonly string[]>; errors: ValidationError[] } {
  const errors: ValidationError[] = [];
  const texts = new Map<string, string[]>();
  for (const [rawName, rawValue] of pairsOf(query)) {
    const name = nameOf(decode(rawName), isList);
    const value = decode(rawValue);
    const fail = (what: Sentence) => errors.push({ path: memberPointer('/query', name ?? rawName), ...what });
    if (name === undefined) {
      fail(querySentences.encoding);
    } else if (!isKnown(name)) {
      fail(querySentences.unknown);
    } else if (texts.has(name) && !isList(name)) {
      fail(querySentences.repeated);
    } else {
      texts.set(name, [...(texts.get(name) ?? []), value ?? '']);
      if (value === undefined) {
        fail(querySentences.encoding);
      }
    }
  }
  return { texts, errors };
}

/** The name of a parameter; that of a list may have brackets, as PHP writes it. */
function nameOf(name: string | undefined, isList: (name: string) => boolean): string | undefined {
  const list = name?.replace(/\[\d*\]$/, '');
  return list !== undefined && isList(list) ? list : name;
}

/** The parameters as they were sent; `a` alone is `a=`. */
function* pairsOf(query: string): Generator<readonly [string, string]> {
  for (const pair of query.split('&')) {
    if (pair === '') {
      continue;
    }
    const equals = pair.indexOf('=');
    yield equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  }
}

/** A percent-encoded text, or undefined where its bytes are not UTF-8: nothing is replaced silently. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The value of a text for a type; a text without one stays a text, which the schema rejects. */
function parseValue(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^(0|-?[1-9]\d*)$/.test(text)) {
    return Number(text);
  }
  if (type === 'boolean' && /^(true|false|1|0)$/i.test(text)) {
    return /^(true|1)$/i.test(text);
  }
  return text;
}

/** The first error of a path is nearest to its cause. */
export function firstOfEachPath(errors: readonly ValidationError[]): ValidationError[] {
  const first = new Map<string, ValidationError>();
  for (const error of errors) {
    if (!first.has(error.path)) {
      first.set(error.path, error);
    }
  }
  return [...first.values()];
}
