import type { Business, Route } from '@pinkas/contracts';
import { type BusinessLegalType, refusalOfBusiness } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import type { AccessCheck, Principal } from '../api-key/api-key.repository.js';
import type { RateLimitResult } from './rate-limiter.js';

/**
 * The principal of a request that may enter.
 * @throws ApiError `api_disabled`, `rate_limited`, `key_revoked`, `unauthorized`: the first that applies.
 */
export function checkAccess(
  { apiEnabled, principal }: AccessCheck,
  { allowed }: Pick<RateLimitResult, 'allowed'>,
): Principal {
  if (!apiEnabled) {
    throw new ApiError('api_disabled');
  }
  // Before the key is judged: an address that guesses keys learns nothing once it is rate limited.
  if (!allowed) {
    throw new ApiError('rate_limited');
  }
  if (!principal) {
    throw new ApiError('unauthorized');
  }
  if (principal.key.revoked_at !== null) {
    throw new ApiError('key_revoked');
  }
  return principal;
}

/**
 * Checks that the state of the business and the scopes of the key allow a route.
 * @throws ApiError of the first check that fails, in the order that the HTTP API fixes.
 */
export function authorize({ business, key }: Principal, route: Route, paymentUrl: string): void {
  const refusal = refusalOfBusiness(business, route.issues);
  if (refusal === 'subscription_required') {
    throw new ApiError(refusal, { details: { payment_url: paymentUrl } });
  }
  if (refusal !== null) {
    throw new ApiError(refusal);
  }
  if (route.scope !== null && !key.scopes.includes(route.scope)) {
    throw new ApiError('insufficient_scope');
  }
}

/**
 * The legal type of a business, which its profile may lack.
 * @throws ApiError `business_profile_incomplete`.
 */
export function requireLegalType(business: Business): BusinessLegalType {
  if (business.legal_type === null) {
    throw new ApiError('business_profile_incomplete');
  }
  return business.legal_type;
}
