import { normaliseTaxId, softwareVersion } from '@pinkas/domain';
import type { UniformSoftware } from '@pinkas/domain/uniform';

/** What the setting has for software without a certificate, which own use needs none of; the authority's interfaces take it for that. */
export const unregisteredSoftware = '99999999';

/** What an operator sets of the software; empty: not set. */
export interface SoftwareSettings {
  /** The number of its registration. */
  readonly registration: string;
  readonly vendorTaxId: string;
  readonly vendorName: string;
}

/** What the files say of the software. A business that runs it for itself is its own vendor. */
export function describeSoftware(
  { registration, vendorTaxId, vendorName }: SoftwareSettings,
  business: { name: string; tax_id: string | null },
): UniformSoftware {
  return {
    registration: registration === unregisteredSoftware ? null : registration || null,
    name: 'Pinkas',
    version: softwareVersion,
    vendorTaxId: vendorTaxId || normaliseTaxId(business.tax_id ?? ''),
    vendorName: vendorName || business.name,
  };
}
