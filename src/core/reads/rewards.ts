import { withoutTrailing } from '../../base/lib/without-trailing.ts'
import type { batch } from './endpoints/rewards.ts'
import { rewardsOfRound } from './holding.ts'
import { isOtherBatch } from './other-kinds.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead } from './read.ts'

/** Returns the reason why a scan abstains: it does not have all data of the round. */
function abstentionReason({ status }: { readonly status: string }): string | undefined {
  return status === 'Undetermined' || status === 'CannotProvide' ? status : undefined
}

function isOfRound(
  value: { readonly status: string; readonly round_number?: number },
  params: Readonly<Record<string, string>>,
): boolean {
  return value.round_number === undefined || String(value.round_number) === params['round_number']
}

const ofRound = {
  answersQuestion: isOfRound,
  abstains: abstentionReason,
  undecided: { status: 'Undetermined' },
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  holders: rewardsOfRound,
} as const

export const getRewardAccountingActivityTotals = defineRead('getRewardAccountingActivityTotals', {
  summary: 'What apps did in a round, and what is minted for it.',
  ...ofRound,
})

export const getRewardAccountingRootHash = defineRead('getRewardAccountingRootHash', {
  summary: "The hash of all of a round's rewards.",
  ...ofRound,
})

type Batch = TypeOf<typeof batch>
type Sha256 = (text: string) => string

const hashText = /^[0-9a-f]{64}$/

function hashOfList(hashes: readonly string[], sha256: Sha256): string {
  return sha256([hashes.length, ...hashes].join('|'))
}

/**
 * Computes a hash like Splice's Daml module Splice.Amulet.CryptoHash: from the constructor's name,
 * the number of fields and the hash of the field. Undefined for a malformed hash or amount.
 */
function hashOf(value: Batch, sha256: Sha256): string | undefined {
  if (isOtherBatch(value)) return undefined
  const hashes: string[] = []
  if (value.batch_type === 'BatchOfBatches') {
    hashes.push(...value.child_hashes)
    if (!hashes.every((hash) => hashText.test(hash))) return undefined
  } else {
    for (const { provider, amount } of value.minting_allowances) {
      const shown = asShown(amount)
      if (shown === undefined) return undefined
      hashes.push(hashOfList([sha256(provider), sha256(shown)], sha256))
    }
  }
  return sha256(`${value.batch_type}|1|${hashOfList(hashes, sha256)}`)
}

/** Formats an amount as Daml shows a Decimal: `1.50` becomes `1.5`, and `1` becomes `1.0`. */
function asShown(amount: string): string | undefined {
  const [, whole, fraction = ''] = /^(0|[1-9]\d*)(?:\.(\d{1,10}))?$/.exec(amount) ?? []
  return whole === undefined ? undefined : `${whole}.${withoutTrailing('0', fraction) || '0'}`
}

function withAmountsAsShown(value: Batch): Batch {
  if (value.batch_type !== 'BatchOfMintingAllowances') return value
  const allowances = value.minting_allowances.map(({ provider, amount }) => ({
    provider,
    amount: asShown(amount) ?? amount,
  }))
  return { ...value, minting_allowances: allowances }
}

export const getRewardAccountingBatch = defineRead('getRewardAccountingBatch', {
  summary: 'A part of the rewards of a round, by its hash.',
  // Without `normalise`, a single scan could choose the trailing zeros of the served amounts: one
  // reply with the requested hash is enough, and trailing zeros do not change the hash.
  normalise: withAmountsAsShown,
  normalises: 'amounts are printed as Daml shows them: `1.5`, and `1.0` for a whole number',
  proves: (value, params, sha256) => hashOf(value, sha256) === params['batch_hash'],
  absent: ['No reward batch has the hash {batch_hash} in round {round_number}.', '*'],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '4MiB',
  holders: rewardsOfRound,
})
