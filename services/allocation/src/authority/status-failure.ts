import { gatewayMessage, invalidFields } from './answer-object.js';
import type { AskedAbout, StatusFailure } from './attempt-outcome.js';
import { dataFailure } from './data-errors.js';

/** What an application is subscribed to, and what is done again once it works. */
const products = {
  number: { name: 'invoices', again: 'and the number asked for again' },
  donation: { name: 'donations', again: 'and the donation reported again' },
} as const;

const stopped = { retryable: false, awaitsConnection: false } as const;
const passing = { retryable: true, awaitsConnection: false } as const;
const operators = { ...passing, awaitsOperator: true, isEndless: true } as const;

/** The longest pause that the authority may ask for. */
const retryAfterMaxSeconds = 3_600;

/**
 * What an answer that is neither a decision nor 401 means, as the authority's papers have it: 400 with codes of data errors, or the
 * place that broke its schema; 403 and 404 concern the application and its addresses; 406 the person who logged in. Whatever is not
 * documented is taken for something that passes.
 * @param answer its body names the fields.
 */
export function statusFailure(
  answer: {
    readonly status: number;
    readonly body: string;
    readonly headers: { get(name: string): string | null };
  },
  about: AskedAbout,
): StatusFailure {
  const product = products[about.kind];
  const { status, body } = answer;
  const said = `HTTP status ${status}`;
  switch (status) {
    case 400:
    case 422: {
      const known = status === 400 ? dataFailure(body, about) : undefined;
      if (known) {
        return known;
      }
      const named = [invalidFields(body).join(', '), gatewayMessage(body)].filter((text) => text !== '');
      const where = named.length > 0 ? `: ${named.join('; ')}` : '';
      return {
        reason: `The tax authority cannot read the request (${said}${where}). Its data or the software has to be corrected, ${product.again}.`,
        ...stopped,
      };
    }
    case 403:
      return {
        reason: `The tax authority does not serve this application (${said}). The operator has to subscribe it to the ${product.name} product in the authority's portal, and call from Israel. Attempts go on.`,
        ...operators,
      };
    case 404:
      return {
        reason: `The tax authority has nothing at the address of the ${product.name} (${said}). The operator has to correct the address. Attempts go on.`,
        ...operators,
      };
    case 406:
      return {
        reason: `The person who connected the business has no permission for its VAT number (${said}). A person who has it must connect the business.`,
        retryable: false,
        awaitsConnection: true,
      };
    case 429: {
      const seconds = retryAfterSeconds(answer.headers.get('retry-after'), about.now);
      return {
        reason: `The tax authority takes no more requests for now (${said}).`,
        ...passing,
        ...(seconds > 0 && { notBefore: new Date(about.now.getTime() + seconds * 1_000) }),
      };
    }
    default:
      return { reason: `The tax authority answered with ${said}.`, ...passing };
  }
}

/** Whether the authority may have granted a number before it answered so. */
export const isUnknownStatus = (status: number): boolean => status === 408 || status >= 500;

/** Seconds, or an HTTP date; 0 without one. */
export function retryAfterSeconds(header: string | null, now: Date): number {
  if (header === null) {
    return 0;
  }
  const given = /^\s*\d{1,9}\s*$/.test(header)
    ? Number(header)
    : Math.ceil((Date.parse(header) - now.getTime()) / 1_000);
  return Number.isNaN(given) ? 0 : Math.min(Math.max(given, 0), retryAfterMaxSeconds);
}
