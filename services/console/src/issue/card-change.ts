import {
  type ContactDetail,
  type CustomerDetails,
  type CustomerSnapshot,
  contactDetails,
  showCustomer,
  updateCustomer,
} from '@pinkas/contracts';
import type { RpcClient } from '@pinkas/service-kit';
import { checkbox, html, type Markup, type Words } from '@pinkas/ui';
import { unlessAway } from '../frame/unless-away.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  update: { he: 'לעדכן גם את כרטיס הלקוח', en: "Update the customer's card as well" },
  instead: { he: 'במקום', en: 'instead of' },
} as const satisfies Record<string, Words>;

/** What a document states that the card of its customer has otherwise; what the card lacks is filled in any case. */
export type CardChange = Partial<Record<ContactDetail, { readonly from: string; readonly to: string }>>;

const changeOf = (stated: Omit<CustomerSnapshot, 'id'>, card: CustomerDetails): CardChange =>
  Object.fromEntries(
    contactDetails.flatMap((name) => {
      const [from, to] = [card[name] ?? null, stated[name] ?? null];
      return from === null || to === null || from === to ? [] : [[name, { from, to }]];
    }),
  );

/** Compares a document with the card of its customer; nothing where the card is new, or cannot be read now. */
export async function readCardChange(
  rpc: RpcClient,
  { bookId }: MemberVisit,
  stated: Omit<CustomerSnapshot, 'id'> & { readonly id: string | null },
): Promise<CardChange> {
  const found =
    stated.id === null
      ? null
      : await unlessAway(rpc.call(showCustomer, { business_id: bookId, customer_id: stated.id }));
  return found ? changeOf(stated, found.customer) : {};
}

/** Writes what an issued document states to the card of its customer, as the person has asked. */
export async function updateCard(
  rpc: RpcClient,
  visit: MemberVisit,
  customer: CustomerSnapshot,
): Promise<void> {
  const entries = Object.entries(await readCardChange(rpc, visit, customer));
  if (entries.length > 0) {
    // The document is issued, whatever becomes of the card.
    await unlessAway(
      rpc.call(updateCustomer, {
        business_id: visit.bookId,
        customer_id: customer.id,
        change: Object.fromEntries(entries.map(([name, { to }]) => [name, to])),
        person_id: visit.session.personId,
      }),
    );
  }
}

/** Offers to write it to the card; null where there is nothing to write. */
export function cardChangeBox(change: CardChange, { t }: MemberVisit): Markup | null {
  const parts = Object.values(change).map(({ from, to }) => `${to} (${t(texts.instead)} ${from})`);
  return parts.length === 0
    ? null
    : html`${checkbox({
        name: 'update_card',
        value: 'yes',
        label: t(texts.update),
        hint: parts.join(' · '),
        checked: false,
      })}`;
}
