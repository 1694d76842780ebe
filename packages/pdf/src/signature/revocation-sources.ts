import type { Certificate, CRLDistributionPoints, GeneralName, InfoAccess } from 'pkijs';
import { extensionOf } from './certificate-usage.js';
import { oid } from './object-identifiers.js';

/** Where a certificate says that its revocation can be read, and its issuer. HTTP and HTTPS alone. */
interface RevocationSources {
  readonly ocsp: readonly string[];
  readonly revocationLists: readonly string[];
  readonly issuers: readonly string[];
}

const uniformResourceIdentifier = 6;
/** A certificate names one or two of a kind. */
const urlsMax = 2;

/** @param certificate its extensions are of X.509 (RFC 5280, 4.2.1.13 and 4.2.2.1). */
export function revocationSourcesOf(certificate: Certificate): RevocationSources {
  const access = extensionOf(certificate, oid.authorityInformationAccess)?.parsedValue as
    | InfoAccess
    | undefined;
  const locations = (method: string) =>
    urlsOf(
      (access?.accessDescriptions ?? [])
        .filter(({ accessMethod }) => accessMethod === method)
        .map(({ accessLocation }) => accessLocation),
    );
  const points = extensionOf(certificate, oid.crlDistributionPoints)?.parsedValue as
    | CRLDistributionPoints
    | undefined;
  const names = (points?.distributionPoints ?? []).flatMap(({ distributionPoint, reasons, cRLIssuer }) =>
    // A list of another issuer, or of some reasons, proves nothing by itself.
    reasons === undefined && cRLIssuer === undefined && Array.isArray(distributionPoint)
      ? distributionPoint
      : [],
  );
  return { ocsp: locations(oid.ocsp), revocationLists: urlsOf(names), issuers: locations(oid.caIssuers) };
}

function urlsOf(names: readonly GeneralName[]): string[] {
  return names
    .filter(({ type }) => type === uniformResourceIdentifier)
    .map(({ value }) => String(value))
    .filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    .slice(0, urlsMax);
}
