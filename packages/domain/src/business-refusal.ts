/** The settings of a business that decide what it may do. */
interface BusinessStatus {
  readonly archived: boolean;
  readonly provider: 'native' | 'external';
  readonly legal_type: unknown;
  readonly subscription: 'active' | 'inactive';
  readonly track: 'full' | 'expenses_only';
}

/** The codes of the error catalogue for a business that may not do something. */
type BusinessRefusal =
  | 'business_archived'
  | 'external_provider_not_supported'
  | 'business_profile_incomplete'
  | 'subscription_required'
  | 'issuing_blocked_expenses_only';

/**
 * Why a business may do nothing with documents, the first reason in the order that the HTTP API fixes; null: it may.
 * @param issues whether a document is to be issued.
 */
export function refusalOfBusiness(business: BusinessStatus, issues: boolean): BusinessRefusal | null {
  if (business.archived) {
    return 'business_archived';
  }
  if (business.provider === 'external') {
    return 'external_provider_not_supported';
  }
  if (business.legal_type === null) {
    return 'business_profile_incomplete';
  }
  if (business.subscription !== 'active') {
    return 'subscription_required';
  }
  return issues && business.track === 'expenses_only' ? 'issuing_blocked_expenses_only' : null;
}
