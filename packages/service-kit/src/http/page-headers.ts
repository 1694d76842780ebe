/**
 * TLS ends before the process, so only the public address shows that it is used. Without `includeSubDomains`: other hosts of the
 * domain are not ours.
 */
export function transportHeaders(publicAddress: string): Readonly<Record<string, string>> {
  return publicAddress.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/** What no page needs: a script that ran in spite of everything would not get it either. */
const features = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'payment',
  'usb',
];

/** The headers of every page and file: not indexed, not sniffed, in no page of another origin. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': features.map((feature) => `${feature}=()`).join(', '),
} as const;
