import type { IncomingMessage } from 'node:http'

/**
 * Returns the text by which per-client limits identify the sender of a request: the address of the
 * connection. Behind a reverse proxy this is the proxy. Headers such as `forwarded` are not read, because a
 * caller can write any address there. All IPv6 addresses of a /64 are one client, because one client usually
 * has a whole /64.
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
