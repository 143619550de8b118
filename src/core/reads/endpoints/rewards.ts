import { decimal } from '../contract.ts'
import { get } from '../endpoint.ts'
import { integerIn, textIn } from '../params.ts'
import { firstOf, integer, leaf, list, literal, object, string } from '../pattern.ts'

const roundNumber = integerIn('round_number', 'path')

const undecided = [
  object({ status: literal('Undetermined') }),
  object({ status: literal('CannotProvide') }),
  leaf<never>('other reward status'),
] as const

const totals = firstOf(
  object({
    status: literal('Ok'),
    round_number: integer,
    total_app_activity_weight: integer,
    active_parties_count: integer,
    activity_records_count: integer,
    total_app_reward_minting_allowance: decimal,
    total_app_reward_thresholded: decimal,
    total_app_reward_unclaimed: decimal,
    rewarded_app_provider_parties_count: integer,
  }),
  ...undecided,
)

const rootHash = firstOf(
  object({ status: literal('Ok'), round_number: integer, root_hash: string }),
  ...undecided,
)

export const batch = firstOf(
  object({ batch_type: literal('BatchOfBatches'), child_hashes: list(string) }),
  object({
    batch_type: literal('BatchOfMintingAllowances'),
    minting_allowances: list(object({ provider: string, amount: string })),
  }),
  leaf<never>('other batch'),
)

export const endpoints = {
  getRewardAccountingActivityTotals: get(
    '/v0/internal/reward-accounting-process/rounds/{round_number}/activity-totals',
    { params: [roundNumber], reply: totals },
  ),
  getRewardAccountingRootHash: get('/v0/internal/reward-accounting-process/rounds/{round_number}/root-hash', {
    params: [roundNumber],
    reply: rootHash,
  }),
  getRewardAccountingBatch: get(
    '/v0/internal/reward-accounting-process/rounds/{round_number}/batches/{batch_hash}',
    { params: [roundNumber, textIn('batch_hash', 'path')], reply: batch },
  ),
}
