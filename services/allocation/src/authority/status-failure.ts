import type { RequestKind } from '@pinkas/contracts';
import { invalidFields } from './answer-object.js';

/** Why an attempt failed, and what follows. */
export interface StatusFailure {
  /** In plain language, safe for the caller; what somebody has to do about it, where somebody has to. */
  readonly reason: string;
  /** False: another attempt fails the same way until the reason is fixed. */
  readonly retryable: boolean;
  /** It is due again when the owner has logged in. */
  readonly awaitsConnection: boolean;
}

/** What an application is subscribed to, and what is done again once it works. */
const products = {
  number: { name: 'invoices', again: 'and the number asked for again' },
  donation: { name: 'donations', again: 'and the donation reported again' },
} as const;

/**
 * What an answer that is neither a decision nor 401 means. 403 (not subscribed), 406 (no permission for this VAT number), 400 and
 * 422 (schema) are as the authority documents them; whatever it does not document is taken for something that passes.
 * @param body where a 400 or 422 names the fields.
 */
export function statusFailure(status: number, body: string, kind: RequestKind): StatusFailure {
  const product = products[kind];
  const said = `HTTP status ${status}`;
  switch (status) {
    case 400:
    case 422: {
      const fields = invalidFields(body);
      const named = fields.length > 0 ? `: ${fields.join(', ')}` : '';
      return {
        reason: `The tax authority cannot read the request (${said}${named}). Its data or the software has to be corrected, ${product.again}.`,
        retryable: false,
        awaitsConnection: false,
      };
    }
    case 403:
      return {
        reason: `The tax authority does not serve this application (${said}). It has to be subscribed to the ${product.name} product in the authority's portal, ${product.again}.`,
        retryable: false,
        awaitsConnection: false,
      };
    case 406:
      return {
        reason: `The person who connected the business has no permission for its VAT number (${said}). A person who has it must connect the business.`,
        retryable: false,
        awaitsConnection: true,
      };
    default:
      return {
        reason: `The tax authority answered with ${said}.`,
        retryable: true,
        awaitsConnection: false,
      };
  }
}
