import type { Answer } from '../node-context.ts'
import { declaredError } from '../reply.ts'
import type { ContractWithState } from '../world/contract.ts'
import { numberOf } from '../world/mining-rounds.ts'
import { cachedContract, fromAnnals, get, post, refuse } from './asked.ts'

function byId(rounds: readonly ContractWithState[], known: unknown) {
  const ids = Array.isArray(known) ? known : []
  return Object.fromEntries(
    rounds.map((round) => {
      const { contract_id: id } = round.contract
      return [id, ids.includes(id) ? { ...round, contract: null } : round]
    }),
  )
}

const openAndIssuing = fromAnnals(({ openRounds, issuingRounds }, { json: body }) => ({
  time_to_live_in_microseconds: 600_000_000,
  open_mining_rounds: byId(openRounds, body['cached_open_mining_round_contract_ids']),
  issuing_mining_rounds: byId(issuingRounds, body['cached_issuing_round_contract_ids']),
}))

const closed = fromAnnals(({ closedRounds }) => ({ rounds: closedRounds }))

const externalPartyRules: Answer = cachedContract(
  'external_party_amulet_rules_update',
  'cached_external_party_amulet_rules_contract_id',
  async (view) => (await view.annals()).externalPartyRules,
)

const amuletConfig = fromAnnals(({ openRounds }, { query }) => {
  const newest = openRounds.at(-1)
  const asked = Number(query.get('round'))
  if (newest === undefined || !(asked >= 0 && asked <= numberOf(newest)))
    return refuse(declaredError(404, `Round ${query.get('round')} not found`))
  return {
    amulet_create_fee: '0.0000000000',
    holding_fee: '0.0000190259',
    lock_holder_fee: '0.0000000000',
    transfer_fee: { initial: '0.0000000000', steps: [{ amount: '100.0000000000', rate: '0.0000000000' }] },
  }
})

export const roundsReads = [
  post('open-and-issuing-rounds', '/api/scan/v0/open-and-issuing-mining-rounds', openAndIssuing),
  get('closed-rounds', '/api/scan/v0/closed-rounds', closed),
  post('external-party-rules', '/api/scan/v0/external-party-amulet-rules', externalPartyRules),
  get('amulet-config', '/api/scan/v0/amulet-config-for-round', amuletConfig),
] as const
