import { contract, contractWithState, decimal, isoTime } from '../contract.ts'
import { get, post } from '../endpoint.ts'
import { integerIn } from '../params.ts'
import { integer, list, object, optional, record, string } from '../pattern.ts'

const byId = record(contractWithState)

export const openAndIssuing = object({
  time_to_live_in_microseconds: integer,
  open_mining_rounds: byId,
  issuing_mining_rounds: byId,
})

const closedRounds = object({ rounds: list(contract) })

const rate = object({
  initial: decimal,
  steps: list(object({ amount: decimal, rate: decimal })),
})

const amuletConfig = object({
  amulet_create_fee: decimal,
  holding_fee: decimal,
  lock_holder_fee: decimal,
  transfer_fee: rate,
})

const externalPartyRules = object({ external_party_amulet_rules_update: contractWithState })

const migrationId = object({ migration_id: integer })

const lsu = object({
  lsu: optional(
    object({
      topologyFreezeTime: isoTime,
      upgradeTime: isoTime,
      successorPhysicalSynchronizerId: string,
    }),
  ),
})

export const endpoints = {
  getOpenAndIssuingMiningRounds: post('/v0/open-and-issuing-mining-rounds', {
    upstreamBody: '{"cached_open_mining_round_contract_ids":[],"cached_issuing_round_contract_ids":[]}',
    reply: openAndIssuing,
  }),
  getClosedRounds: get('/v0/closed-rounds', { reply: closedRounds }),
  getAmuletConfigForRound: get('/v0/amulet-config-for-round', {
    params: [integerIn('round', 'query')],
    reply: amuletConfig,
  }),
  getExternalPartyAmuletRules: post('/v0/external-party-amulet-rules', {
    upstreamBody: '{}',
    reply: externalPartyRules,
  }),
  getMigrationId: get('/v0/migrations/last', { reply: migrationId }),
  getLsu: get('/v0/lsu', { reply: lsu }),
}
