import type { Business } from '@pinkas/contracts';
import { type DocumentType, documentTypes, mayIssue } from '@pinkas/domain';
import { requireLegalType } from '../http/authorize.js';

/**
 * What a business may issue (interface 2.1).
 * @throws ApiError `business_profile_incomplete` where it has no legal type.
 */
export function allowedTypes(business: Business): DocumentType[] {
  const legalType = requireLegalType(business);
  return documentTypes.filter((type) => mayIssue(legalType, type));
}
