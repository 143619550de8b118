/**
 * Whether a host name or an address is a loopback one, which only this machine can use. It may be `[::1]`, as URLs
 * contain it. It may also be an IPv4 address in either of the forms that sockets report: `127.0.0.1` or
 * `::ffff:127.0.0.1`.
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|::1|\[::1\])$/i.test(host)
}
