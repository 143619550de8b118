/**
 * Whether a host or an address is the machine itself. Takes `[::1]` as URLs write it, and IPv4 addresses as sockets of
 * both families report them.
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|::1|\[::1\])$/i.test(host)
}
