import { type Business, type DocumentType, documentTypes, mayIssue } from '@pinkas/contracts';
import { requireLegalType } from '../http/business-state.js';

/**
 * What a business may issue (interface 2.1).
 * @throws Problem `business_profile_incomplete` where it has no legal type.
 */
export function allowedTypes(business: Business): DocumentType[] {
  const legalType = requireLegalType(business);
  return documentTypes.filter((type) => mayIssue(legalType, type));
}
