import { joinedWithAnd } from '../base/lib/joined-with-and.ts'
import { isLoopbackHost } from '../base/lib/loopback.ts'
import { isPublicAddress } from '../core/scan/address-guard.ts'
import type { Observation } from './observation.ts'
import type { Egress } from './report.ts'

const howToSet = 'set scanClient.egressAddresses (SCAN_EGRESS_ADDRESSES)'

/**
 * Finds the addresses from which this machine's requests leave: configured, or guessed from the
 * local addresses of connections. The doctor asks no outside service for the address.
 */
export function egressOf(observations: readonly Observation[], configured: readonly string[]): Egress {
  const connections = observations.flatMap(({ connection }) => connection ?? [])
  const direct = connections.filter(({ proxy }) => proxy === null)
  const local = distinct(direct.flatMap(({ localAddress }) => localAddress ?? []))
  const proxies = distinct(connections.flatMap(({ proxy }) => proxy ?? []))
  const hasLeft = connections.some(({ proxy, tcp }) => proxy !== null || tcp.kind !== 'skipped')
  const says = [...sentencesOf({ configured, local, proxies }, hasLeft)].join(' ')
  return { configured, local, proxies, says }
}

function* sentencesOf(
  { configured, local, proxies }: Omit<Egress, 'says'>,
  hasLeft: boolean,
): Iterable<string> {
  if (configured.length > 0) {
    yield `Requests leave from ${joinedWithAnd(configured)}, as scanClient.egressAddresses says.`
    return
  }
  if (!hasLeft) {
    yield 'No request left this machine, so no super validator has seen its address.'
    return
  }
  if (proxies.length === 0 && local.length > 0 && local.every(isLoopbackHost)) {
    yield 'All scans that answer are on this machine; no request leaves it.'
    return
  }
  yield 'The address that super validators see is not configured.'
  if (proxies.length > 0)
    yield `Requests leave through the forward proxy ${joinedWithAnd(proxies)}: ask whoever runs it for its public address, and ${howToSet}.`
  const visible = local.filter(isPublicAddress)
  if (visible.length > 0)
    yield `This machine connects from ${joinedWithAnd(visible)}, which is public and most likely the address: ${howToSet} to confirm it.`
  else if (local.length > 0)
    yield `This machine connects from ${joinedWithAnd(local)}, which is not public: ask whoever runs this network for the public address of its NAT gateway, and ${howToSet}.`
  else if (proxies.length === 0)
    yield `Ask whoever runs this network for the public address of its egress, and ${howToSet}.`
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort()
}

export function addressesToAllow({ configured, local, proxies }: Egress): readonly string[] {
  if (configured.length > 0) return configured
  const visible = proxies.length > 0 ? [] : local.filter(isPublicAddress)
  return visible.length > 0 ? visible : ['<your public address>']
}
