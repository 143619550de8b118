/**
 * Whether a configured member of an operator names this host: as a host with or without its port, or as an ending
 * of the host that begins with a dot.
 * @param host `host` or `host:port`, as in a URL.
 */
export function claimsHost(member: string, host: string): boolean {
  const wanted = member.toLowerCase()
  const hostname = host.replace(/:\d+$/, '')
  return wanted.startsWith('.') ? hostname.endsWith(wanted) : wanted === hostname || wanted === host
}
