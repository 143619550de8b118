/**
 * Whether a member of an operator stands for the scan at this host: as the host, with or without its port, or as a
 * suffix of it that begins with a dot.
 * @param host `host` or `host:port`, as in a URL.
 */
export function claimsHost(member: string, host: string): boolean {
  const wanted = member.toLowerCase()
  const hostname = host.replace(/:\d+$/, '')
  return wanted.startsWith('.') ? hostname.endsWith(wanted) : wanted === hostname || wanted === host
}
