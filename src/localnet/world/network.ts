import { byCodePoint } from './collation.ts'
import { type Contract, type ContractWithState, createContract } from './contract.ts'
import { type DsoFacts, dsoRules, type Member, svNodeState } from './dso.ts'
import { type AnsEntry, syntheticEntry } from './entry.ts'
import type { Identifiers } from './identifiers.ts'
import type { Micros } from './instant.ts'

export const migrationId = 0

export interface NetworkOptions {
  readonly acronym: string
  readonly superValidators: readonly { readonly name: string; readonly url: string }[]
}

export interface Network {
  readonly acronym: string
  readonly startedAt: Micros
  readonly dsoParty: string
  readonly synchronizer: string
  readonly members: readonly Member[]
  readonly synthetic: readonly AnsEntry[]
  readonly dsoRules: ContractWithState
  readonly svNodeStates: readonly ContractWithState[]
}

export function membersOf(
  identifiers: Identifiers,
  { superValidators }: Pick<NetworkOptions, 'superValidators'>,
): readonly Member[] {
  return superValidators.map(({ name, url }) => ({
    name,
    url,
    party: identifiers.unique(name),
    participant: `PAR::${identifiers.unique(name)}`,
  }))
}

export function byParty(members: readonly Member[]): readonly Member[] {
  return members.toSorted((a, b) => byCodePoint(a.party, b.party))
}

export function syntheticEntries(acronym: string, { dso, members }: DsoFacts): readonly AnsEntry[] {
  return [
    syntheticEntry(`dso.${acronym}`, dso),
    ...members.map(({ name, party }) => syntheticEntry(`${name.toLowerCase()}.sv.${acronym}`, party)),
  ]
}

interface AssignedContract {
  readonly template: string
  readonly payload: Contract['payload']
  readonly createdAt: Micros
}

/**
 * Makes a contract that is assigned to the synchronizer. Its creation time is random, in the second
 * after `createdAt`.
 */
export function assignedContract(
  identifiers: Identifiers,
  { synchronizer }: Pick<Network, 'synchronizer'>,
  { template, payload, createdAt }: AssignedContract,
): ContractWithState {
  const templateId = `${identifiers.hex(64)}:${template}`
  const created = createdAt + identifiers.between(1, 999_999)
  return { contract: createContract(identifiers, templateId, payload, created), domain_id: synchronizer }
}

const minute = 60_000_000

export function dsoRulesOf(identifiers: Identifiers, facts: DsoFacts, founded: Micros): ContractWithState {
  return assignedContract(identifiers, facts, {
    template: 'Splice.DsoRules:DsoRules',
    payload: dsoRules(facts),
    createdAt: founded + minute,
  })
}

export function svNodeStatesOf(
  identifiers: Identifiers,
  facts: DsoFacts,
  founded: Micros,
): readonly ContractWithState[] {
  return facts.members.map((member) =>
    assignedContract(identifiers, facts, {
      template: 'Splice.DSO.SvState:SvNodeState',
      payload: svNodeState(facts, member, founded),
      createdAt: founded + minute,
    }),
  )
}

/**
 * Returns the participants that host each party. The participants of all super validators host the
 * DSO.
 * @param validator the participant that hosts `parties`.
 */
export function hostsOf(
  { dso, members }: DsoFacts,
  parties: readonly string[],
  validator: string,
): ReadonlyMap<string, readonly string[]> {
  return new Map<string, readonly string[]>([
    ...parties.map((party) => [party, [validator]] as const),
    ...members.map(({ party, participant }) => [party, [participant]] as const),
    [dso, members.map(({ participant }) => participant)] as const,
  ])
}
