import {
  balanceStates,
  type DocumentOrder,
  listUndelivered,
  type RequestOf,
  reviewNotes,
  searchCustomers,
  type sumDocuments,
} from '@pinkas/contracts';
import { documentTypes, isCalendarDate, lengthOf, type SettlementState } from '@pinkas/domain';
import type { Selection } from '@pinkas/exports';
import type { RpcClient } from '@pinkas/service-kit';
import { readField, readMoney } from '@pinkas/ui';

/** The fields of the list, in its address and in the forms that take its hits. */
export const listFields = [
  'q',
  'type',
  'status',
  'note',
  'number',
  'delivery',
  'balance',
  'from',
  'to',
  'amount_from',
  'amount_to',
  'customer',
  'cancelled',
  'sort',
  'direction',
  'size',
] as const;
export type ListField = (typeof listFields)[number];
export type ListValues = Readonly<Record<ListField, string>>;

export const pageSizes = [25, 50, 100] as const;
export const statuses = [
  'open',
  'partly_paid',
  'paid',
  'overpaid',
  'credited',
  'closed',
  'cancelled',
] as const;
export const sorts = ['issued', 'date', 'total', 'balance'] as const satisfies readonly DocumentOrder[];

/** What is asked for, as text and as issuing gets it. */
export interface ListQuery {
  readonly values: ListValues;
  readonly filter: Omit<RequestOf<typeof sumDocuments>, 'business_id'>;
  readonly order: DocumentOrder;
  readonly ascending: boolean;
  readonly size: number;
  /** The fields whose text is no value, and was not used. */
  readonly wrong: readonly ListField[];
  /** Whether the search may have found more customers than the query has. */
  readonly isPartial: boolean;
}

/** The documents that a query asks for, in its order; by balance in that of commits: a balance that changes loses no document. */
export const selectionOf = ({ filter, order, ascending }: ListQuery): Selection => ({
  ...filter,
  ...(order !== 'balance' && { order, ascending }),
});

/** The customers of which a search finds documents. */
const foundCustomersMax = 50;
/** An issued total is at most this, and has two decimals. */
const totalMax = 999_999_999_999;
const isTotal = (value: number | null): value is number =>
  value !== null && value >= 0 && value <= totalMax && Number(value.toFixed(2)) === value;
const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Reads the fields of the list. What was searched for, and what was not delivered, is found first. */
export async function readListQuery(
  rpc: RpcClient,
  bookId: string,
  given: URLSearchParams,
): Promise<ListQuery> {
  const values = Object.fromEntries(listFields.map((name) => [name, readField(given, name)])) as Record<
    ListField,
    string
  >;
  const wrong: ListField[] = [];
  const read: ReadField = (name, value) => {
    if (values[name] !== '' && (value === null || value === undefined)) {
      wrong.push(name);
    }
    return value ?? undefined;
  };
  const date = (name: 'from' | 'to') => read(name, isCalendarDate(values[name]) ? values[name] : null);
  const amountOf = (name: 'amount_from' | 'amount_to') => {
    const value = readMoney(values[name]);
    return read(name, isTotal(value) ? value : null);
  };
  const [from, to] = [date('from'), date('to')];
  const [total_from, total_to] = [amountOf('amount_from'), amountOf('amount_to')];
  const undelivered = read('delivery', values.delivery === 'failed' ? true : undefined)
    ? await rpc.call(listUndelivered, { business_id: bookId })
    : undefined;
  const search = values.q === '' ? undefined : await meaningsOf(rpc, bookId, values.q);
  const chosen = choicesOf(values, read);
  const order = read(
    'sort',
    sorts.find((known) => known === values.sort),
  );
  const size = read(
    'size',
    pageSizes.find((known) => String(known) === values.size),
  );
  return {
    values,
    filter: {
      ...chosen,
      ...present({ from, to, total_from, total_to, search, document_ids: undelivered?.document_ids }),
      // What is to be checked is counted whatever its status.
      include_cancelled: chosen.status === 'cancelled' || values.note !== '' || values.cancelled !== '',
    },
    order: order ?? 'issued',
    ascending: values.direction === 'ascending',
    size: size ?? 50,
    wrong,
    isPartial: (search?.customer_ids?.length ?? 0) >= foundCustomersMax,
  };
}

/** What is chosen as a note, and each is a filter of its own. */
export const buyerIdMissing = 'buyer_id_missing';
export const donationUnreported = 'donation_unreported';

/** The value that a field has been read as; where it is none, its text is no value, and is not used. */
type ReadField = <T>(name: ListField, value: T | null | undefined) => T | undefined;

/** How far the documents of a status are settled, as their badges state it. */
const statesOf: Partial<Record<(typeof statuses)[number], SettlementState[]>> = {
  partly_paid: ['partly_paid'],
  paid: ['settled'],
  overpaid: ['overpaid'],
  credited: ['credited', 'overcredited'],
};

/** The filters that are chosen from lists. */
function choicesOf(values: ListValues, read: ReadField) {
  const status = read(
    'status',
    statuses.find((known) => known === values.status),
  );
  const note = read(
    'note',
    [...reviewNotes, buyerIdMissing, donationUnreported].find((known) => known === values.note),
  );
  return present({
    type: read(
      'type',
      documentTypes.find((known) => known === values.type),
    ),
    status: status === 'cancelled' ? status : undefined,
    balance_state: balanceStates.find((known) => known === status),
    settlement_states: status && statesOf[status],
    note: reviewNotes.find((known) => known === note),
    without_buyer_id: note === buyerIdMissing ? true : undefined,
    unreported_donation: note === donationUnreported ? true : undefined,
    customer_ids: read('customer', isUuid(values.customer) ? [values.customer] : undefined),
    without_number: read('number', values.number === 'missing' ? true : undefined),
    with_balance: values.balance === '' && values.sort !== 'balance' ? undefined : true,
  });
}

/** The members that have a value. */
function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** What a person may have typed: a number, an amount, a reference, an allocation number, or what a customer is known by. */
async function meaningsOf(
  rpc: RpcClient,
  bookId: string,
  text: string,
): Promise<NonNullable<ListQuery['filter']['search']>> {
  const { customers } = await rpc.call(searchCustomers, {
    business_id: bookId,
    query: text,
    limit: foundCustomersMax,
  });
  const total = readMoney(text);
  return {
    ...(/^[1-9]\d{0,8}$/.test(text) && { number: Number(text) }),
    ...(/^\d{9}$/.test(text) && { allocation_number: text }),
    ...(isTotal(total) && { total }),
    ...(lengthOf(text) <= 64 && { external_ref: text }),
    ...(customers.length > 0 && { customer_ids: customers.map(({ id }) => id) }),
  };
}
