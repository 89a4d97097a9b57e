import { lookup as dnsLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { failure } from '@plimsoll/core/internal/errors';

/**
 * Everything that is not a public address (IANA special-purpose registries): this machine, private and shared networks,
 * link-local with the metadata services of clouds, multicast, documentation, and the forms of IPv6 that carry an IPv4 address.
 */
const ranges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['::ffff:0:0:0', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
  ['5f00::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

const notPublic = new BlockList();
for (const [net, prefix, family] of ranges) notPublic.addSubnet(net, prefix, family);

/** True for loopback, private, link-local and other addresses that are not public. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(bare);
  return family === 0 || notPublic.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** Throws when a host is written as a private address. Names are checked when they are looked up. */
export function refusePrivateHost(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && isPrivateAddress(bare))
    throw failure('PLM_ALERT_ADDRESS', { host: bare, address: bare });
}

/**
 * Looks a name up and refuses it when any of its addresses is private. The connection uses an address of this same answer, so that a name
 * that changes between check and use (DNS rebinding) does not help an attacker.
 */
export function publicLookup(lookup: LookupFunction = dnsLookup as LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const addresses = found as unknown as LookupAddress[];
      const bad = addresses.find(({ address }) => isPrivateAddress(address));
      const [first] = addresses;
      if (bad !== undefined || first === undefined) {
        const refused = failure('PLM_ALERT_ADDRESS', { host: hostname, address: bad?.address ?? 'none' });
        return callback(refused as unknown as NodeJS.ErrnoException, '', 0);
      }
      if (options.all === true)
        return (callback as unknown as (error: null, all: LookupAddress[]) => void)(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
