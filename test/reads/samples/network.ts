import {
  alice,
  amuletRules,
  assigned,
  aTime,
  contractOf,
  dso,
  openRound,
  participant,
  synchronizer,
} from './contracts.ts'

const license = contractOf('Splice.ValidatorLicense:ValidatorLicense', { dso, validator: alice })
const voteRequest = contractOf('Splice.DsoRules:VoteRequest', { dso, requester: 'sv-1', votes: [] })
const round = openRound(7)

export const networkSamples = {
  getDsoPartyId: { params: {}, reply: { dso_party_id: dso } },
  listDsoScans: {
    params: {},
    reply: {
      scans: [
        { domainId: synchronizer, scans: [{ publicUrl: 'https://scan.sv-1.example', svName: 'SV-One' }] },
      ],
    },
  },
  getAmuletRules: { params: {}, reply: { amulet_rules_update: amuletRules } },
  getDsoInfo: {
    params: {},
    reply: {
      sv_user: 'sv-1-user',
      sv_party_id: alice,
      dso_party_id: dso,
      voting_threshold: 3,
      latest_mining_round: round,
      amulet_rules: amuletRules,
      dso_rules: assigned('Splice.DsoRules:DsoRules', { dso, svs: [] }),
      sv_node_states: [assigned('Splice.DSO.SvState:SvNodeState', { dso, sv: alice })],
      initial_round: '0',
    },
  },
  getOpenAndIssuingMiningRounds: {
    params: {},
    reply: {
      time_to_live_in_microseconds: 600_000_000,
      open_mining_rounds: { [round.contract.contract_id]: round },
      issuing_mining_rounds: {},
    },
  },
  getClosedRounds: {
    params: {},
    reply: { rounds: [contractOf('Splice.Round:ClosedMiningRound', { dso, round: { number: '3' } })] },
  },
  getAmuletConfigForRound: {
    params: { round: '3' },
    reply: {
      amulet_create_fee: '0.0000000000',
      holding_fee: '0.0000190259',
      lock_holder_fee: '0.0000000000',
      transfer_fee: { initial: '0.0000000000', steps: [{ amount: '100.0000000000', rate: '0.0000000000' }] },
    },
  },
  getExternalPartyAmuletRules: {
    params: {},
    reply: {
      external_party_amulet_rules_update: assigned(
        'Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules',
        { dso },
      ),
    },
  },
  getMigrationId: { params: {}, reply: { migration_id: 1 } },
  getLsu: {
    params: {},
    reply: {
      lsu: { topologyFreezeTime: aTime, upgradeTime: aTime, successorPhysicalSynchronizerId: synchronizer },
    },
  },
  getMigrationSchedule: { params: {}, reply: { time: aTime, migration_id: 2 } },
  getSpliceInstanceNames: {
    params: {},
    reply: {
      network_name: 'Splice',
      network_favicon_url: 'https://example.org/favicon.ico',
      amulet_name: 'Amulet',
      amulet_name_acronym: 'AMT',
      name_service_name: 'Amulet Name Service',
      name_service_name_acronym: 'ANS',
    },
  },
  listDsoSequencers: {
    params: {},
    reply: {
      domainSequencers: [
        {
          domainId: synchronizer,
          sequencers: [
            {
              migrationId: 1,
              synchronizerSerial: null,
              id: `SEQ::sequencer::1220${'e'.repeat(64)}`,
              url: 'https://sequencer.sv-1.example',
              svName: 'SV-One',
              availableAfter: aTime,
            },
          ],
        },
      ],
    },
  },
  getPartyToParticipant: {
    params: { domain_id: synchronizer, party_id: alice },
    reply: { participant_id: participant },
  },
  getPartyToParticipantV1: {
    params: { domain_id: synchronizer, party_id: alice },
    reply: { participant_ids: [participant] },
  },
  getValidatorFaucetsByValidator: {
    params: { validator_ids: JSON.stringify([alice]) },
    reply: {
      validatorsReceivedFaucets: [
        {
          validator: alice,
          numRoundsCollected: 5,
          numRoundsMissed: 1,
          firstCollectedInRound: 1,
          lastCollectedInRound: 7,
        },
      ],
    },
  },
  listValidatorLicenses: {
    params: { limit: '10' },
    reply: { validator_licenses: [license], next_page_token: null },
  },
  lookupDsoRulesVoteRequest: {
    params: { vote_request_contract_id: voteRequest.contract_id },
    reply: { dso_rules_vote_request: voteRequest },
  },
  listDsoRulesVoteRequests: { params: {}, reply: { dso_rules_vote_requests: [voteRequest] } },
  listVoteRequestsByTrackingCid: {
    params: { body: JSON.stringify({ vote_request_contract_ids: [voteRequest.contract_id] }) },
    reply: { vote_requests: [voteRequest] },
  },
  listAmuletPriceVotes: {
    params: {},
    reply: {
      amulet_price_votes: [
        contractOf('Splice.DSO.AmuletPrice:AmuletPriceVote', { dso, sv: alice, amuletPrice: '0.005' }),
      ],
    },
  },
  listVoteRequestResults: {
    params: { body: '{"limit":10}' },
    reply: {
      dso_rules_vote_results: [{ request: voteRequest.payload, completedAt: aTime }],
      next_page_token: null,
    },
  },
  countVoteRequestResults: { params: { body: '{}' }, reply: { count: 1 } },
  getPreviousSvRewardWeight: {
    params: { body: JSON.stringify({ svParty: alice }) },
    reply: { rewardWeight: '10000' },
  },
  getRewardAccountingActivityTotals: {
    params: { round_number: '7' },
    reply: {
      status: 'Ok',
      round_number: 7,
      total_app_activity_weight: 12,
      active_parties_count: 2,
      activity_records_count: 4,
      total_app_reward_minting_allowance: '10.0000000000',
      total_app_reward_thresholded: '1.0000000000',
      total_app_reward_unclaimed: '0.0000000000',
      rewarded_app_provider_parties_count: 2,
    },
  },
  getRewardAccountingRootHash: {
    params: { round_number: '7' },
    reply: { status: 'Ok', round_number: 7, root_hash: 'f'.repeat(64) },
  },
  getRewardAccountingBatch: {
    params: { round_number: '7', batch_hash: 'f'.repeat(64) },
    reply: {
      batch_type: 'BatchOfMintingAllowances',
      minting_allowances: [{ provider: alice, amount: '5.0' }],
    },
  },
} as const
