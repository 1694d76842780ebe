import { type ReplyOf, showBusiness } from '@pinkas/contracts';
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
