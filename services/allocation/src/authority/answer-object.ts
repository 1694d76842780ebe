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

/** The members of a body that is a JSON object; else undefined. */
function bodyOf(body: string): Members | undefined {
  try {
    return membersOf(JSON.parse(body));
  } catch {
    return undefined;
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w.[\]]{1,60}$/.test(value);

/** The invalid fields that a response names, as far as they look like names: safe to show. */
export function invalidFields(body: string): string[] {
  const params = errorsOf(bodyOf(body)?.get('message')).map((error) => error.get('param'));
  return [...new Set(params.filter(isName))].slice(0, 5);
}

/** What the gateway in front of the service states, such as the place that breaks its schema; empty where it states nothing. */
export function gatewayMessage(body: string): string {
  const stated = bodyOf(body)?.get('moreinformation');
  return typeof stated === 'string' ? truncate(stated, 200) : '';
}

/** One error of a response. */
export interface AnsweredError {
  readonly code: string;
  readonly message: string;
  /** The field; empty where none is named. */
  readonly param: string;
}

/** The errors of a response, as text that is safe to show. */
export function answeredErrors(body: string): AnsweredError[] {
  return errorsOf(bodyOf(body)?.get('message'))
    .slice(0, 10)
    .map((error) => {
      const param = error.get('param');
      return {
        code: textOf(error.get('code'), codeMax),
        message: textOf(error.get('message'), 200),
        param: isName(param) ? param : '',
      };
    });
}

export function errorsOf(message: unknown): Members[] {
  const errors = Array.isArray(message) ? message : membersOf(message)?.get('errors');
  return (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => membersOf(error) ?? []);
}

const isText = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

const textOf = (value: unknown, charactersMax: number): string =>
  isText(value) ? truncate(String(value), charactersMax) : '';

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
