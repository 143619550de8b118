import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import type { ContractWithState } from './contract.ts'
import { byParty, governanceThreshold, type Member, type Network } from './network.ts'
import type { NodeTraits, NodeView, SeenNetwork } from './node-view.ts'
import type { World } from './world.ts'

type DsoInfo = ReturnType<typeof dsoInfo>

/**
 * The content from which one scan node answers. A fault can replace it with false content. Methods
 * reject if the ledger cannot be read. The entries of the DSO and of the super validators follow those
 * of users.
 */
export interface View extends NodeView {
  readonly initialised: boolean
  dsoParty(): string
  scans(): ReturnType<typeof scanList>
  dso(answering: Member): MaybePromise<DsoInfo | undefined>
  instanceNames(): object
}

/** A made-up world is in memory, so nothing of it has to be awaited. */
export type WorldView = ReturnType<World['seenBy']> & { dso(answering: Member): DsoInfo } & View

export function honestView(network: SeenNetwork, traits: NodeTraits): View {
  const seen = network.seenBy(traits)
  const synthetic = new Map(network.synthetic.map((entry) => [entry.name, entry]))
  const syntheticByParty = new Map(network.synthetic.map((entry) => [entry.user, entry]))
  const addressable = new RegExp(`^(dso|[a-zA-Z0-9_-]+\\.sv)\\.${RegExp.escape(network.acronym)}$`)

  return {
    ...seen,
    initialised: true,
    entryByName(name) {
      const made = synthetic.get(name)
      return made !== undefined && addressable.test(name) ? made : seen.entryByName(name)
    },
    entryByParty: (party) => syntheticByParty.get(party) ?? seen.entryByParty(party),
    entries: (prefix, limit) =>
      whenKnown(seen.entries(prefix, limit), (found) => {
        const made = network.synthetic.filter(({ name }) => name.startsWith(prefix))
        return [...found, ...made.slice(0, limit - found.length)]
      }),
    dsoParty: () => network.dsoParty,
    scans: () => scanList(network),
    dso: (answering) =>
      whenKnown(seen.annals(), ({ openRounds }) =>
        whenKnown(seen.amuletRules(), (rules) => {
          const round = openRounds.at(-1)
          return round && rules && dsoInfo(network, answering, round, rules)
        }),
      ),
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

function scanList({ synchronizer: domainId, members }: Network) {
  const scans = byParty(members).map(({ name, url }) => ({ publicUrl: url, svName: name }))
  return { scans: [{ domainId, scans }] }
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
