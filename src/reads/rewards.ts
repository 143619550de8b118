import { z } from 'zod'
import { integerIn, textIn } from './params.ts'
import { defineRead } from './read.ts'

const roundNumber = integerIn('round_number', 'path', 'The number of the round.')
const undecided = [
  z.object({ status: z.literal('Undetermined') }),
  z.object({ status: z.literal('CannotProvide') }),
] as const

/** What a scan says that has no, or not yet all, data of a round. */
function saysNothing({ status }: { readonly status: string }): string | undefined {
  return status === 'Ok' ? undefined : status
}

function isOfRound(
  value: { readonly status: string; readonly round_number?: number },
  params: Readonly<Record<string, string>>,
): boolean {
  return value.round_number === undefined || String(value.round_number) === params['round_number']
}

const totals = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('Ok'),
    round_number: z.int(),
    total_app_activity_weight: z.int(),
    active_parties_count: z.int(),
    activity_records_count: z.int(),
    total_app_reward_minting_allowance: z.string(),
    total_app_reward_thresholded: z.string(),
    total_app_reward_unclaimed: z.string(),
    rewarded_app_provider_parties_count: z.int(),
  }),
  ...undecided,
])

export const getRewardAccountingActivityTotals = defineRead({
  id: 'getRewardAccountingActivityTotals',
  summary: 'What apps did in a round, and what is minted for it.',
  method: 'GET',
  scanPath: '/v0/internal/reward-accounting-process/rounds/{round_number}/activity-totals',
  root: false,
  params: [roundNumber],
  reply: totals,
  answers: isOfRound,
  abstains: saysNothing,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '64KiB',
})

const rootHash = z.discriminatedUnion('status', [
  z.object({ status: z.literal('Ok'), round_number: z.int(), root_hash: z.string() }),
  ...undecided,
])

export const getRewardAccountingRootHash = defineRead({
  id: 'getRewardAccountingRootHash',
  summary: "The hash of all of a round's rewards.",
  method: 'GET',
  scanPath: '/v0/internal/reward-accounting-process/rounds/{round_number}/root-hash',
  root: false,
  params: [roundNumber],
  reply: rootHash,
  answers: isOfRound,
  abstains: saysNothing,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '64KiB',
})

const batch = z.discriminatedUnion('batch_type', [
  z.object({ batch_type: z.literal('BatchOfBatches'), child_hashes: z.array(z.string()) }),
  z.object({
    batch_type: z.literal('BatchOfMintingAllowances'),
    minting_allowances: z.array(z.object({ provider: z.string(), amount: z.string() })),
  }),
])

/** Its hash is made on the ledger in a way that is not published, so that a threshold has to give it. */
export const getRewardAccountingBatch = defineRead({
  id: 'getRewardAccountingBatch',
  summary: 'A part of the rewards of a round, by its hash.',
  method: 'GET',
  scanPath: '/v0/internal/reward-accounting-process/rounds/{round_number}/batches/{batch_hash}',
  root: false,
  params: [roundNumber, textIn('batch_hash', 'path', 'The hash of the part, in hex.')],
  reply: batch,
  agree: { on: 'whole' },
  absent: ['No reward batch has the hash {batch_hash} in round {round_number}.', '*'],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '4MiB',
})
