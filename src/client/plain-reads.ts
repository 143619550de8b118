// Written by .ci/generate-client.ts from src/reads/table.ts.
import type { ReadId } from '../reads/table.ts'
import type { PlainRead } from './plain-read.ts'

const shared1 = [{ name: 'party', in: 'path', required: true, kind: 'party' }] as const
const shared2 = [{ name: 'allocationId', in: 'path', required: true, kind: 'text' }] as const
const shared3 = { name: 'round_number', in: 'path', required: true, kind: 'integer' } as const
const shared4 = { name: 'migration_id', in: 'query', required: true, kind: 'integer' } as const
const shared5 = [shared3] as const
const shared6 = [{ name: 'provider_party_id', in: 'path', required: true, kind: 'party' }] as const
const shared7 = { name: 'daml_value_encoding', in: 'query', required: false, kind: 'text' } as const
const shared8 = [{ name: 'transferInstructionId', in: 'path', required: true, kind: 'text' }] as const
const shared9 = [{ name: 'allocationInstructionId', in: 'path', required: true, kind: 'text' }] as const
const shared10 = { optional: { nullable: { refused: 'Use /v2, whose tokens go on with a page.' } } } as const
const shared11 = {
  optional: { nullable: { atMost: 1000, of: { atLeast: 1, of: { list: 'party' } } } },
} as const
const shared12 = {
  optional: { nullable: { atMost: 1000, of: { list: { atMost: 2066, of: 'string' } } } },
} as const
const shared13 = {
  object: { choiceArguments: 'json object', excludeDebugFields: { optional: { nullable: 'boolean' } } },
} as const
const shared14 = {
  object: {
    meta: { optional: { nullable: { record: 'string' } } },
    excludeDebugFields: { optional: { nullable: 'boolean' } },
  },
} as const
const shared15 = [
  { name: 'domain_id', in: 'path', required: true, kind: 'text' },
  { name: 'party_id', in: 'path', required: true, kind: 'party' },
] as const
const shared16 = [{ name: 'update_id', in: 'path', required: true, kind: 'text' }, shared7] as const
const shared17 = {
  contract: {
    object: {
      template_id: 'string',
      contract_id: 'string',
      payload: 'json object',
      created_event_blob: 'string',
      created_at: 'time',
    },
  },
} as const
const shared18 = { list: shared17 } as const
const shared19 = { object: { featured_apps: shared18 } } as const
const shared20 = {
  object: {
    choiceContextData: 'json object',
    disclosedContracts: {
      list: {
        object: {
          templateId: 'string',
          contractId: 'string',
          createdEventBlob: 'string',
          synchronizerId: 'string',
        },
      },
    },
  },
} as const
const shared21 = {
  object: {
    contract_id: { default: null, of: { nullable: 'string' } },
    user: 'party',
    name: 'string',
    url: 'string',
    description: 'string',
    expires_at: { default: null, of: { nullable: 'time' } },
  },
} as const
const shared22 = { object: { featured_app_right: { default: null, of: { nullable: shared17 } } } } as const
const shared23 = { object: { entry: shared21 } } as const
const shared24 = {
  object: { contract: shared17, domain_id: { default: null, of: { nullable: 'string' } } },
} as const
const shared25 = { list: shared24 } as const
const shared26 = {
  object: {
    after: {
      optional: { nullable: { object: { after_migration_id: 'integer', after_record_time: 'instant' } } },
    },
    page_size: 'page size',
    daml_value_encoding: { optional: { nullable: { oneOf: ['compact_json', 'protobuf_json'] } } },
  },
} as const
const shared27 = { record: shared24 } as const
const shared28 = { object: { factoryId: 'string', choiceContext: shared20 } } as const
const shared29 = {
  object: {
    event_type: { oneOf: ['created_event'] },
    event_id: 'string',
    contract_id: 'string',
    template_id: 'string',
    package_name: 'string',
    create_arguments: 'json object',
    created_at: 'time',
    signatories: { set: 'string' },
    observers: { set: 'string' },
  },
} as const
const shared30 = { object: { factoryId: 'string', transferKind: 'string', choiceContext: shared20 } } as const
const shared31 = {
  list: {
    object: {
      created_in_update_id: { default: null, of: { nullable: 'string' } },
      contract_id: 'string',
      template_id: 'string',
      package_name: 'string',
      create_arguments: 'json object',
      created_at: 'time',
      signatories: { set: 'string' },
      observers: { set: 'string' },
    },
  },
} as const
const shared32 = {
  object: {
    migration_id: 'integer',
    record_time: 'instant',
    record_time_match: { optional: { nullable: { oneOf: ['exact', 'at_or_before'] } } },
    owner_party_ids: { atMost: 1000, of: { atLeast: 1, of: { list: 'party' } } },
    after: shared10,
    page_size: 'page size',
  },
} as const
const shared33 = {
  object: {
    record_time: 'time',
    migration_id: 'integer',
    created_events: { list: shared29 },
    next_page_token: { default: null, of: { nullable: 'integer' } },
  },
} as const
const shared34 = {
  object: {
    record_time: 'time',
    migration_id: 'integer',
    created_events: shared31,
    next_page_token: { default: null, of: { nullable: 'string' } },
  },
} as const
const shared35 = {
  object: {
    record_time: 'time',
    migration_id: 'integer',
    created_events: shared31,
    next_page_token: { default: null, of: { nullable: 'integer' } },
  },
} as const
const shared36 = {
  object: {
    migration_id: 'integer',
    record_time: 'instant',
    record_time_match: { optional: { nullable: { oneOf: ['exact', 'at_or_before'] } } },
    party_ids: shared11,
    templates: shared12,
    after: shared10,
    page_size: 'page size',
  },
} as const
const shared37 = {
  object: {
    id: 'string',
    name: 'string',
    symbol: 'string',
    totalSupply: { default: null, of: { nullable: 'string' } },
    totalSupplyAsOf: { default: null, of: { nullable: 'time' } },
    decimals: { default: 10, of: 'integer' },
    paused: { default: false, of: { nullable: 'boolean' } },
    pauseInfo: {
      default: null,
      of: {
        nullable: {
          object: {
            reason: { default: null, of: { nullable: 'string' } },
            until: { default: null, of: { nullable: 'time' } },
          },
        },
      },
    },
    supportedApis: { record: 'integer' },
    showAccountInputFields: { default: false, of: { nullable: 'boolean' } },
    accountInputFieldsToShow: { default: null, of: { nullable: { list: 'string' } } },
  },
} as const
const shared38 = {
  record: {
    firstOf: [
      {
        firstOf: [
          shared29,
          {
            object: {
              event_type: { oneOf: ['exercised_event'] },
              event_id: 'string',
              contract_id: 'string',
              template_id: 'string',
              package_name: 'string',
              choice: 'string',
              choice_argument: 'json',
              child_event_ids: { list: 'string' },
              exercise_result: 'json',
              consuming: 'boolean',
              acting_parties: { set: 'string' },
              interface_id: { default: null, of: { nullable: 'string' } },
            },
          },
        ],
      },
      'other tree event',
    ],
  },
} as const
const shared39 = {
  object: {
    update_id: 'string',
    offset: { constant: '000000000000000001', of: 'string' },
    record_time: 'time',
    event: {
      firstOf: [
        {
          object: {
            submitter: 'string',
            source_synchronizer: 'string',
            target_synchronizer: 'string',
            migration_id: 'integer',
            unassign_id: 'string',
            created_event: shared29,
            reassignment_counter: 'integer',
          },
        },
        {
          object: {
            submitter: 'string',
            source_synchronizer: 'string',
            migration_id: 'integer',
            target_synchronizer: 'string',
            unassign_id: 'string',
            reassignment_counter: 'integer',
            contract_id: 'string',
          },
        },
        'other reassignment',
      ],
    },
  },
} as const
const shared40 = {
  firstOf: [
    {
      object: {
        update_id: 'string',
        migration_id: 'integer',
        workflow_id: 'string',
        record_time: 'time',
        synchronizer_id: 'string',
        effective_at: 'time',
        root_event_ids: { list: 'string' },
        events_by_id: shared38,
        external_transaction_hash: { optional: 'string' },
      },
    },
    shared39,
    'other update',
  ],
} as const
const shared41 = {
  firstOf: [
    {
      object: {
        update_id: 'string',
        migration_id: 'integer',
        workflow_id: 'string',
        record_time: 'time',
        synchronizer_id: 'string',
        effective_at: 'time',
        root_event_ids: { list: 'string' },
        events_by_id: shared38,
        external_transaction_hash: { optional: 'string' },
        offset: { constant: '000000000000000001', of: 'string' },
      },
    },
    shared39,
    'other update',
  ],
} as const
const shared42 = { object: { transactions: { list: shared41 } } } as const
const shared43 = {
  firstOf: [
    'other history item',
    {
      object: {
        update: { default: null, of: { nullable: shared40 } },
        verdict: {
          default: null,
          of: {
            nullable: {
              object: {
                update_id: 'string',
                migration_id: 'integer',
                domain_id: 'string',
                record_time: 'time',
                finalization_time: { constant: '1970-01-01T00:00:00Z', of: 'string' },
                submitting_parties: { set: 'string' },
                submitting_participant_uid: 'string',
                verdict_result: 'string',
                mediator_group: 'integer',
                round_number: { default: null, of: { nullable: { constant: null, of: 'integer' } } },
                transaction_views: {
                  object: {
                    views: {
                      list: {
                        object: {
                          view_id: 'integer',
                          informees: { set: 'string' },
                          confirming_parties: {
                            list: { object: { parties: { set: 'string' }, threshold: 'integer' } },
                          },
                          sub_views: { list: 'integer' },
                          view_hash: { constant: '', of: 'string' },
                        },
                      },
                    },
                    root_views: { list: 'integer' },
                  },
                },
              },
            },
          },
        },
        traffic_summary: {
          default: null,
          of: {
            nullable: {
              constant: null,
              of: {
                object: {
                  total_traffic_cost: 'integer',
                  envelope_traffic_summaries: {
                    list: { object: { traffic_cost: 'integer', view_ids: { list: 'integer' } } },
                  },
                },
              },
            },
          },
        },
        app_activity_records: {
          default: null,
          of: {
            nullable: {
              constant: null,
              of: {
                object: {
                  round_number: 'integer',
                  records: { list: { object: { party: 'string', weight: 'integer' } } },
                },
              },
            },
          },
        },
      },
    },
  ],
} as const

