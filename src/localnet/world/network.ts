import { timeOf } from '../../registry/ledger/daml/time.ts'
import { issuanceCurve, transferConfig } from '../../registry/ledger/initial-rules.ts'
import { byCodePoint } from './collation.ts'
import {
  type Contract,
  type ContractWithState,
  createContract,
  type Identifiers,
  type Micros,
} from './contract.ts'

/** An entry in the schema `AnsEntry` of Splice's scan.yaml, with the keys in Splice's order. */
export interface AnsEntry {
  readonly contract_id: string | null
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string | null
}

/**
 * The entry that Splice makes up for the DSO or a super validator, without a contract and without
 * an expiry.
 */
function syntheticEntry(name: string, user: string): AnsEntry {
  return { contract_id: null, user, name, url: '', description: '', expires_at: null }
}

export interface Member {
  readonly name: string
  readonly party: string
  readonly participant: string
  readonly url: string
}

/**
 * Returns Splice's governance threshold, ceil((n + f + 1) / 2), where f = floor((n - 1) / 3)
 * members may be faulty.
 */
export function governanceThreshold(members: number): number {
  const tolerated = Math.floor((members - 1) / 3)
  return Math.ceil((members + tolerated + 1) / 2)
}

export interface DsoFacts {
  readonly dso: string
  readonly synchronizer: string
  readonly members: readonly Member[]
}

function dsoRules({ dso, synchronizer, members }: DsoFacts): Contract['payload'] {
  return {
    dso,
    epoch: '0',
    svs: members.map(({ name, party, participant }) => [
      party,
      { name, joinedAsOfRound: { number: '0' }, svRewardWeight: '10000', participantId: participant },
    ]),
    offboardedSvs: [],
    dsoDelegate: members[0]?.party ?? dso,
    config: {
      numUnclaimedRewardsThreshold: '10',
      numMemberTrafficContractsThreshold: '5',
      actionConfirmationTimeout: { microseconds: '3600000000' },
      svOnboardingRequestTimeout: { microseconds: '3600000000' },
      svOnboardingConfirmedTimeout: { microseconds: '3600000000' },
      voteRequestTimeout: { microseconds: '604800000000' },
      dsoDelegateInactiveTimeout: { microseconds: '70000000' },
      synchronizerNodeConfigLimits: {
        cometBft: {
          maxNumCometBftNodes: '2',
          maxNumGovernanceKeys: '2',
          maxNumSequencingKeys: '2',
          maxNodeIdLength: '50',
          maxPubKeyLength: '256',
        },
      },
      maxTextLength: '1024',
      decentralizedSynchronizer: {
        synchronizers: [
          [
            synchronizer,
            {
              state: 'DS_Operational',
              cometBftGenesisJson: '',
              acsCommitmentReconciliationInterval: '1800',
            },
          ],
        ],
        lastSynchronizerId: synchronizer,
        activeSynchronizerId: synchronizer,
      },
      nextScheduledSynchronizerUpgrade: null,
      voteCooldownTime: null,
      voteExecutionInstructionTimeout: null,
    },
    initialTrafficState: [],
    isDevNet: true,
  }
}

export function sequencerOf({ name, participant, url }: Member, since: Micros) {
  return {
    migrationId: 0,
    synchronizerSerial: null,
    id: participant.replace('PAR::', 'SEQ::'),
    url: `http://sequencer.${name}.${new URL(url).hostname}`,
    svName: name,
    availableAfter: timeOf(since),
  }
}

function svNodeState({ dso, synchronizer }: DsoFacts, member: Member, since: Micros): Contract['payload'] {
  const { id: sequencerId, url, availableAfter } = sequencerOf(member, since)
  return {
    dso,
    sv: member.party,
    svName: member.name,
    state: {
      synchronizerNodes: [
        [
          synchronizer,
          {
            cometBft: { nodes: [], governanceKeys: [], sequencingKeys: [] },
            sequencer: {
              migrationId: '0',
              sequencerId,
              url,
              availableAfter,
            },
            mediator: { mediatorId: member.participant.replace('PAR::', 'MED::') },
            scan: { publicUrl: member.url },
            legacySequencerConfig: null,
          },
        ],
      ],
    },
  }
}

export function openMiningRound(dso: string, round: number, opensAt: Micros): Contract['payload'] {
  return {
    dso,
    round: { number: String(round) },
    amuletPrice: '0.005',
    opensAt: timeOf(opensAt),
    targetClosesAt: timeOf(opensAt + 1_200_000_000),
    issuingFor: { microseconds: String(round * 600_000_000) },
    transferConfigUsd: transferConfig,
    issuanceConfig: issuanceCurve.initialValue,
    tickDuration: { microseconds: '600000000' },
  }
}

export const migrationId = 0
const minute = 60_000_000

export interface NetworkOptions {
  readonly seed: number
  readonly acronym: string
  readonly superValidators: readonly { readonly name: string; readonly url: string }[]
}

export interface Founding extends Pick<Network, 'startedAt' | 'dsoParty' | 'synchronizer'> {
  readonly foundedAt: Micros
}

/** A network has the facts that are the same for all nodes. Its super validators are made up. */
export class Network {
  readonly acronym: string
  readonly startedAt: Micros
  readonly dsoParty: string
  readonly synchronizer: string
  readonly members: readonly Member[]
  readonly facts: DsoFacts
  readonly synthetic: readonly AnsEntry[]
  readonly dsoRules: ContractWithState
  readonly svNodeStates: readonly ContractWithState[]

  constructor(
    identifiers: Identifiers,
    { acronym, superValidators }: NetworkOptions,
    { startedAt, dsoParty, synchronizer, foundedAt }: Founding,
  ) {
    this.acronym = acronym
    this.startedAt = startedAt
    this.dsoParty = dsoParty
    this.synchronizer = synchronizer
    this.members = superValidators.map(({ name, url }) => ({
      name,
      url,
      party: identifiers.unique(name),
      participant: `PAR::${identifiers.unique(name)}`,
    }))
    this.facts = { dso: dsoParty, synchronizer, members: byParty(this.members) }
    this.synthetic = [
      syntheticEntry(`dso.${acronym}`, dsoParty),
      ...this.facts.members.map(({ name, party }) =>
        syntheticEntry(`${name.toLowerCase()}.sv.${acronym}`, party),
      ),
    ]
    const createdAt = foundedAt + minute
    this.dsoRules = assignedContract(identifiers, this, {
      template: 'Splice.DsoRules:DsoRules',
      payload: dsoRules(this.facts),
      createdAt,
    })
    this.svNodeStates = this.facts.members.map((member) =>
      assignedContract(identifiers, this, {
        template: 'Splice.DSO.SvState:SvNodeState',
        payload: svNodeState(this.facts, member, foundedAt),
        createdAt,
      }),
    )
  }
}

export function byParty(members: readonly Member[]): readonly Member[] {
  return members.toSorted((a, b) => byCodePoint(a.party, b.party))
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
