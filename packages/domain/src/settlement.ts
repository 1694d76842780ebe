import { type DocumentType, documentTypeRules } from './document-types.js';
import { type Agorot, fromShekels } from './money/agorot.js';

/** What a person should know of how a document was paid, credited and invoiced, in the order of weight. */
export const settlementNotes = [
  'overcredited',
  'overpaid',
  'partly_paid',
  'invoiced_twice',
  'other_customer',
] as const;
export type SettlementNote = (typeof settlementNotes)[number];

/** `credited`: in full, and nothing was paid; `nothing`: of a total of zero. */
export const settlementStates = [
  'nothing',
  'unpaid',
  'partly_paid',
  'settled',
  'credited',
  'overpaid',
  'overcredited',
] as const;
export type SettlementState = (typeof settlementStates)[number];

/** What is based on a document, as far as it settles it; what is absent is zero. */
export interface SettlementFacts {
  readonly status: 'open' | 'closed' | 'cancelled';
  /** ILS: of a tax invoice or a proforma what its receipts have received. */
  readonly paid: number;
  /** ILS, by credit notes. */
  readonly credited?: number | undefined;
  /** ILS: what an owner has set against it, of the money that its customer has on account or as tax that was withheld. */
  readonly set_off?: number | undefined;
  /** The invoices based on it that are not credited in full. */
  readonly invoices?: number | undefined;
  /** The receipts and credit notes based on it that name another customer. */
  readonly other_customers?: number | undefined;
}

/** How far a document is settled. */
interface Settlement {
  /** Total − receipts − set-offs − credits, but for an agora that they leave or exceed; null where the document asks for no payment. */
  readonly balance: Agorot | null;
  /** Null where there is no balance. */
  readonly state: SettlementState | null;
  readonly notes: readonly SettlementNote[];
}

/**
 * How far a document is settled. Its status does not decide that: any receipt closes an invoice. A cancelled document has no
 * balance, and neither has a proforma that was invoiced, since its invoice asks for the payment.
 */
export function settlementOf(
  { type, totals }: { readonly type: DocumentType; readonly totals: { readonly total: number } },
  {
    status,
    paid: received,
    credited: credits = 0,
    set_off = 0,
    invoices = 0,
    other_customers = 0,
  }: SettlementFacts,
): Settlement {
  const [total, paid, credited] = [totals.total, received, credits].map(fromShekels) as [
    Agorot,
    Agorot,
    Agorot,
  ];
  const settled = paid + fromShekels(set_off);
  const { dueDate: isPayable } = documentTypeRules[type];
  const balance =
    isPayable && status !== 'cancelled' && invoices === 0 ? leftToPay(total, settled, credited) : null;
  const applies: Readonly<Record<SettlementNote, boolean>> = {
    overcredited: credited > total,
    // Payments may differ from a total by an agora. What is set off against one that asks for nothing is on account again.
    overpaid: isPayable && (balance === null ? paid : settled) > total + 1n,
    partly_paid: balance !== null && balance > 0n && settled > 0n,
    invoiced_twice: invoices > 1,
    other_customer: other_customers > 0,
  };
  return {
    balance,
    state: balance === null ? null : stateOf(balance, settled, total === 0n, credited > total),
    notes: settlementNotes.filter((note) => applies[note]),
  };
}

/**
 * An agora is nothing: payments may differ from a total by as much, and so may the credits of its parts, of which each is rounded. What
 * is credited beyond the total is exact.
 */
function leftToPay(total: Agorot, settled: Agorot, credited: Agorot): Agorot {
  const left = total - settled - credited;
  const isNothing = left === 1n ? settled + credited > 0n : left === -1n && settled > 0n;
  return isNothing ? 0n : left;
}

/** What a note is about: what is left to pay, or what goes beyond the total; null where it is no amount. */
export function amountOfNote(
  note: SettlementNote,
  document: { readonly type: DocumentType; readonly totals: { readonly total: number } },
  facts: SettlementFacts,
): Agorot | null {
  const beyond = (amount: number) => fromShekels(amount) - fromShekels(document.totals.total);
  switch (note) {
    case 'overcredited':
      return beyond(facts.credited ?? 0);
    case 'overpaid':
      return settlementOf(document, facts).balance === null
        ? beyond(facts.paid)
        : beyond(facts.paid) + fromShekels(facts.set_off ?? 0);
    case 'partly_paid':
      return settlementOf(document, facts).balance;
    default:
      return null;
  }
}

function stateOf(
  balance: Agorot,
  settled: Agorot,
  isFree: boolean,
  isOvercredited: boolean,
): SettlementState {
  if (balance > 0n) {
    return settled > 0n ? 'partly_paid' : 'unpaid';
  }
  if (balance === 0n) {
    const unpaid = isFree ? 'nothing' : 'credited';
    return settled > 0n ? 'settled' : unpaid;
  }
  return isOvercredited ? 'overcredited' : 'overpaid';
}

/** Whether a document of a type settles the one that it is based on: it is then on the account of that one's customer. */
export function settlesSource(type: DocumentType): boolean {
  return type === 'receipt' || type === 'credit_note';
}

/** The facts by which customers of a business differ. */
interface IdentifiedCustomer {
  readonly id: string;
  readonly tax_id: string | null;
}

/** Whether two documents name one customer: one card, or two cards of one tax id. */
export function isSameCustomer(one: IdentifiedCustomer, other: IdentifiedCustomer): boolean {
  return one.id === other.id || (one.tax_id !== null && one.tax_id === other.tax_id);
}
