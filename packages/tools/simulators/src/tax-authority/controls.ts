import type { IncomingMessage } from 'node:http';
import { HttpError } from '@pinkas/service-kit/http';
import { readJsonObject } from '../http.js';
import type { Book } from './book.js';
import type { Clock } from './clock.js';
import type { OAuthStore } from './oauth-store.js';

/** `POST /_clock`: `{ now: ISO 8601 }`, `{ advance_ms }` or `{ reset: true }`. @returns the time that it is now. */
export async function setClock(request: IncomingMessage, clock: Clock): Promise<{ now: string }> {
  const { now, advance_ms, reset, ...unknown } = await readJsonObject(request);
  if (typeof now === 'string' && !Number.isNaN(Date.parse(now))) {
    clock.set(new Date(now));
  } else if (Number.isInteger(advance_ms)) {
    clock.advance(advance_ms as number);
  } else if (reset === true) {
    clock.reset();
  } else {
    throw new HttpError(400, 'send now (ISO 8601), advance_ms (a whole number) or reset (true)');
  }
  if (Object.keys(unknown).length > 0) {
    throw new HttpError(400, `unknown: ${Object.keys(unknown).join(', ')}`);
  }
  return { now: clock.now().toISOString() };
}

/**
 * `POST /_authority`: what happens at the authority outside the interface. `{ won: invoice_id }`: the hearing about an invoice is
 * won; `{ revoke: true }`: all owners have to log in again.
 */
export async function actAsAuthority(
  request: IncomingMessage,
  { book, store }: { readonly book: Book; readonly store: OAuthStore },
): Promise<object> {
  const { won, revoke } = await readJsonObject(request);
  if (typeof won === 'string') {
    const refusal = book.refusalOf(won);
    if (!refusal) {
      throw new HttpError(404, `no refused invoice has the id ${won}`);
    }
    book.remember({ ...refusal, won: true });
    return { won };
  }
  if (revoke === true) {
    store.revokeAll();
    return { revoke };
  }
  throw new HttpError(400, 'send won (the id of a refused invoice) or revoke (true)');
}
