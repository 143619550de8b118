import type { IncomingMessage } from 'node:http'

/**
 * Limits per client count all IPv6 addresses of a /64 as one client, because one client usually has
 * them all. Headers such as `forwarded` are not read, because a caller can write any address there.
 */
export function clientOf({
  socket: { remoteAddress: address = '' },
}: Pick<IncomingMessage, 'socket'>): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
