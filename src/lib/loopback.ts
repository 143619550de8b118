/**
 * Whether a host name or an address is a loopback one, which only this machine can reach. Accepts `[::1]`
 * with brackets, as in URLs, and both forms in which sockets report an IPv4 address: `127.0.0.1` and
 * `::ffff:127.0.0.1`.
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|::1|\[::1\])$/i.test(host)
}
