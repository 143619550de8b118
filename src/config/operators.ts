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

/** The super validators of a configuration, as far as it says who they are. */
export interface ConfiguredVoters {
  readonly n: number
  /** Hosts of scans, and names of super validators. */
  readonly hosts: readonly string[]
  readonly names: readonly string[]
}

export interface OperatorSizes {
  /** The number of super validators of each operator, by its name. */
  readonly sizes: ReadonlyMap<string, number>
  /** The number of operators. A super validator without one is its own. */
  readonly count: number
}

/**
 * Returns how many super validators each operator has. A name that is neither of a host nor of a trusted super validator
 * counts as one more, because only the network knows it.
 */
export function operatorSizes(
  operators: Readonly<Record<string, readonly string[]>>,
  { n, hosts, names }: ConfiguredVoters,
): OperatorSizes {
  const sizes = new Map<string, number>()
  for (const [operator, members] of Object.entries(operators)) {
    const claimed = hosts.filter((host) => members.some((member) => claimsHost(member, host)))
    const named = members.filter(
      (member) => !member.startsWith('.') && !hosts.some((host) => claimsHost(member, host)),
    )
    const known = names.length === 0 ? named : named.filter((member) => names.includes(member))
    sizes.set(operator, Math.min(n, claimed.length + new Set(known).size))
  }
  const shared = [...sizes.values()].reduce((sum, size) => sum + Math.max(0, size - 1), 0)
  return { sizes, count: Math.max(1, n - shared) }
}
