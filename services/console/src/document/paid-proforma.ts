import { type DocumentState, type IssuedDocument, listDebts } from '@pinkas/contracts';
import type { RpcClient } from '@pinkas/service-kit';
import { amount, html, type Markup, notice, type Words } from '@pinkas/ui';
import { balanceOf } from '../frame/parts.js';
import { unlessAway } from '../frame/unless-away.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';

const texts = {
  onAccount: {
    he: 'מה ששולם עבור חשבון העסקה נמצא בזכות הלקוח, והחשבונית עדיין לתשלום. בחשבון הלקוח:',
    en: 'What was paid for the proforma is on the account of the customer, and the invoice is still to pay. On account:',
  },
  setOff: { he: 'קיזוז מול החשבונית', en: 'Set it off' },
} as const satisfies Record<string, Words>;

/**
 * Proposes to set the money of a paid proforma against its invoice, which asks for the payment from then on; null where there is
 * nothing to set off.
 */
export async function paidProformaNotice(
  visit: MemberVisit,
  rpc: RpcClient,
  document: IssuedDocument,
  state: DocumentState,
): Promise<Markup | null> {
  const { bookId, language, t, link, role } = visit;
  const { id } = document.customer;
  const asksAgain = document.based_on?.type === 'proforma' && (balanceOf(document, state) ?? 0) > 0;
  if (!asksAgain || !isAtLeast(role, 'issuer')) {
    return null;
  }
  const request = { business_id: bookId, customer_id: id, limit: 1, after: null };
  const { on_account: onAccount = 0 } = (await unlessAway(rpc.call(listDebts, request))) ?? {};
  return onAccount > 0
    ? notice(
        'info',
        html`${t(texts.onAccount)} ${amount(onAccount, language)}
<a href="${link(`/customers/${id}/set-off`)}">${t(texts.setOff)}</a>`,
      )
    : null;
}
