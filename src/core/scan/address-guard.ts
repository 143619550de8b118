import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { parseBaseUrl } from './origin.ts'

/**
 * IPv4 blocks that no public scan uses: the blocks that the IANA special-purpose registry calls not
 * globally reachable, 6to4 relays, multicast, and the reserved block.
 */
const refusedIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const refusedIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
]

/**
 * The IPv6 blocks that can contain public addresses: global unicast, IPv4-mapped and NAT64. The
 * daemon refuses every IPv6 address outside these blocks, such as loopback and link-local addresses.
 */
const globalIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2000::', 3],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]

const refused = new BlockList()
const global = new BlockList()
for (const [network, prefix] of refusedIpv4) {
  // `BlockList` applies an IPv4 rule to IPv4-mapped addresses too. NAT64 and 6to4 addresses also
  // contain an IPv4 address, but each of them needs its own rule.
  refused.addSubnet(network, prefix, 'ipv4')
  refused.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6')
  refused.addSubnet(sixToFour(network), 16 + prefix, 'ipv6')
}
for (const [network, prefix] of refusedIpv6) refused.addSubnet(network, prefix, 'ipv6')
for (const [network, prefix] of globalIpv6) global.addSubnet(network, prefix, 'ipv6')

function sixToFour(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `2002:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}::`
}

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4')
    case 6:
      // An address with a zone (`%eth0`) is link-local, and so not public.
      return !address.includes('%') && global.check(address, 'ipv6') && !refused.check(address, 'ipv6')
    default:
      return false
  }
}

const notPublic = 'is not public, and scanClient.allowPrivate is false'

export class AddressBlockedError extends Error {
  override readonly name = 'AddressBlockedError'
}

export type AddressLookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Returns a `lookup` for `net.connect` that yields only public addresses, or fails with
 * `AddressBlockedError`. The socket connects to exactly the checked addresses, so a second,
 * different DNS answer (DNS rebinding) cannot bypass the check.
 */
export function publicLookup(lookup: AddressLookup = systemLookup): LookupFunction {
  return filteredLookup(lookup, isPublicAddress)
}

export function anyLookup(lookup: AddressLookup = systemLookup): LookupFunction {
  return filteredLookup(lookup, () => true)
}

function filteredLookup(lookup: AddressLookup, allowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const addresses = found.filter(({ address }) => allowed(address))
      const [first] = addresses
      if (first === undefined) {
        const where = found.map(({ address }) => address).join(', ')
        const why = where === '' ? 'no address' : `${where}, which ${notPublic}`
        return callback(new AddressBlockedError(`${hostname} is at ${why}`), [])
      }
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** The rules for URLs to which the daemon sends requests (quorum.md#urls-are-untrusted). */
export interface UrlPolicy {
  readonly allowHttp: boolean
  readonly allowPrivate: boolean
}

export type ScanTarget =
  | {
      readonly kind: 'usable'
      readonly url: string
      readonly origin: string
      /** The path of the URL without a trailing slash; empty if the URL has no path. */
      readonly prefix: string
      readonly host: string
      readonly port: number
      readonly secure: boolean
    }
  | { readonly kind: 'blocked'; readonly url: string; readonly reason: string }

/**
 * Parses the base URL of a scan, and blocks a URL that the policy forbids. The addresses of a DNS
 * name can change, so the daemon checks these addresses later, when it resolves the name.
 */
export function scanTarget(text: string, policy: UrlPolicy): ScanTarget {
  const blocked = (reason: string): ScanTarget => ({ kind: 'blocked', url: text, reason })
  const parsed = parseBaseUrl(text)
  if (typeof parsed === 'string') return blocked(parsed)
  const { origin, prefix, hostname, port, secure } = parsed
  if (!secure && !policy.allowHttp)
    return blocked('http is not allowed, because scanClient.allowHttp is false')
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !policy.allowPrivate && !isPublicAddress(host))
    return blocked(`${host} ${notPublic}`)
  return { kind: 'usable', url: origin + prefix, origin, prefix, host, port, secure }
}
