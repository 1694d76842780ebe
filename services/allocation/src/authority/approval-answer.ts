/** What the authority said of one document. */
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
      /** `460 <words>; 431 <words>` */
      readonly words: string;
    };

const wordsMax = 400;

type Members = ReadonlyMap<string, unknown>;

/** The members of an object by their names in lower case: the authority's own examples spell one name in three ways. */
function membersOf(value: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}

/**
 * Reads an answer with HTTP status 200, which alone says nothing: a refusal comes with 200 too. Strict, since a number is
 * printed on a legal document: granted is `approved: true` with a number of nine digits or more, written as text (as a JSON
 * number it would have lost digits); refused is `approved: false` without a number. Names of members may be in any letter
 * case.
 * @throws Error that says what is wrong with an answer that is neither.
 */
export function readApprovalAnswer(body: string): ApprovalAnswer {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Error('the answer is not JSON');
  }
  const answer = membersOf(value);
  if (!answer) throw new Error('the answer is not a JSON object');
  const approved = answer.get('approved');
  const given = answer.get('confirmation_number');
  const hasNumber = given !== undefined && given !== null && String(given) !== '' && String(given) !== '0';
  if (approved === true) {
    if (typeof given !== 'string' || !/^\d{9,50}$/.test(given) || /^0+$/.test(given)) {
      throw new Error('the answer approves without a usable confirmation number');
    }
    return { kind: 'granted', confirmationNumber: given, number: given.slice(-9) };
  }
  if (approved === false && !hasNumber) return { kind: 'refused', words: wordsOf(answer.get('message')) };
  throw new Error('the answer neither approves nor refuses');
}

/** The codes and words of a refusal: a list of errors, or a text. */
function wordsOf(message: unknown): string {
  if (typeof message === 'string') return tidy(message);
  const errors = Array.isArray(message) ? message : membersOf(message)?.get('errors');
  const listed = (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => {
    const members = membersOf(error);
    const code = members?.get('code');
    const words = members?.get('message');
    const parts = [code, words].filter((part) => typeof part === 'string' || typeof part === 'number');
    return parts.length > 0 ? [parts.join(' ')] : [];
  });
  return tidy(listed.join('; ')) || 'without a reason';
}

/** Words as they are kept and shown: one line, of whole characters, none of which a database or a JSON text refuses. */
const tidy = (text: string): string =>
  [...text.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim()].slice(0, wordsMax).join('');
