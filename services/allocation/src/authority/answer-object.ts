/** An answer about another document. */
export class ForeignAnswerError extends Error {
  override readonly name = 'ForeignAnswer';
}

const reasonMax = 400;
const codeMax = 20;

export type Members = ReadonlyMap<string, unknown>;

/** The members of an object by their names in lower case: the authority's own examples spell one name in three ways. */
export function membersOf(value: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return undefined;
  }
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}

/**
 * Reads the body of an answer.
 * @param id what was asked about, by the name of the member that repeats it.
 * @throws Error where it is no JSON object, ForeignAnswer where it names another document.
 */
export function readAnswer(body: string, id: { readonly name: string; readonly value: string }): Members {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Error('the answer is not JSON');
  }
  const answer = membersOf(value);
  if (!answer) {
    throw new Error('the answer is not a JSON object');
  }
  const named = answer.get(id.name);
  if (named !== undefined && named !== null && String(named).toLowerCase() !== id.value.toLowerCase()) {
    throw new ForeignAnswerError('the answer is about another document');
  }
  return answer;
}

export const hasNoNumber = (given: unknown): boolean =>
  given === undefined || given === null || String(given) === '' || String(given) === '0';

/** The invalid fields that a response names, as far as they look like names: safe to show. */
export function invalidFields(body: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [];
  }
  const params = errorsOf(membersOf(value)?.get('message')).map((error) => error.get('param'));
  const names = params.filter((param) => typeof param === 'string' && /^[\w.[\]]{1,60}$/.test(param));
  return [...new Set(names as string[])].slice(0, 5);
}

export function errorsOf(message: unknown): Members[] {
  const errors = Array.isArray(message) ? message : membersOf(message)?.get('errors');
  return (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => membersOf(error) ?? []);
}

const isText = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The codes and messages of a refusal: a list of errors, or a text. */
export function refusalOf(message: unknown): { codes: string[]; message: string } {
  if (typeof message === 'string') {
    return { codes: [], message: truncate(message) || 'without a reason' };
  }
  const errors = errorsOf(message);
  const listed = errors.flatMap((error) => {
    const parts = [error.get('code'), error.get('message')].filter(isText);
    return parts.length > 0 ? [parts.join(' ')] : [];
  });
  const codes = errors.map((error) => error.get('code')).filter(isText);
  return {
    codes: codes.map((code) => truncate(String(code), codeMax)).filter((code) => code !== ''),
    message: truncate(listed.join('; ')) || 'without a reason',
  };
}

/** Text as it is stored and shown: a single line of complete characters that PostgreSQL and JSON accept. */
const truncate = (text: string, charactersMax = reasonMax): string =>
  [...text.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim()].slice(0, charactersMax).join('');
