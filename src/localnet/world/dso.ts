import type { Contract } from './contract.ts'
import { isoTime, type Micros } from './instant.ts'
import { currentIssuance, transferConfig } from './rules.ts'

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

export function dsoRules({ dso, synchronizer, members }: DsoFacts): Contract['payload'] {
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

export interface Sequencer {
  readonly migrationId: number
  readonly synchronizerSerial: number | null
  readonly id: string
  readonly url: string
  readonly svName: string
  readonly availableAfter: string
}

export function sequencerOf({ name, participant, url }: Member, since: Micros): Sequencer {
  return {
    migrationId: 0,
    synchronizerSerial: null,
    id: participant.replace('PAR::', 'SEQ::'),
    url: `http://sequencer.${name}.${new URL(url).hostname}`,
    svName: name,
    availableAfter: isoTime(since),
  }
}

export function svNodeState(
  { dso, synchronizer }: DsoFacts,
  member: Member,
  since: Micros,
): Contract['payload'] {
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
    opensAt: isoTime(opensAt),
    targetClosesAt: isoTime(opensAt + 1_200_000_000),
    issuingFor: { microseconds: String(round * 600_000_000) },
    transferConfigUsd: transferConfig,
    issuanceConfig: currentIssuance,
    tickDuration: { microseconds: '600000000' },
  }
}
