import ipaddr from 'ipaddr.js';

/** What a client is counted as: its IPv4 address, or the /64 of its IPv6 address, which is its own. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) {
    return address;
  }
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? prefixOf(parsed, 4) : parsed.toString();
}

/** The range that an address begins with. @param groups of 16 bits. */
export function prefixOf({ parts }: ipaddr.IPv6, groups: number): string {
  const hexadecimal = parts.slice(0, groups).map((part) => part.toString(16));
  return `${hexadecimal.join(':')}::/${16 * groups}`;
}
