import { alice, assigned, aTime, contractOf, dso } from './contracts.ts'

const right = contractOf('Splice.Amulet:FeaturedAppRight', { dso, provider: alice })
const command = contractOf('Splice.ExternalPartyAmuletRules:TransferCommand', {
  dso,
  sender: alice,
  nonce: '3',
})
const snapshot = { migration_id: 1, record_time: aTime, record_time_match: 'exact' }
const coin = {
  created_in_update_id: '1220ab',
  contract_id: '00a1',
  template_id: `${'0'.repeat(64)}:Splice.Amulet:Amulet`,
  package_name: 'splice-amulet',
  create_arguments: { owner: alice, amount: { initialAmount: '5.0000000000' } },
  created_at: aTime,
  signatories: [dso, alice],
  observers: [],
}
const activeContracts = {
  record_time: aTime,
  migration_id: 1,
  created_events: [coin],
  next_page_token: null,
}
const { created_in_update_id: _, ...coinOfV0 } = { ...coin, event_type: 'created_event', event_id: '' }
const activeContractsV0 = { ...activeContracts, created_events: [coinOfV0] }
const holdings = {
  party_id: alice,
  total_unlocked_coin: '5.0000000000',
  total_locked_coin: '0.0000000000',
  total_coin_holdings: '5.0000000000',
}

export const partySamples = {
  listFeaturedAppRights: { params: {}, reply: { featured_apps: [right] } },
  listFeaturedAppRightsByProvider: {
    params: { provider_party_id: alice },
    reply: { featured_apps: [right] },
  },
  lookupFeaturedAppRight: { params: { provider_party_id: alice }, reply: { featured_app_right: right } },
  lookupFeaturedAppRightByContractId: {
    params: { contract_id: right.contract_id },
    reply: { featured_app_right: right },
  },
  lookupTransferPreapprovalByParty: {
    params: { party: alice },
    reply: {
      transfer_preapproval: assigned('Splice.AmuletRules:TransferPreapproval', {
        dso,
        receiver: alice,
        expiresAt: '2036-03-01T12:00:00Z',
      }),
    },
  },
  lookupTransferCommandCounterByParty: {
    params: { party: alice },
    reply: {
      transfer_command_counter: assigned('Splice.ExternalPartyAmuletRules:TransferCommandCounter', {
        dso,
        sender: alice,
        nextNonce: '4',
      }),
    },
  },
  lookupTransferCommandStatus: {
    params: { sender: alice, nonce: '3' },
    reply: {
      transfer_commands_by_contract_id: {
        [command.contract_id]: {
          contract: command,
          status: { status: 'failed', failure_kind: 'expired', reason: 'too late' },
        },
      },
    },
  },
  listUnclaimedDevelopmentFundCoupons: {
    params: {},
    reply: {
      'unclaimed-development-fund-coupons': [
        assigned('Splice.Amulet:UnclaimedDevelopmentFundCoupon', { dso, amount: '5.0' }),
      ],
    },
  },
  getDateOfMostRecentSnapshotBefore: {
    params: { before: '2026-03-02T00:00:00Z', migration_id: '1' },
    reply: { record_time: aTime },
  },
  getDateOfFirstSnapshotAfter: {
    params: { after: '2026-03-01T00:00:00Z', migration_id: '1' },
    reply: { record_time: aTime },
  },
  getAcsSnapshotAt: {
    params: { body: JSON.stringify({ ...snapshot, page_size: 10 }) },
    reply: activeContractsV0,
  },
  getAcsSnapshotAtV1: {
    params: { body: JSON.stringify({ ...snapshot, page_size: 10 }) },
    reply: activeContracts,
  },
  getAcsSnapshotAtV2: {
    params: { body: JSON.stringify({ ...snapshot, page_size: 10 }) },
    reply: activeContracts,
  },
  getHoldingsStateAt: {
    params: { body: JSON.stringify({ ...snapshot, page_size: 10, owner_party_ids: [alice] }) },
    reply: activeContractsV0,
  },
  getHoldingsStateAtV1: {
    params: { body: JSON.stringify({ ...snapshot, page_size: 10, owner_party_ids: [alice] }) },
    reply: activeContracts,
  },
  getHoldingsStateAtV2: {
    params: { body: JSON.stringify({ ...snapshot, page_size: 10, owner_party_ids: [alice] }) },
    reply: activeContracts,
  },
  getHoldingsSummaryAt: {
    params: { body: JSON.stringify({ ...snapshot, owner_party_ids: [alice], as_of_round: 7 }) },
    reply: {
      record_time: aTime,
      migration_id: 1,
      computed_as_of_round: 7,
      summaries: [
        {
          ...holdings,
          accumulated_holding_fees_unlocked: '0.0000000000',
          accumulated_holding_fees_locked: '0.0000000000',
          accumulated_holding_fees_total: '0.0000000000',
          total_available_coin: '5.0000000000',
        },
      ],
    },
  },
  getBulkObjectChecksums: {
    params: { body: JSON.stringify({ object_keys: ['updates-1', 'unknown'] }) },
    reply: { checksums: [{ value: 'ab12' }, { value: null }] },
  },
  getHoldingsSummaryAtV1: {
    params: { body: JSON.stringify({ ...snapshot, owner_party_ids: [alice] }) },
    reply: { record_time: aTime, migration_id: 1, summaries: [holdings] },
  },
} as const
