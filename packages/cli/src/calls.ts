import { type Contract, type ReplyOf, type RequestOf, showBusiness } from '@pinkas/contracts';
import { type Mode, testBookOf } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit/client';
import type { Call } from './command.js';
import { RefusalError } from './usage-error.js';

/** Awaits a reply, and throws a RefusalError with `message` where the problem is `not_found`. */
export async function notFoundAs<T>(reply: Promise<T>, message: string): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') {
      throw new RefusalError(message);
    }
    throw error;
  }
}

export const noBusiness = (id: string) => `No business has the id ${id}: pinkas business list shows them`;

/** @throws RefusalError for an unknown business. */
export const findBusiness = (call: Call, id: string): Promise<ReplyOf<typeof showBusiness>> =>
  notFoundAs(call(showBusiness, { business_id: id }), noBusiness(id));

/** The id of one of the books of a business. @throws RefusalError for an unknown business: a service would store for any id. */
export async function findBook(call: Call, id: string, mode?: Mode): Promise<string> {
  await findBusiness(call, id);
  return mode === 'test' ? testBookOf(id) : id;
}

/** The replies of a contract that gives a list in pages. */
export async function* pagesOf<C extends Contract>(
  call: Call,
  contract: C,
  request: RequestOf<C>,
): AsyncGenerator<ReplyOf<C>> {
  let position: object | undefined = {};
  while (position !== undefined) {
    const page: ReplyOf<C> = await call(contract, { ...(request as object), ...position } as RequestOf<C>);
    yield page;
    position = positionAfter(page as NextPage);
  }
}

interface NextPage {
  readonly next_after?: unknown;
  readonly next_before?: unknown;
}

function positionAfter({ next_after: after = null, next_before: before = null }: NextPage) {
  if (after !== null) {
    return { after };
  }
  return before === null ? undefined : { before };
}

/** What all pages of a list have. */
export async function allOf<C extends Contract, T>(
  call: Call,
  contract: C,
  request: RequestOf<C>,
  itemsOf: (page: ReplyOf<C>) => readonly T[],
): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pagesOf(call, contract, request)) {
    found.push(...itemsOf(page));
  }
  return found;
}
