import { errorCatalogue, isUuid, type listRequests, type ReplyOf, type RequestOf } from '@pinkas/contracts';

/** The filters of the list, as its address has them. */
export const requestFields = ['key', 'status', 'code', 'idempotency_key'] as const;
export type RequestValues = Readonly<Record<(typeof requestFields)[number], string>>;

/** Every code that an answer may have, in the order of the alphabet. */
export const codes: readonly string[] = Object.keys(errorCatalogue).sort();
/** The classes of the status: answered, refused, failed. */
export const statusClasses = ['2', '4', '5'] as const;
/** The longest Idempotency-Key, in code points. */
const idempotencyKeyMax = 128;

/** What is asked for; a value that is none is left out. */
export function readRequestValues(query: URLSearchParams): RequestValues {
  const given = (name: (typeof requestFields)[number], isValid: (value: string) => boolean): string => {
    const value = query.get(name)?.trim() ?? '';
    return isValid(value) ? value : '';
  };
  return {
    key: given('key', isUuid),
    status: given('status', (value) => statusClasses.some((known) => known === value)),
    code: given('code', (value) => codes.includes(value)),
    idempotency_key: given('idempotency_key', (value) => [...value].length <= idempotencyKeyMax),
  };
}

/** What the gateway gets of it: the attempts of one idempotency key in the order in which they came. */
export function filterOf({ key, status, code, idempotency_key }: RequestValues) {
  return {
    ...(key !== '' && { key_id: key }),
    ...(status !== '' && { status_class: Number(status) }),
    ...(code !== '' && { code }),
    ...(idempotency_key !== '' && { idempotency_key, ascending: true }),
  } satisfies Partial<RequestOf<typeof listRequests>>;
}

/** Where a page of the list begins. */
type Position = NonNullable<ReplyOf<typeof listRequests>['next_after']>;

/** A position as an address has it. */
export const writePosition = ({ timestamp, id }: Position): string => `${timestamp}~${id}`;

/** Undefined where an address has none. */
export function readPosition(text: string | null): Position | undefined {
  const [, timestamp = '', id = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)~(.{36})$/.exec(text ?? '') ?? [];
  return isUuid(id) && !Number.isNaN(Date.parse(timestamp)) ? { timestamp, id } : undefined;
}
