import { hasNoNumber, membersOf, readAnswer, refusalOf } from './answer-object.js';

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
      /** Documents of this type get no number: there is nothing to decide about. */
      readonly isNotRequired?: true;
    };

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
  const answer = readAnswer(body, { name: 'invoice_id', value: invoiceId });
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
 * Reads what a look-up with HTTP status 200 found.
 * @returns undefined without a usable number: no answer of a look-up proves that there is none.
 */
export function readLookUpAnswer(body: string): Extract<ApprovalAnswer, { kind: 'granted' }> | undefined {
  try {
    return granted(membersOf(JSON.parse(body))?.get('confirmation_number'));
  } catch {
    return undefined;
  }
}