export const plainReads: Readonly<Record<ReadId, PlainRead>> = {
  listAnsEntries: {
    method: 'GET',
    path: '/api/scan/v0/ans-entries',
    params: [
      { name: 'name_prefix', in: 'query', required: false, kind: 'text' },
      { name: 'page_size', in: 'query', required: true, kind: 'page size' },
    ],
    reply: { object: { entries: { list: shared21 } } },
  },
  lookupAnsEntryByName: {
    method: 'GET',
    path: '/api/scan/v0/ans-entries/by-name/{name}',
    params: [{ name: 'name', in: 'path', required: true, kind: 'text' }],
    repeats: { member: ['entry', 'name'], param: 'name' },
    reply: shared23,
  },
  lookupAnsEntryByParty: {
    method: 'GET',
    path: '/api/scan/v0/ans-entries/by-party/{party}',
    params: shared1,
    repeats: { member: ['entry', 'user'], param: 'party' },
    reply: shared23,
  },
  getAnsRules: {
    method: 'POST',
    path: '/api/scan/v0/ans-rules',
    params: [],
    fixedBody: '{}',
    reply: { object: { ans_rules_update: shared24 } },
  },
  getDsoPartyId: {
    method: 'GET',
    path: '/api/scan/v0/dso-party-id',
    params: [],
    reply: { object: { dso_party_id: 'party' } },
  },
  listDsoScans: {
    method: 'GET',
    path: '/api/scan/v0/scans',
    params: [],
    reply: {
      object: {
        scans: {
          list: {
            object: {
              domainId: 'string',
              scans: { list: { object: { publicUrl: 'string', svName: 'string' } } },
            },
          },
        },
      },
    },
  },
  getAmuletRules: {
    method: 'POST',
    path: '/api/scan/v0/amulet-rules',
    params: [],
    fixedBody: '{}',
    reply: { object: { amulet_rules_update: shared24 } },
  },
  getDsoInfo: {
    method: 'GET',
    path: '/api/scan/v0/dso',
    params: [],
    reply: {
      object: {
        sv_user: 'string',
        sv_party_id: 'string',
        dso_party_id: 'party',
        voting_threshold: 'integer',
        latest_mining_round: shared24,
        amulet_rules: shared24,
        dso_rules: shared24,
        sv_node_states: shared25,
        initial_round: { default: null, of: { nullable: 'string' } },
      },
    },
  },
  getOpenAndIssuingMiningRounds: {
    method: 'POST',
    path: '/api/scan/v0/open-and-issuing-mining-rounds',
    params: [],
    fixedBody: '{"cached_open_mining_round_contract_ids":[],"cached_issuing_round_contract_ids":[]}',
    reply: {
      object: {
        time_to_live_in_microseconds: 'integer',
        open_mining_rounds: shared27,
        issuing_mining_rounds: shared27,
      },
    },
  },
  getClosedRounds: {
    method: 'GET',
    path: '/api/scan/v0/closed-rounds',
    params: [],
    reply: { object: { rounds: shared18 } },
  },
  getAmuletConfigForRound: {
    method: 'GET',
    path: '/api/scan/v0/amulet-config-for-round',
    params: [{ name: 'round', in: 'query', required: true, kind: 'integer' }],
    reply: {
      object: {
        amulet_create_fee: 'decimal',
        holding_fee: 'decimal',
        lock_holder_fee: 'decimal',
        transfer_fee: {
          object: { initial: 'decimal', steps: { list: { object: { amount: 'decimal', rate: 'decimal' } } } },
        },
      },
    },
  },
  getExternalPartyAmuletRules: {
    method: 'POST',
    path: '/api/scan/v0/external-party-amulet-rules',
    params: [],
    fixedBody: '{}',
    reply: { object: { external_party_amulet_rules_update: shared24 } },
  },
  getMigrationId: {
    method: 'GET',
    path: '/api/scan/v0/migrations/last',
    params: [],
    reply: { object: { migration_id: 'integer' } },
  },
  getLsu: {
    method: 'GET',
    path: '/api/scan/v0/lsu',
    params: [],
    reply: {
      object: {
        lsu: {
          default: null,
          of: {
            nullable: {
              object: {
                topologyFreezeTime: 'time',
                upgradeTime: 'time',
                successorPhysicalSynchronizerId: 'string',
              },
            },
          },
        },
      },
    },
  },
  listFeaturedAppRights: { method: 'GET', path: '/api/scan/v0/featured-apps', params: [], reply: shared19 },
  listFeaturedAppRightsByProvider: {
    method: 'GET',
    path: '/api/scan/v0/featured-apps/by-provider/{provider_party_id}',
    params: shared6,
    reply: shared19,
  },
  lookupFeaturedAppRight: {
    method: 'GET',
    path: '/api/scan/v0/featured-apps/{provider_party_id}',
    params: shared6,
    reply: shared22,
  },
  lookupFeaturedAppRightByContractId: {
    method: 'GET',
    path: '/api/scan/v0/featured-apps/by-contract-id/{contract_id}',
    params: [{ name: 'contract_id', in: 'path', required: true, kind: 'text' }],
    reply: shared22,
  },
  lookupTransferPreapprovalByParty: {
    method: 'GET',
    path: '/api/scan/v0/transfer-preapprovals/by-party/{party}',
    params: shared1,
    reply: { object: { transfer_preapproval: shared24 } },
  },
  lookupTransferCommandCounterByParty: {
    method: 'GET',
    path: '/api/scan/v0/transfer-command-counter/{party}',
    params: shared1,
    reply: { object: { transfer_command_counter: shared24 } },
  },
  lookupTransferCommandStatus: {
    method: 'GET',
    path: '/api/scan/v0/transfer-command/status',
    params: [
      { name: 'sender', in: 'query', required: true, kind: 'party' },
      { name: 'nonce', in: 'query', required: true, kind: 'integer' },
    ],
    reply: {
      object: {
        transfer_commands_by_contract_id: {
          record: {
            object: {
              contract: shared17,
              status: {
                firstOf: [
                  { object: { status: { oneOf: ['created'] } } },
                  { object: { status: { oneOf: ['sent'] } } },
                  { object: { status: { oneOf: ['failed'] }, failure_kind: 'string', reason: 'string' } },
                  'other command status',
                ],
              },
            },
          },
        },
      },
    },
  },
  listUnclaimedDevelopmentFundCoupons: {
    method: 'GET',
    path: '/api/scan/v0/unclaimed-development-fund-coupons',
    params: [],
    reply: { object: { 'unclaimed-development-fund-coupons': shared25 } },
  },
  listDsoSequencers: {
    method: 'GET',
    path: '/api/scan/v0/dso-sequencers',
    params: [],
    reply: {
      object: {
        domainSequencers: {
          list: {
            object: {
              domainId: 'string',
              sequencers: {
                list: {
                  object: {
                    migrationId: 'integer',
                    synchronizerSerial: { default: null, of: { nullable: 'integer' } },
                    id: 'string',
                    url: 'string',
                    svName: 'string',
                    availableAfter: 'time',
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  getPartyToParticipant: {
    method: 'GET',
    path: '/api/scan/v0/domains/{domain_id}/parties/{party_id}/participant-id',
    params: shared15,
    reply: { object: { participant_id: 'string' } },
  },
  getPartyToParticipantV1: {
    method: 'GET',
    path: '/api/scan/v1/domains/{domain_id}/parties/{party_id}/participant-id',
    params: shared15,
    reply: { object: { participant_ids: { set: 'string' } } },
  },
  getValidatorFaucetsByValidator: {
    method: 'GET',
    path: '/api/scan/v0/validators/validator-faucets',
    params: [{ name: 'validator_ids', in: 'query', required: true, kind: 'party', list: true }],
    reply: {
      object: {
        validatorsReceivedFaucets: {
          list: {
            object: {
              validator: 'string',
              numRoundsCollected: 'integer',
              numRoundsMissed: 'integer',
              firstCollectedInRound: 'integer',
              lastCollectedInRound: 'integer',
            },
          },
        },
      },
    },
  },
  listValidatorLicenses: {
    method: 'GET',
    path: '/api/scan/v0/admin/validator/licenses',
    params: [
      {
        name: 'after',
        in: 'query',
        required: false,
        kind: 'page token',
        instead: 'Ask for as many as 1000 at once.',
      },
      { name: 'limit', in: 'query', required: false, kind: 'page size' },
    ],
    reply: {
      object: {
        validator_licenses: shared18,
        next_page_token: { default: null, of: { nullable: 'integer' } },
      },
    },
  },
  getMigrationSchedule: {
    method: 'GET',
    path: '/api/scan/v0/migrations/schedule',
    params: [],
    reply: { object: { time: 'time', migration_id: 'integer' } },
  },
  getSpliceInstanceNames: {
    method: 'GET',
    path: '/api/scan/v0/splice-instance-names',
    params: [],
    reply: {
      object: {
        network_name: 'string',
        network_favicon_url: 'string',
        amulet_name: 'string',
        amulet_name_acronym: 'string',
        name_service_name: 'string',
        name_service_name_acronym: 'string',
      },
    },
  },
  lookupDsoRulesVoteRequest: {
    method: 'GET',
    path: '/api/scan/v0/voterequests/{vote_request_contract_id}',
    params: [{ name: 'vote_request_contract_id', in: 'path', required: true, kind: 'text' }],
    reply: { object: { dso_rules_vote_request: shared17 } },
  },
  listDsoRulesVoteRequests: {
    method: 'GET',
    path: '/api/scan/v0/admin/sv/voterequests',
    params: [],
    reply: { object: { dso_rules_vote_requests: shared18 } },
  },
  listVoteRequestsByTrackingCid: {
    method: 'POST',
    path: '/api/scan/v0/voterequest',
    params: [],
    body: {
      object: { vote_request_contract_ids: { atMost: 1000, of: { list: { atMost: 2066, of: 'string' } } } },
    },
    reply: { object: { vote_requests: shared18 } },
  },
  listAmuletPriceVotes: {
    method: 'GET',
    path: '/api/scan/v0/amulet-price/votes',
    params: [],
    reply: { object: { amulet_price_votes: shared18 } },
  },
  listVoteRequestResults: {
    method: 'POST',
    path: '/api/scan/v0/admin/sv/voteresults',
    params: [],
    body: {
      object: {
        actionName: { optional: { nullable: { atMost: 2066, of: 'string' } } },
        accepted: { optional: { nullable: 'boolean' } },
        requester: { optional: { nullable: { atMost: 2066, of: 'string' } } },
        effectiveFrom: { optional: { nullable: { atMost: 2066, of: 'string' } } },
        effectiveTo: { optional: { nullable: { atMost: 2066, of: 'string' } } },
        limit: 'page size',
        pageToken: {
          optional: { nullable: { refused: 'Narrow the page by effectiveFrom and effectiveTo.' } },
        },
      },
    },
    reply: {
      object: {
        dso_rules_vote_results: { list: 'json object' },
        next_page_token: { default: null, of: { nullable: 'integer' } },
      },
    },
  },
  countVoteRequestResults: {
    method: 'POST',
    path: '/api/scan/v0/admin/sv/voteresults/count',
    params: [],
    body: {
      object: {
        actionName: { optional: { nullable: { atMost: 2066, of: 'string' } } },
        accepted: { optional: { nullable: 'boolean' } },
        requester: { optional: { nullable: { atMost: 2066, of: 'string' } } },
        effectiveFrom: { optional: { nullable: { atMost: 2066, of: 'string' } } },
        effectiveTo: { optional: { nullable: { atMost: 2066, of: 'string' } } },
      },
    },
    reply: { object: { count: 'integer' } },
  },
  getPreviousSvRewardWeight: {
    method: 'POST',
    path: '/api/scan/v0/admin/sv/previous-sv-reward-weight',
    params: [],
    body: {
      object: {
        svParty: 'party',
        effectiveBefore: { optional: { nullable: { atMost: 2066, of: 'string' } } },
      },
    },
    reply: { object: { rewardWeight: { default: null, of: { nullable: 'string' } } } },
  },
  getDateOfMostRecentSnapshotBefore: {
    method: 'GET',
    path: '/api/scan/v0/state/acs/snapshot-timestamp',
    params: [{ name: 'before', in: 'query', required: true, kind: 'instant' }, shared4],
    reply: { object: { record_time: 'time' } },
  },
  getDateOfFirstSnapshotAfter: {
    method: 'GET',
    path: '/api/scan/v0/state/acs/snapshot-timestamp-after',
    params: [{ name: 'after', in: 'query', required: true, kind: 'instant' }, shared4],
    reply: { object: { record_time: 'time' } },
  },
  getAcsSnapshotAt: {
    method: 'POST',
    path: '/api/scan/v0/state/acs',
    params: [],
    body: shared36,
    reply: shared33,
  },
  getAcsSnapshotAtV1: {
    method: 'POST',
    path: '/api/scan/v1/state/acs',
    params: [],
    body: shared36,
    reply: shared35,
  },
  getAcsSnapshotAtV2: {
    method: 'POST',
    path: '/api/scan/v2/state/acs',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        record_time: 'instant',
        record_time_match: { optional: { nullable: { oneOf: ['exact', 'at_or_before'] } } },
        party_ids: shared11,
        templates: shared12,
        after: { optional: { nullable: 'string' } },
        page_size: 'page size',
      },
    },
    reply: shared34,
  },
  getHoldingsStateAt: {
    method: 'POST',
    path: '/api/scan/v0/holdings/state',
    params: [],
    body: shared32,
    reply: shared33,
  },
  getHoldingsStateAtV1: {
    method: 'POST',
    path: '/api/scan/v1/holdings/state',
    params: [],
    body: shared32,
    reply: shared35,
  },
  getHoldingsStateAtV2: {
    method: 'POST',
    path: '/api/scan/v2/holdings/state',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        record_time: 'instant',
        record_time_match: { optional: { nullable: { oneOf: ['exact', 'at_or_before'] } } },
        owner_party_ids: { atMost: 1000, of: { atLeast: 1, of: { list: 'party' } } },
        after: { optional: { nullable: 'string' } },
        page_size: 'page size',
      },
    },
    reply: shared34,
  },
  getHoldingsSummaryAt: {
    method: 'POST',
    path: '/api/scan/v0/holdings/summary',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        record_time: 'instant',
        record_time_match: { optional: { nullable: { oneOf: ['exact', 'at_or_before'] } } },
        owner_party_ids: { atMost: 1000, of: { atLeast: 1, of: { list: 'party' } } },
        as_of_round: { optional: { nullable: 'integer' } },
      },
    },
    reply: {
      object: {
        record_time: 'time',
        migration_id: 'integer',
        computed_as_of_round: 'integer',
        summaries: {
          list: {
            object: {
              party_id: 'string',
              total_unlocked_coin: 'decimal',
              total_locked_coin: 'decimal',
              total_coin_holdings: 'decimal',
              accumulated_holding_fees_unlocked: 'decimal',
              accumulated_holding_fees_locked: 'decimal',
              accumulated_holding_fees_total: 'decimal',
              total_available_coin: 'decimal',
            },
          },
        },
      },
    },
  },
  getHoldingsSummaryAtV1: {
    method: 'POST',
    path: '/api/scan/v1/holdings/summary',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        record_time: 'instant',
        record_time_match: { optional: { nullable: { oneOf: ['exact', 'at_or_before'] } } },
        owner_party_ids: { atMost: 1000, of: { atLeast: 1, of: { list: 'party' } } },
      },
    },
    reply: {
      object: {
        record_time: 'time',
        migration_id: 'integer',
        summaries: {
          list: {
            object: {
              party_id: 'string',
              total_unlocked_coin: 'decimal',
              total_locked_coin: 'decimal',
              total_coin_holdings: 'decimal',
            },
          },
        },
      },
    },
  },
  getBulkObjectChecksums: {
    method: 'POST',
    path: '/api/scan/v0/history/bulk/checksums',
    params: [],
    body: { object: { object_keys: { atMost: 1000, of: { list: { atMost: 2066, of: 'string' } } } } },
    reply: {
      object: { checksums: { list: { object: { value: { default: null, of: { nullable: 'string' } } } } } },
    },
  },
  getRewardAccountingActivityTotals: {
    method: 'GET',
    path: '/api/scan/v0/internal/reward-accounting-process/rounds/{round_number}/activity-totals',
    params: shared5,
    reply: {
      firstOf: [
        {
          object: {
            status: { oneOf: ['Ok'] },
            round_number: 'integer',
            total_app_activity_weight: 'integer',
            active_parties_count: 'integer',
            activity_records_count: 'integer',
            total_app_reward_minting_allowance: 'decimal',
            total_app_reward_thresholded: 'decimal',
            total_app_reward_unclaimed: 'decimal',
            rewarded_app_provider_parties_count: 'integer',
          },
        },
        { object: { status: { oneOf: ['Undetermined'] } } },
        { object: { status: { oneOf: ['CannotProvide'] } } },
        'other reward status',
      ],
    },
  },
  getRewardAccountingRootHash: {
    method: 'GET',
    path: '/api/scan/v0/internal/reward-accounting-process/rounds/{round_number}/root-hash',
    params: shared5,
    reply: {
      firstOf: [
        { object: { status: { oneOf: ['Ok'] }, round_number: 'integer', root_hash: 'string' } },
        { object: { status: { oneOf: ['Undetermined'] } } },
        { object: { status: { oneOf: ['CannotProvide'] } } },
        'other reward status',
      ],
    },
  },
  getRewardAccountingBatch: {
    method: 'GET',
    path: '/api/scan/v0/internal/reward-accounting-process/rounds/{round_number}/batches/{batch_hash}',
    params: [shared3, { name: 'batch_hash', in: 'path', required: true, kind: 'text' }],
    reply: {
      firstOf: [
        { object: { batch_type: { oneOf: ['BatchOfBatches'] }, child_hashes: { list: 'string' } } },
        {
          object: {
            batch_type: { oneOf: ['BatchOfMintingAllowances'] },
            minting_allowances: { list: { object: { provider: 'string', amount: 'string' } } },
          },
        },
        'other batch',
      ],
    },
  },
  getUpdateHistoryV2: {
    method: 'POST',
    path: '/api/scan/v2/updates',
    params: [],
    body: shared26,
    reply: { object: { transactions: { list: shared40 } } },
  },
  getUpdateByIdV2: {
    method: 'GET',
    path: '/api/scan/v2/updates/{update_id}',
    params: shared16,
    repeats: { member: ['update_id'], param: 'update_id' },
    reply: shared40,
  },
  getUpdateByHash: {
    method: 'GET',
    path: '/api/scan/v2/updates/hash/{hash}',
    params: [{ name: 'hash', in: 'path', required: true, kind: 'text' }, shared7],
    reply: {
      firstOf: [
        {
          object: {
            update_id: 'string',
            migration_id: 'integer',
            workflow_id: 'string',
            record_time: 'time',
            synchronizer_id: 'string',
            effective_at: 'time',
            root_event_ids: { list: 'string' },
            events_by_id: shared38,
            external_transaction_hash: 'string',
          },
        },
        shared39,
        'other update',
      ],
    },
  },
  getUpdateHistoryV1: {
    method: 'POST',
    path: '/api/scan/v1/updates',
    params: [],
    body: shared26,
    reply: shared42,
  },
  getUpdateByIdV1: {
    method: 'GET',
    path: '/api/scan/v1/updates/{update_id}',
    params: shared16,
    repeats: { member: ['update_id'], param: 'update_id' },
    reply: shared41,
  },
  getUpdatesBefore: {
    method: 'POST',
    path: '/api/scan/v0/backfilling/updates-before',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        synchronizer_id: { atMost: 2066, of: 'string' },
        before: 'instant',
        at_or_after: { optional: { nullable: 'instant' } },
        count: 'page size',
      },
    },
    reply: shared42,
  },
  getImportUpdates: {
    method: 'POST',
    path: '/api/scan/v0/backfilling/import-updates',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        after_update_id: { atMost: 2066, of: 'string' },
        limit: 'page size',
      },
    },
    reply: shared42,
  },
  getEventHistory: {
    method: 'POST',
    path: '/api/scan/v0/events',
    params: [],
    body: shared26,
    reply: { object: { events: { list: shared43 } } },
  },
  getEventById: { method: 'GET', path: '/api/scan/v0/events/{update_id}', params: shared16, reply: shared43 },
  getLatestEventRecordTime: {
    method: 'GET',
    path: '/api/scan/v0/events/latest-record-time',
    params: [],
    reply: { object: { record_time: 'time' } },
  },
  getRegistryInfo: {
    method: 'GET',
    path: '/registry/metadata/v1/info',
    params: [],
    reply: { object: { adminId: 'string', supportedApis: { record: 'integer' } } },
  },
  getInstrument: {
    method: 'GET',
    path: '/registry/metadata/v1/instruments/{instrumentId}',
    params: [{ name: 'instrumentId', in: 'path', required: true, kind: 'text' }],
    repeats: { member: ['id'], param: 'instrumentId' },
    reply: shared37,
  },
  listInstruments: {
    method: 'GET',
    path: '/registry/metadata/v1/instruments',
    params: [
      { name: 'pageSize', in: 'query', required: false, kind: 'page size' },
      { name: 'pageToken', in: 'query', required: false, kind: 'text' },
    ],
    reply: {
      object: {
        instruments: { list: shared37 },
        nextPageToken: { default: null, of: { nullable: 'string' } },
      },
    },
  },
  getTransferFactory: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/transfer-factory',
    params: [],
    body: shared13,
    reply: shared30,
  },
  getTransferFactoryV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/transfer-factory',
    params: [],
    body: shared13,
    reply: shared30,
  },
  getAllocationFactory: {
    method: 'POST',
    path: '/registry/allocation-instruction/v1/allocation-factory',
    params: [],
    body: shared13,
    reply: shared28,
  },
  getAllocationFactoryV2: {
    method: 'POST',
    path: '/registry/allocation-instruction/v2/allocation-factory',
    params: [],
    body: shared13,
    reply: shared28,
  },
  getSettlementFactory: {
    method: 'POST',
    path: '/registry/allocation/v2/settlement-factory',
    params: [],
    body: shared13,
    reply: shared28,
  },
  getTransferInstructionAcceptContext: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/{transferInstructionId}/choice-contexts/accept',
    params: shared8,
    body: shared14,
    reply: shared20,
  },
  getTransferInstructionRejectContext: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/{transferInstructionId}/choice-contexts/reject',
    params: shared8,
    body: shared14,
    reply: shared20,
  },
  getTransferInstructionWithdrawContext: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/{transferInstructionId}/choice-contexts/withdraw',
    params: shared8,
    body: shared14,
    reply: shared20,
  },
  getTransferInstructionAcceptContextV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/{transferInstructionId}/choice-contexts/accept',
    params: shared8,
    body: shared14,
    reply: shared20,
  },
  getTransferInstructionRejectContextV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/{transferInstructionId}/choice-contexts/reject',
    params: shared8,
    body: shared14,
    reply: shared20,
  },
  getTransferInstructionWithdrawContextV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/{transferInstructionId}/choice-contexts/withdraw',
    params: shared8,
    body: shared14,
    reply: shared20,
  },
  getAllocationTransferContext: {
    method: 'POST',
    path: '/registry/allocations/v1/{allocationId}/choice-contexts/execute-transfer',
    params: shared2,
    body: shared14,
    reply: shared20,
  },
  getAllocationWithdrawContext: {
    method: 'POST',
    path: '/registry/allocations/v1/{allocationId}/choice-contexts/withdraw',
    params: shared2,
    body: shared14,
    reply: shared20,
  },
  getAllocationCancelContext: {
    method: 'POST',
    path: '/registry/allocations/v1/{allocationId}/choice-contexts/cancel',
    params: shared2,
    body: shared14,
    reply: shared20,
  },
  getAllocationWithdrawContextV2: {
    method: 'POST',
    path: '/registry/allocations/v2/{allocationId}/choice-contexts/withdraw',
    params: shared2,
    body: shared14,
    reply: shared20,
  },
  getAllocationCancelContextV2: {
    method: 'POST',
    path: '/registry/allocations/v2/{allocationId}/choice-contexts/cancel',
    params: shared2,
    body: shared14,
    reply: shared20,
  },
  getAllocationInstructionAcceptContext: {
    method: 'POST',
    path: '/registry/allocation-instruction/v2/{allocationInstructionId}/choice-contexts/accept',
    params: shared9,
    body: shared14,
    reply: shared20,
  },
  getAllocationInstructionWithdrawContext: {
    method: 'POST',
    path: '/registry/allocation-instruction/v2/{allocationInstructionId}/choice-contexts/withdraw',
    params: shared9,
    body: shared14,
    reply: shared20,
  },
}
