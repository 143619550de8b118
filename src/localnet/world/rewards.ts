import { createHash } from 'node:crypto'
import type { Contract, Json } from './contract.ts'

export interface Rewards {
  readonly round: number
  readonly rootHash: string
  readonly batches: ReadonlyMap<string, Json>
  readonly totals: Json
}

const mostRounds = 12

export class RoundRewards {
  readonly #earliest: number
  readonly #providers: readonly string[]
  readonly #known = new Map<number, Rewards>()

  constructor(earliest: number, providers: readonly string[]) {
    this.#earliest = earliest
    this.#providers = providers
  }

  upTo(closed: readonly Contract[]): readonly Rewards[] {
    const last = Math.max(
      ...closed.map(({ payload }) => Number((payload['round'] as { number: string }).number)),
    )
    if (last < this.#earliest) return []
    const first = Math.max(this.#earliest, last - mostRounds + 1)
    for (const number of this.#known.keys()) if (number < first - mostRounds) this.#known.delete(number)
    return Array.from({ length: last - first + 1 }, (_, at) => this.#of(first + at))
  }

  #of(number: number): Rewards {
    const known = this.#known.get(number) ?? rewardsOf(number, this.#providers)
    this.#known.set(number, known)
    return known
  }
}

/** Computes the hash of a Daml variant as the Daml module Splice.Amulet.CryptoHash does. */
function variantHash(tag: string, hashes: readonly string[]): string {
  return sha256([tag, '1', listHash(hashes)].join('|'))
}

function listHash(hashes: readonly string[]): string {
  return sha256([String(hashes.length), ...hashes].join('|'))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function rewardsOf(round: number, providers: readonly string[]): Rewards {
  const allowances = providers.map((provider, at) => ({ provider, amount: `${at + 1}0.0` }))
  const leaf = variantHash(
    'BatchOfMintingAllowances',
    allowances.map(({ provider, amount }) => listHash([sha256(provider), sha256(amount)])),
  )
  const rootHash = variantHash('BatchOfBatches', [leaf])
  return {
    round,
    rootHash,
    batches: new Map<string, Json>([
      [rootHash, { batch_type: 'BatchOfBatches', child_hashes: [leaf] }],
      [
        leaf,
        {
          batch_type: 'BatchOfMintingAllowances',
          minting_allowances: allowances,
        },
      ],
    ]),
    totals: {
      total_app_activity_weight: 1_200,
      active_parties_count: providers.length,
      activity_records_count: 40,
      total_app_reward_minting_allowance: '30.0000000000',
      total_app_reward_thresholded: '1.0000000000',
      total_app_reward_unclaimed: '0.0000000000',
      rewarded_app_provider_parties_count: providers.length,
    },
  }
}
