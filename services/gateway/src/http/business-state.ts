import type { Business, BusinessLegalType, Route } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import type { KeyHolder } from '../api-key/api-key.repository.js';

/**
 * Refuses a call that the state of the business, or the scopes of the key, do not allow, in the order of the interface.
 * @throws Problem of the first reason.
 */
export function requireAllowed({ business, key }: KeyHolder, route: Route, paymentUrl: string): void {
  if (business.archived) throw new Problem('business_archived');
  if (business.provider === 'external') throw new Problem('external_provider_not_supported');
  requireLegalType(business);
  if (business.subscription !== 'active') {
    throw new Problem('subscription_required', { details: { payment_url: paymentUrl } });
  }
  if (route.issues && business.track === 'expenses_only') throw new Problem('issuing_blocked_expenses_only');
  if (route.scope !== null && !key.scopes.includes(route.scope)) throw new Problem('insufficient_scope');
}

/**
 * The legal type of a business, which its profile may lack.
 * @throws Problem `business_profile_incomplete`.
 */
export function requireLegalType(business: Business): BusinessLegalType {
  if (business.legal_type === null) throw new Problem('business_profile_incomplete');
  return business.legal_type;
}
