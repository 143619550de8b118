/**
 * Whether this configured member of an operator (`scanClient.operators`) stands for the scan at this host.
 * The member is either the host, with or without its port, or the end of the host from a dot on, such as
 * `.example.org`.
 * @param host `host` or `host:port`, as in a URL.
 */
export function claimsHost(member: string, host: string): boolean {
  const wanted = member.toLowerCase()
  const hostname = host.replace(/:\d+$/, '')
  return wanted.startsWith('.') ? hostname.endsWith(wanted) : wanted === hostname || wanted === host
}

/** The super validators, as far as the configuration alone determines them. */
export interface ConfiguredVoters {
  readonly n: number
  /** The hosts of the configured scans. */
  readonly hosts: readonly string[]
  /** The configured names of super validators. Empty if the configuration names none. */
  readonly names: readonly string[]
}

export interface OperatorSizes {
  /** The number of super validators of each operator, by the operator's name. */
  readonly sizes: ReadonlyMap<string, number>
  /** The number of operators. A super validator without an operator counts as an operator of its own. */
  readonly count: number
}

/**
 * Returns how many super validators each operator has, and never more than n. Two things count as a super
 * validator of an operator:
 * - each configured host that one of the operator's members claims (`claimsHost`)
 * - each member that claims no configured host, because it can be the name of a super validator. Such a
 *   member does not count if it begins with a dot, or if `names` is not empty and does not contain it.
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
