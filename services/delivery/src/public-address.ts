import ipaddr from 'ipaddr.js';

/** A range of addresses. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** IPv6 gives nothing to the public outside of this range. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** What a virtual machine of Azure is configured by: the one address of the kind that is in a public range. */
const azureWireServer = '168.63.129.16';

/**
 * Parses CIDR ranges with commas between.
 * @throws Error where one is none.
 */
export function parseNetworks(text: string): readonly Network[] {
  return text
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '')
    .map((range) => {
      if (!ipaddr.isValidCIDR(range)) {
        throw new Error('expected CIDR ranges such as 10.20.0.0/16, with commas between');
      }
      return ipaddr.parseCIDR(range);
    });
}

/** Whether something may be sent to an IP address: it is public, or in one of the allowed networks. */
export function isAllowedAddress(address: string, allowed: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) {
    return false;
  }
  // An IPv4 address in IPv6 is judged as what it leads to.
  const parsed = ipaddr.process(address);
  if (allowed.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))) {
    return true;
  }
  if (parsed.toString() === azureWireServer) {
    return false;
  }
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(publicIpv6));
}
