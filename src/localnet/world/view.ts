import type { Clock } from '../../lib/clock.ts'
import type { Collation } from './collation.ts'
import type { ContractWithState } from './contract.ts'
import { governanceThreshold, type Member } from './dso.ts'
import type { AnsEntry } from './entry.ts'
import { microsOf } from './instant.ts'
import type { Version, World } from './world.ts'

/** The body of `/v0/scans`. */
export interface ScanList {
  readonly scans: readonly {
    readonly domainId: string
    readonly scans: readonly { readonly publicUrl: string; readonly svName: string }[]
  }[]
}

/** The body of `/v0/dso`. */
export interface DsoInfo {
  readonly sv_user: string
  readonly sv_party_id: string
  readonly dso_party_id: string
  readonly voting_threshold: number
  readonly latest_mining_round: ContractWithState
  readonly amulet_rules: ContractWithState
  readonly dso_rules: ContractWithState
  readonly sv_node_states: readonly ContractWithState[]
  readonly initial_round: string | null
}

/** The body of `/v0/splice-instance-names`. */
export interface InstanceNames {
  readonly network_name: string
  readonly network_favicon_url: string
  readonly amulet_name: string
  readonly amulet_name_acronym: string
  readonly name_service_name: string
  readonly name_service_name_acronym: string
}

/** What one scan node knows when it answers. A node that lies is an honest node with another view. */
export interface View {
  /** Whether it has ingested the DSO's rules. */
  readonly initialised: boolean
  entryByName(name: string): AnsEntry | undefined
  /** Of a party with several entries the first by name. */
  entryByParty(party: string): AnsEntry | undefined
  /** User entries by name, then the synthetic ones: at most `limit` that begin with `prefix`. */
  entries(prefix: string, limit: number): readonly AnsEntry[]
  ansRules(): ContractWithState
  amuletRules(): ContractWithState
  dsoParty(): string
  scans(): ScanList
  dso(answering: Member): DsoInfo
  instanceNames(): InstanceNames
}

/** How a node's sight of the world differs from that of one that is up to date. */
export interface Sight {
  /** How far its copy of the ledger is behind. */
  readonly lagMs: number
  /** How far its clock is ahead (behind, if negative). */
  readonly skewMs: number
  readonly collation: Collation
}

export const clearSight: Sight = { lagMs: 0, skewMs: 0, collation: 'linguistic' }

/** The honest view of a node with that sight. */
export function worldView(
  world: World,
  clock: Clock,
  { lagMs, skewMs, collation }: Sight = clearSight,
): View {
  const seesNow = () => {
    const wall = clock.wall()
    const ingested = microsOf(wall - lagMs)
    const now = microsOf(wall + skewMs)
    return ({ from, until, expiresAt }: Version) => from <= ingested && ingested < until && expiresAt >= now
  }
  const synthetic = new Map(world.synthetic.map((entry) => [entry.name, entry]))
  const syntheticByParty = new Map(world.synthetic.map((entry) => [entry.user, entry]))
  const addressable = new RegExp(`^(dso|[a-zA-Z0-9_-]+\\.sv)\\.${RegExp.escape(world.acronym)}$`)

  return {
    initialised: true,
    entryByName(name) {
      const made = synthetic.get(name)
      if (made !== undefined && addressable.test(name)) return made
      return world.versionsOf(name).find(seesNow())?.entry
    },
    entryByParty(party) {
      const sees = seesNow()
      return (
        syntheticByParty.get(party) ??
        world.sorted(collation).find((version) => version.entry.user === party && sees(version))?.entry
      )
    },
    entries(prefix, limit) {
      const sees = seesNow()
      const found: AnsEntry[] = []
      for (const version of world.sorted(collation)) {
        if (found.length === limit) return found
        if (version.entry.name.startsWith(prefix) && sees(version)) found.push(version.entry)
      }
      const made = world.synthetic.filter(({ name }) => name.startsWith(prefix))
      return [...found, ...made.slice(0, limit - found.length)]
    },
    ansRules: () => world.ansRules,
    amuletRules: () => world.amuletRules,
    dsoParty: () => world.dsoParty,
    scans: () => ({
      scans: [
        {
          domainId: world.synchronizer,
          scans: world.membersByParty().map(({ name, url }) => ({ publicUrl: url, svName: name })),
        },
      ],
    }),
    dso: ({ name, party }) => ({
      sv_user: `${name}-ledger-api-user`,
      sv_party_id: party,
      dso_party_id: world.dsoParty,
      voting_threshold: governanceThreshold(world.members.length),
      latest_mining_round: world.latestMiningRound,
      amulet_rules: world.amuletRules,
      dso_rules: world.dsoRules,
      sv_node_states: world.svNodeStates,
      initial_round: '0',
    }),
    instanceNames: () => ({
      network_name: 'Splice Localnet',
      network_favicon_url: 'https://localnet.example/favicon.ico',
      amulet_name: 'Amulet',
      amulet_name_acronym: 'AMT',
      name_service_name: 'Localnet Name Service',
      name_service_name_acronym: world.acronym.toUpperCase(),
    }),
  }
}
