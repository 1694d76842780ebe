import type { Profile } from '@pinkas/contracts';
import { businessLegalTypes } from '@pinkas/domain';
import type { Principal } from '../api-key/api-key.repository.js';
import { requireLegalType } from '../http/authorize.js';
import { allowedTypes } from './allowed-types.js';

/** The response of GET /me (interface 2.2). */
export function toProfile({ business, key }: Principal, usedToday: number): Profile {
  const legalType = requireLegalType(business);
  return {
    mode: key.mode,
    business: {
      id: key.business_id,
      name: business.name,
      legal_type: legalType,
      legal_type_he: businessLegalTypes[legalType],
      tax_id: business.tax_id,
      vat_rate: business.vat_rate,
      prices_include_vat: business.prices_include_vat,
    },
    allowed_document_types: allowedTypes(business),
    tax_authority_connected: business.tax_authority_connected,
    allocation_threshold_net: business.allocation_threshold_net,
    auto_send: business.auto_send,
    limits: {
      per_minute: key.per_minute,
      daily_documents: key.daily_documents,
      used_today: usedToday,
    },
    key: { name: key.name, prefix: key.prefix, scopes: key.scopes, created_at: key.created_at },
  };
}
