import { ApiError } from '@pinkas/service-kit';
import type { PageRequest } from '../http/http-page.js';

/**
 * The public id in a path.
 * @throws ApiError `not_found` where it is malformed.
 */
export function publicIdOf(request: PageRequest): string {
  const id = request.params.public_id ?? '';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) {
    throw new ApiError('not_found');
  }
  return id;
}
