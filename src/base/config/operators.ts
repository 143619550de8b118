import { withoutTrailing } from '../lib/without-trailing.ts'

/**
 * Whether an entry of `scanClient.operators` stands for the scan at this host. `.example.org`
 * stands for every host that ends so; other entries must equal the host, with or without its port.
 * @param host `host` or `host:port`, as in a URL.
 */
export function claimsHost(member: string, host: string): boolean {
  const wanted = withoutTrailing('.', member.toLowerCase())
  const hostname = host.replace(/:\d+$/, '')
  if (wanted.startsWith('.')) return hostname.endsWith(wanted)
  return [hostname, host, hostname.replace(/^\[(.*)\]$/, '$1')].includes(wanted)
}

export interface ConfiguredVoters {
  readonly n: number
  readonly hosts: readonly string[]
  readonly names: readonly string[]
}

export interface OperatorSizes {
  readonly sizes: ReadonlyMap<string, number>
  /**
   * The number of operators. A super validator without a configured operator counts as one
   * operator.
   */
  readonly count: number
}

/**
 * Returns how many super validators each operator has, at most n. Each configured host of the
 * operator counts. Each other entry counts too if it may be the name of a super validator.
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
