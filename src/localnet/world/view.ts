import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import type { Annals } from './annals.ts'
import type { ContractWithState } from './contract.ts'
import type { History } from './history.ts'
import { type AnsEntry, byParty, governanceThreshold, type Member, type Network } from './network.ts'
import { type NodeTraits, type Registry, usualTraits } from './registry.ts'
import type { Snapshots } from './snapshots.ts'
import type { World } from './world.ts'

interface ScanList {
  readonly scans: readonly {
    readonly domainId: string
    readonly scans: readonly { readonly publicUrl: string; readonly svName: string }[]
  }[]
}

type DsoInfo = ReturnType<typeof dsoInfo>

/**
 * The content from which one scan node answers. A fault can replace it with false content. Methods
 * reject if the ledger cannot be read.
 */
export interface View {
  readonly initialised: boolean
  entryByName(name: string): MaybePromise<AnsEntry | undefined>
  /** Of several entries of a user, this returns the first one by name. */
  entryByParty(party: string): MaybePromise<AnsEntry | undefined>
  /**
   * Returns first the entries of users, sorted by name, and then those of the DSO and the super
   * validators.
   */
  entries(prefix: string, limit: number): MaybePromise<readonly AnsEntry[]>
  ansRules(): MaybePromise<ContractWithState | undefined>
  amuletRules(): MaybePromise<ContractWithState | undefined>
  dsoParty(): string
  scans(): ScanList
  dso(answering: Member): MaybePromise<DsoInfo | undefined>
  instanceNames(): object
  history(): History
  snapshots(): Snapshots
  participants(party: string): MaybePromise<readonly string[]>
  annals(): MaybePromise<Annals>
}

export interface WorldView extends View {
  entryByName(name: string): AnsEntry | undefined
  entryByParty(party: string): AnsEntry | undefined
  entries(prefix: string, limit: number): readonly AnsEntry[]
  ansRules(): ContractWithState
  amuletRules(): ContractWithState
  dso(answering: Member): DsoInfo
  annals(): Annals
}

export function worldView(world: World): WorldView {
  return honestView(world, world, usualTraits) as WorldView
}

export function honestView(network: Network, registry: Registry, traits: NodeTraits): View {
  const synthetic = new Map(network.synthetic.map((entry) => [entry.name, entry]))
  const syntheticByParty = new Map(network.synthetic.map((entry) => [entry.user, entry]))
  const addressable = new RegExp(`^(dso|[a-zA-Z0-9_-]+\\.sv)\\.${RegExp.escape(network.acronym)}$`)

  return {
    initialised: true,
    entryByName(name) {
      const made = synthetic.get(name)
      if (made !== undefined && addressable.test(name)) return made
      return registry.userEntryByName(name, traits)
    },
    entryByParty: (party) => syntheticByParty.get(party) ?? registry.userEntryByParty(party, traits),
    entries: (prefix, limit) =>
      whenKnown(registry.userEntries(prefix, limit, traits), (found) => {
        const made = network.synthetic.filter(({ name }) => name.startsWith(prefix))
        return [...found, ...made.slice(0, limit - found.length)]
      }),
    ansRules: () => registry.ansRulesIn(traits),
    amuletRules: () => registry.amuletRulesIn(traits),
    dsoParty: () => network.dsoParty,
    scans: () => ({
      scans: [
        {
          domainId: network.synchronizer,
          scans: byParty(network.members).map(({ name, url }) => ({ publicUrl: url, svName: name })),
        },
      ],
    }),
    dso: (answering) =>
      whenKnown(registry.latestMiningRoundIn(traits), (round) =>
        whenKnown(
          registry.amuletRulesIn(traits),
          (rules) => round && rules && dsoInfo(network, answering, round, rules),
        ),
      ),
    history: () => registry.historyIn(traits),
    snapshots: () => registry.snapshotsIn(traits),
    participants: (party) => registry.participantsIn(party, traits),
    annals: () => registry.annalsIn(traits),
    instanceNames: () => ({
      network_name: 'Splice Localnet',
      network_favicon_url: 'https://localnet.example/favicon.ico',
      amulet_name: 'Amulet',
      amulet_name_acronym: 'AMT',
      name_service_name: 'Localnet Name Service',
      name_service_name_acronym: network.acronym.toUpperCase(),
    }),
  }
}

function dsoInfo(
  network: Network,
  { name, party }: Member,
  latestMiningRound: ContractWithState,
  amuletRules: ContractWithState,
) {
  return {
    sv_user: `${name}-ledger-api-user`,
    sv_party_id: party,
    dso_party_id: network.dsoParty,
    voting_threshold: governanceThreshold(network.members.length),
    latest_mining_round: latestMiningRound,
    amulet_rules: amuletRules,
    dso_rules: network.dsoRules,
    sv_node_states: network.svNodeStates,
    initial_round: '0',
  }
}
