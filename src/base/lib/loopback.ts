/**
 * Only this machine can reach a loopback host. Accepts `[::1]`, as in URLs, and `::ffff:127.0.0.1`,
 * as sockets report it.
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|::1|\[::1\])$/i.test(host)
}
