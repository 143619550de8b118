import { alice, aTime, dso, synchronizer } from './contracts.ts'

const transaction = {
  update_id: '1220ab',
  migration_id: 1,
  workflow_id: '',
  record_time: aTime,
  synchronizer_id: synchronizer,
  effective_at: aTime,
  root_event_ids: ['1220ab:0'],
  events_by_id: {
    '1220ab:0': {
      event_type: 'exercised_event',
      event_id: '1220ab:0',
      contract_id: '00a1',
      template_id: `${'0'.repeat(64)}:Splice.AmuletRules:AmuletRules`,
      package_name: 'splice-amulet',
      choice: 'AmuletRules_DevNet_Tap',
      choice_argument: { receiver: alice, amount: '5.0000000000' },
      child_event_ids: ['1220ab:1'],
      exercise_result: { amuletSum: { amulet: '00a2' } },
      consuming: false,
      acting_parties: [alice],
      interface_id: null,
    },
    '1220ab:1': {
      event_type: 'created_event',
      event_id: '1220ab:1',
      contract_id: '00a2',
      template_id: `${'0'.repeat(64)}:Splice.Amulet:Amulet`,
      package_name: 'splice-amulet',
      create_arguments: { owner: alice },
      created_at: aTime,
      signatories: [dso, alice],
      observers: [],
    },
  },
  external_transaction_hash: '12ab',
}
const transactionV1 = { ...transaction, offset: '000000000000000001' }
const verdict = {
  update_id: '1220ab',
  migration_id: 1,
  domain_id: synchronizer,
  record_time: aTime,
  finalization_time: '1970-01-01T00:00:00Z',
  submitting_parties: [alice],
  submitting_participant_uid: 'participant::1220ab',
  verdict_result: 'VERDICT_RESULT_ACCEPTED',
  mediator_group: 0,
  round_number: null,
  transaction_views: {
    views: [
      {
        view_id: 0,
        informees: [alice],
        confirming_parties: [{ parties: [dso], threshold: 1 }],
        sub_views: [],
        view_hash: '',
      },
    ],
    root_views: [0],
  },
}
const event = { update: transaction, verdict, traffic_summary: null, app_activity_records: null }
const page = JSON.stringify({ page_size: 10, daml_value_encoding: 'compact_json' })

export const updateSamples = {
  getUpdateHistoryV2: { params: { body: page }, reply: { transactions: [transaction] } },
  getUpdateByIdV2: { params: { update_id: '1220ab' }, reply: transaction },
  getUpdateByHash: { params: { hash: '12ab' }, reply: transaction },
  getUpdateHistoryV1: { params: { body: page }, reply: { transactions: [transactionV1] } },
  getUpdateByIdV1: { params: { update_id: '1220ab' }, reply: transactionV1 },
  getUpdatesBefore: {
    params: {
      body: JSON.stringify({
        migration_id: 1,
        synchronizer_id: synchronizer,
        before: '2026-03-02T00:00:00Z',
        count: 10,
      }),
    },
    reply: { transactions: [transactionV1] },
  },
  getImportUpdates: {
    params: { body: JSON.stringify({ migration_id: 1, after_update_id: '', limit: 10 }) },
    reply: { transactions: [transactionV1] },
  },
  getEventHistory: { params: { body: page }, reply: { events: [event] } },
  getEventById: { params: { update_id: '1220ab' }, reply: event },
  getLatestEventRecordTime: { params: {}, reply: { record_time: aTime } },
} as const
