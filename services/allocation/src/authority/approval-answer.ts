/** The decision of the authority about one document. */
export type ApprovalAnswer =
  | {
      readonly kind: 'granted';
      /** All 25 or 26 digits. */
      readonly confirmationNumber: string;
      /** The rightmost nine digits, which are printed. */
      readonly number: string;
    }
  | {
      readonly kind: 'refused';
      /** The authority's codes, as text. */
      readonly codes: readonly string[];
      /** `460 <message>; 431 <message>` */
      readonly message: string;
    };

/** The result of a look-up. */
export type LookUpAnswer = Extract<ApprovalAnswer, { kind: 'granted' }> | { readonly kind: 'none' };

/** An answer about another document. */
export class ForeignAnswerError extends Error {
  override readonly name = 'ForeignAnswer';
}

const reasonMax = 400;
const codeMax = 20;

type Members = ReadonlyMap<string, unknown>;

/** The members of an object by their names in lower case: the authority's own examples spell one name in three ways. */
function membersOf(value: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return undefined;
  }
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}

/** @throws Error where it is no JSON object, ForeignAnswer where it names another document. */
function readAnswer(body: string, invoiceId: string): Members {
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
  const named = answer.get('invoice_id');
  if (named !== undefined && named !== null && String(named).toLowerCase() !== invoiceId.toLowerCase()) {
    throw new ForeignAnswerError('the answer is about another document');
  }
  return answer;
}

const hasNoNumber = (given: unknown): boolean =>
  given === undefined || given === null || String(given) === '' || String(given) === '0';

/** Written as text: as a JSON number it would have lost digits. */
function granted(given: unknown): Extract<ApprovalAnswer, { kind: 'granted' }> {
  if (typeof given !== 'string' || !/^\d{9,50}$/.test(given) || /^0+$/.test(given)) {
    throw new Error('the answer has no usable confirmation number');
  }
  return { kind: 'granted', confirmationNumber: given, number: given.slice(-9) };
}

/**
 * Reads an answer with HTTP status 200, which alone says nothing: a refusal comes with 200 too. Strict, since a number is
 * printed on a legal document: granted is `approved: true` with a number of nine digits or more; refused is `approved: false`
 * without a number. Names of members may be in any letter case.
 * @param invoiceId what was asked about.
 * @throws Error that says what is wrong with an answer that is neither; ForeignAnswer.
 */
export function readApprovalAnswer(body: string, invoiceId: string): ApprovalAnswer {
  const answer = readAnswer(body, invoiceId);
  const approved = answer.get('approved');
  const given = answer.get('confirmation_number');
  if (approved === true) {
    return granted(given);
  }
  if (approved === false && hasNoNumber(given)) {
    return { kind: 'refused', ...refusalOf(answer.get('message')) };
  }
  throw new Error('the answer neither approves nor refuses');
}

/**
 * Reads what a look-up with HTTP status 200 found: a number, or explicitly none. Errors beside it say that it could not
 * look (code 472).
 * @param invoiceId what was asked about.
 * @throws Error that says what is wrong with an answer that is neither; ForeignAnswer.
 */
export function readLookUpAnswer(body: string, invoiceId: string): LookUpAnswer {
  const answer = readAnswer(body, invoiceId);
  const given = answer.get('confirmation_number');
  if (!hasNoNumber(given)) {
    return granted(given);
  }
  if (!answer.has('confirmation_number') || errorsOf(answer.get('message')).length > 0) {
    throw new Error('the answer does not say whether there is a number');
  }
  return { kind: 'none' };
}

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

function errorsOf(message: unknown): Members[] {
  const errors = Array.isArray(message) ? message : membersOf(message)?.get('errors');
  return (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => membersOf(error) ?? []);
}

const isText = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The codes and messages of a refusal: a list of errors, or a text. */
function refusalOf(message: unknown): { codes: string[]; message: string } {
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

/** Text as it is stored and shown: a single line of whole characters that PostgreSQL and JSON accept. */
const truncate = (text: string, charactersMax = reasonMax): string =>
  [...text.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim()].slice(0, charactersMax).join('');
