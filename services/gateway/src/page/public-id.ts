import { Problem } from '@pinkas/service-kit';
import type { PageVisit } from '../http/http-page.js';

/**
 * The public id in an address.
 * @throws Problem `not_found` for what no document can have.
 */
export function publicIdOf(visit: PageVisit): string {
  const id = visit.params.public_id ?? '';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new Problem('not_found');
  return id;
}
