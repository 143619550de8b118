// Written by .ci/generate-client.ts from src/reads/table.ts.
import type { ReadId } from '../reads/table.ts'
import type { PlainRead } from './plain-read.ts'

const shared1 = [{ name: 'party', in: 'path', required: true, kind: 'party' }] as const
const shared2 = { maybe: { oneOf: ['exact', 'at_or_before'] }, otherwise: 'exact' } as const
const shared3 = [{ name: 'allocationId', in: 'path', required: true, kind: 'text' }] as const
const shared4 = { name: 'round_number', in: 'path', required: true, kind: 'integer' } as const
const shared5 = { name: 'migration_id', in: 'query', required: true, kind: 'integer' } as const
const shared6 = { choice: { atMost: 1000, of: { list: { atMost: 2066, of: 'string' } } } } as const
const shared7 = [shared4] as const
const shared8 = [{ name: 'provider_party_id', in: 'path', required: true, kind: 'party' }] as const
const shared9 = [{ name: 'transferInstructionId', in: 'path', required: true, kind: 'text' }] as const
const shared10 = [{ name: 'allocationInstructionId', in: 'path', required: true, kind: 'text' }] as const
const shared11 = { maybe: shared6 } as const
const shared12 = {
  object: { choiceArguments: 'open object', excludeDebugFields: { maybe: 'boolean', always: true } },
} as const
const shared13 = {
  object: { meta: { maybe: { record: 'string' } }, excludeDebugFields: { maybe: 'boolean', always: true } },
} as const
const shared14 = {
  choice: {
    atMost: 1000,
    of: { atLeast: 1, of: { list: 'party' }, message: 'at least one party is needed' },
  },
} as const
const shared15 = {
  name: 'daml_value_encoding',
  in: 'query',
  required: false,
  kind: 'text',
  oneOf: ['compact_json', 'protobuf_json'],
} as const
const shared16 = { maybe: shared14 } as const
const shared17 = [
  { name: 'domain_id', in: 'path', required: true, kind: 'text' },
  { name: 'party_id', in: 'path', required: true, kind: 'party' },
] as const
const shared18 = {
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
const shared19 = { list: shared18 } as const
const shared20 = [{ name: 'update_id', in: 'path', required: true, kind: 'text' }, shared15] as const
const shared21 = { object: { featured_apps: shared19 } } as const
const shared22 = {
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
const shared23 = {
  object: {
    contract_id: { default: null, of: { nullable: 'string' } },
    user: 'party',
    name: 'string',
    url: 'string',
    description: 'string',
    expires_at: { default: null, of: { nullable: 'time' } },
  },
} as const
const shared24 = { object: { featured_app_right: { default: null, of: { nullable: shared18 } } } } as const
const shared25 = { object: { entry: shared23 } } as const
const shared26 = {
  object: { contract: shared18, domain_id: { default: null, of: { nullable: 'string' } } },
} as const
const shared27 = {
  object: {
    after: { maybe: { object: { after_migration_id: 'integer', after_record_time: 'instant' } } },
    page_size: 'page size',
    daml_value_encoding: { maybe: { oneOf: ['compact_json', 'protobuf_json'] }, otherwise: 'compact_json' },
  },
} as const
const shared28 = { list: shared26 } as const
const shared29 = { record: shared26 } as const
const shared30 = { object: { factoryId: 'string', choiceContext: shared22 } } as const
const shared31 = {
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
const shared32 = { object: { factoryId: 'string', transferKind: 'string', choiceContext: shared22 } } as const
const shared33 = {
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
const shared34 = {
  object: {
    migration_id: 'integer',
    record_time: 'instant',
    record_time_match: shared2,
    owner_party_ids: shared14,
    after: { refused: 'Use /v2, whose tokens go on with a page.' },
    page_size: 'page size',
  },
} as const
const shared35 = {
  object: {
    record_time: 'time',
    migration_id: 'integer',
    created_events: { list: shared31 },
    next_page_token: { default: null, of: { nullable: 'integer' } },
  },
} as const
const shared36 = {
  object: {
    record_time: 'time',
    migration_id: 'integer',
    created_events: shared33,
    next_page_token: { default: null, of: { nullable: 'string' } },
  },
} as const
const shared37 = {
  object: {
    record_time: 'time',
    migration_id: 'integer',
    created_events: shared33,
    next_page_token: { default: null, of: { nullable: 'integer' } },
  },
} as const
const shared38 = {
  object: {
    migration_id: 'integer',
    record_time: 'instant',
    record_time_match: shared2,
    party_ids: shared16,
    templates: shared11,
    after: { refused: 'Use /v2, whose tokens go on with a page.' },
    page_size: 'page size',
  },
} as const
const shared39 = {
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
const shared40 = {
  record: {
    firstOf: [
      {
        firstOf: [
          shared31,
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
        tag: 'event_type',
      },
      'other tree event',
    ],
  },
} as const
const shared41 = {
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
            created_event: shared31,
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
const shared42 = {
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
        events_by_id: shared40,
        external_transaction_hash: { optional: { nullable: 'string' } },
      },
    },
    shared41,
    'other update',
  ],
} as const
const shared43 = {
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
        events_by_id: shared40,
        external_transaction_hash: { optional: { nullable: 'string' } },
        offset: { constant: '000000000000000001', of: 'string' },
      },
    },
    shared41,
    'other update',
  ],
} as const
const shared44 = { object: { transactions: { list: shared43 } } } as const
const shared45 = {
  firstOf: [
    'other history item',
    {
      object: {
        update: { default: null, of: { nullable: shared42 } },
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
    reply: { object: { entries: { list: shared23 } } },
  },
  lookupAnsEntryByName: {
    method: 'GET',
    path: '/api/scan/v0/ans-entries/by-name/{name}',
    params: [{ name: 'name', in: 'path', required: true, kind: 'text' }],
    repeats: { member: ['entry', 'name'], param: 'name' },
    reply: shared25,
  },
  lookupAnsEntryByParty: {
    method: 'GET',
    path: '/api/scan/v0/ans-entries/by-party/{party}',
    params: shared1,
    repeats: { member: ['entry', 'user'], param: 'party' },
    reply: shared25,
  },
  getAnsRules: {
    method: 'POST',
    path: '/api/scan/v0/ans-rules',
    params: [],
    fixedBody: '{}',
    reply: { object: { ans_rules_update: shared26 } },
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
    reply: { object: { amulet_rules_update: shared26 } },
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
        latest_mining_round: shared26,
        amulet_rules: shared26,
        dso_rules: shared26,
        sv_node_states: shared28,
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
        open_mining_rounds: shared29,
        issuing_mining_rounds: shared29,
      },
    },
  },
  getClosedRounds: {
    method: 'GET',
    path: '/api/scan/v0/closed-rounds',
    params: [],
    reply: { object: { rounds: shared19 } },
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
    reply: { object: { external_party_amulet_rules_update: shared26 } },
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
  listFeaturedAppRights: { method: 'GET', path: '/api/scan/v0/featured-apps', params: [], reply: shared21 },
  listFeaturedAppRightsByProvider: {
    method: 'GET',
    path: '/api/scan/v0/featured-apps/by-provider/{provider_party_id}',
    params: shared8,
    reply: shared21,
  },
  lookupFeaturedAppRight: {
    method: 'GET',
    path: '/api/scan/v0/featured-apps/{provider_party_id}',
    params: shared8,
    reply: shared24,
  },
  lookupFeaturedAppRightByContractId: {
    method: 'GET',
    path: '/api/scan/v0/featured-apps/by-contract-id/{contract_id}',
    params: [{ name: 'contract_id', in: 'path', required: true, kind: 'text' }],
    reply: shared24,
  },
  lookupTransferPreapprovalByParty: {
    method: 'GET',
    path: '/api/scan/v0/transfer-preapprovals/by-party/{party}',
    params: shared1,
    reply: { object: { transfer_preapproval: shared26 } },
  },
  lookupTransferCommandCounterByParty: {
    method: 'GET',
    path: '/api/scan/v0/transfer-command-counter/{party}',
    params: shared1,
    reply: { object: { transfer_command_counter: shared26 } },
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
              contract: shared18,
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
    reply: { object: { 'unclaimed-development-fund-coupons': shared28 } },
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
    params: shared17,
    reply: { object: { participant_id: 'string' } },
  },
  getPartyToParticipantV1: {
    method: 'GET',
    path: '/api/scan/v1/domains/{domain_id}/parties/{party_id}/participant-id',
    params: shared17,
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
        validator_licenses: shared19,
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
    reply: { object: { dso_rules_vote_request: shared18 } },
  },
  listDsoRulesVoteRequests: {
    method: 'GET',
    path: '/api/scan/v0/admin/sv/voterequests',
    params: [],
    reply: { object: { dso_rules_vote_requests: shared19 } },
  },
  listVoteRequestsByTrackingCid: {
    method: 'POST',
    path: '/api/scan/v0/voterequest',
    params: [],
    body: { object: { vote_request_contract_ids: shared6 } },
    reply: { object: { vote_requests: shared19 } },
  },
  listAmuletPriceVotes: {
    method: 'GET',
    path: '/api/scan/v0/amulet-price/votes',
    params: [],
    reply: { object: { amulet_price_votes: shared19 } },
  },
  listVoteRequestResults: {
    method: 'POST',
    path: '/api/scan/v0/admin/sv/voteresults',
    params: [],
    body: {
      object: {
        actionName: { maybe: { atMost: 2066, of: 'string' } },
        accepted: { maybe: 'boolean' },
        requester: { maybe: { atMost: 2066, of: 'string' } },
        effectiveFrom: { maybe: { atMost: 2066, of: 'string' } },
        effectiveTo: { maybe: { atMost: 2066, of: 'string' } },
        limit: 'page size',
        pageToken: { refused: 'Narrow the page by effectiveFrom and effectiveTo.' },
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
        actionName: { maybe: { atMost: 2066, of: 'string' } },
        accepted: { maybe: 'boolean' },
        requester: { maybe: { atMost: 2066, of: 'string' } },
        effectiveFrom: { maybe: { atMost: 2066, of: 'string' } },
        effectiveTo: { maybe: { atMost: 2066, of: 'string' } },
      },
    },
    reply: { object: { count: 'integer' } },
  },
  getPreviousSvRewardWeight: {
    method: 'POST',
    path: '/api/scan/v0/admin/sv/previous-sv-reward-weight',
    params: [],
    body: { object: { svParty: 'one party', effectiveBefore: { maybe: { atMost: 2066, of: 'string' } } } },
    reply: { object: { rewardWeight: { default: null, of: { nullable: 'string' } } } },
  },
  getDateOfMostRecentSnapshotBefore: {
    method: 'GET',
    path: '/api/scan/v0/state/acs/snapshot-timestamp',
    params: [{ name: 'before', in: 'query', required: true, kind: 'instant' }, shared5],
    reply: { object: { record_time: 'time' } },
  },
  getDateOfFirstSnapshotAfter: {
    method: 'GET',
    path: '/api/scan/v0/state/acs/snapshot-timestamp-after',
    params: [{ name: 'after', in: 'query', required: true, kind: 'instant' }, shared5],
    reply: { object: { record_time: 'time' } },
  },
  getAcsSnapshotAt: {
    method: 'POST',
    path: '/api/scan/v0/state/acs',
    params: [],
    body: shared38,
    reply: shared35,
  },
  getAcsSnapshotAtV1: {
    method: 'POST',
    path: '/api/scan/v1/state/acs',
    params: [],
    body: shared38,
    reply: shared37,
  },
  getAcsSnapshotAtV2: {
    method: 'POST',
    path: '/api/scan/v2/state/acs',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        record_time: 'instant',
        record_time_match: shared2,
        party_ids: shared16,
        templates: shared11,
        after: { maybe: 'string' },
        page_size: 'page size',
      },
    },
    reply: shared36,
  },
  getHoldingsStateAt: {
    method: 'POST',
    path: '/api/scan/v0/holdings/state',
    params: [],
    body: shared34,
    reply: shared35,
  },
  getHoldingsStateAtV1: {
    method: 'POST',
    path: '/api/scan/v1/holdings/state',
    params: [],
    body: shared34,
    reply: shared37,
  },
  getHoldingsStateAtV2: {
    method: 'POST',
    path: '/api/scan/v2/holdings/state',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        record_time: 'instant',
        record_time_match: shared2,
        owner_party_ids: shared14,
        after: { maybe: 'string' },
        page_size: 'page size',
      },
    },
    reply: shared36,
  },
  getHoldingsSummaryAt: {
    method: 'POST',
    path: '/api/scan/v0/holdings/summary',
    params: [],
    body: {
      object: {
        migration_id: 'integer',
        record_time: 'instant',
        record_time_match: shared2,
        owner_party_ids: shared14,
        as_of_round: { maybe: 'integer' },
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
        record_time_match: shared2,
        owner_party_ids: shared14,
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
    params: shared7,
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
    params: shared7,
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
    params: [shared4, { name: 'batch_hash', in: 'path', required: true, kind: 'text' }],
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
    body: shared27,
    reply: { object: { transactions: { list: shared42 } } },
  },
  getUpdateByIdV2: {
    method: 'GET',
    path: '/api/scan/v2/updates/{update_id}',
    params: shared20,
    repeats: { member: ['update_id'], param: 'update_id' },
    reply: shared42,
  },
  getUpdateByHash: {
    method: 'GET',
    path: '/api/scan/v2/updates/hash/{hash}',
    params: [{ name: 'hash', in: 'path', required: true, kind: 'text' }, shared15],
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
            events_by_id: shared40,
            external_transaction_hash: 'string',
          },
        },
        shared41,
        'other update',
      ],
    },
  },
  getUpdateHistoryV1: {
    method: 'POST',
    path: '/api/scan/v1/updates',
    params: [],
    body: shared27,
    reply: shared44,
  },
  getUpdateByIdV1: {
    method: 'GET',
    path: '/api/scan/v1/updates/{update_id}',
    params: shared20,
    repeats: { member: ['update_id'], param: 'update_id' },
    reply: shared43,
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
        at_or_after: { maybe: 'instant' },
        count: 'page size',
      },
    },
    reply: shared44,
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
    reply: shared44,
  },
  getEventHistory: {
    method: 'POST',
    path: '/api/scan/v0/events',
    params: [],
    body: shared27,
    reply: { object: { events: { list: shared45 } } },
  },
  getEventById: { method: 'GET', path: '/api/scan/v0/events/{update_id}', params: shared20, reply: shared45 },
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
    reply: shared39,
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
        instruments: { list: shared39 },
        nextPageToken: { default: null, of: { nullable: 'string' } },
      },
    },
  },
  getTransferFactory: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/transfer-factory',
    params: [],
    body: shared12,
    reply: shared32,
  },
  getTransferFactoryV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/transfer-factory',
    params: [],
    body: shared12,
    reply: shared32,
  },
  getAllocationFactory: {
    method: 'POST',
    path: '/registry/allocation-instruction/v1/allocation-factory',
    params: [],
    body: shared12,
    reply: shared30,
  },
  getAllocationFactoryV2: {
    method: 'POST',
    path: '/registry/allocation-instruction/v2/allocation-factory',
    params: [],
    body: shared12,
    reply: shared30,
  },
  getSettlementFactory: {
    method: 'POST',
    path: '/registry/allocation/v2/settlement-factory',
    params: [],
    body: shared12,
    reply: shared30,
  },
  getTransferInstructionAcceptContext: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/{transferInstructionId}/choice-contexts/accept',
    params: shared9,
    body: shared13,
    reply: shared22,
  },
  getTransferInstructionRejectContext: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/{transferInstructionId}/choice-contexts/reject',
    params: shared9,
    body: shared13,
    reply: shared22,
  },
  getTransferInstructionWithdrawContext: {
    method: 'POST',
    path: '/registry/transfer-instruction/v1/{transferInstructionId}/choice-contexts/withdraw',
    params: shared9,
    body: shared13,
    reply: shared22,
  },
  getTransferInstructionAcceptContextV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/{transferInstructionId}/choice-contexts/accept',
    params: shared9,
    body: shared13,
    reply: shared22,
  },
  getTransferInstructionRejectContextV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/{transferInstructionId}/choice-contexts/reject',
    params: shared9,
    body: shared13,
    reply: shared22,
  },
  getTransferInstructionWithdrawContextV2: {
    method: 'POST',
    path: '/registry/transfer-instruction/v2/{transferInstructionId}/choice-contexts/withdraw',
    params: shared9,
    body: shared13,
    reply: shared22,
  },
  getAllocationTransferContext: {
    method: 'POST',
    path: '/registry/allocations/v1/{allocationId}/choice-contexts/execute-transfer',
    params: shared3,
    body: shared13,
    reply: shared22,
  },
  getAllocationWithdrawContext: {
    method: 'POST',
    path: '/registry/allocations/v1/{allocationId}/choice-contexts/withdraw',
    params: shared3,
    body: shared13,
    reply: shared22,
  },
  getAllocationCancelContext: {
    method: 'POST',
    path: '/registry/allocations/v1/{allocationId}/choice-contexts/cancel',
    params: shared3,
    body: shared13,
    reply: shared22,
  },
  getAllocationWithdrawContextV2: {
    method: 'POST',
    path: '/registry/allocations/v2/{allocationId}/choice-contexts/withdraw',
    params: shared3,
    body: shared13,
    reply: shared22,
  },
  getAllocationCancelContextV2: {
    method: 'POST',
    path: '/registry/allocations/v2/{allocationId}/choice-contexts/cancel',
    params: shared3,
    body: shared13,
    reply: shared22,
  },
  getAllocationInstructionAcceptContext: {
    method: 'POST',
    path: '/registry/allocation-instruction/v2/{allocationInstructionId}/choice-contexts/accept',
    params: shared10,
    body: shared13,
    reply: shared22,
  },
  getAllocationInstructionWithdrawContext: {
    method: 'POST',
    path: '/registry/allocation-instruction/v2/{allocationInstructionId}/choice-contexts/withdraw',
    params: shared10,
    body: shared13,
    reply: shared22,
  },
}
