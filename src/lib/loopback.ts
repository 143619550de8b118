/**
 * Whether a host name or an address is this machine itself. It accepts `[::1]` as URLs contain it, and IPv4
 * addresses in both forms that sockets report.
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|::1|\[::1\])$/i.test(host)
}
