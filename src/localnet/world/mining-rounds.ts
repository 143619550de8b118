import { sha256Hex } from '../../base/lib/digest.ts'
import { seededRandom } from '../../base/lib/random.ts'
import { timeOf } from '../../registry/ledger/daml/time.ts'
import {
  type Contract,
  type ContractWithState,
  createContract,
  Identifiers,
  type Json,
  type Micros,
  microsIn,
} from './contract.ts'
import { openMiningRound } from './network.ts'

export interface Rounds {
  /**
   * In spite of its name, the last `OpenMiningRound` is not open yet: it opens ten minutes after
   * its creation.
   */
  readonly openRounds: readonly ContractWithState[]
  readonly usableRound: ContractWithState | undefined
  readonly issuingRounds: readonly ContractWithState[]
  readonly closedRounds: readonly Contract[]
  rewards(): readonly Rewards[]
}

export interface RoundFacts {
  readonly seed: number
  readonly dso: string
  readonly synchronizer: string
  /** The first round whose rewards are known. */
  readonly firstRewarded: number
  readonly providers: readonly string[]
}

const tick: Micros = 600_000_000
const [openAtOnce, issuingAtOnce, closedAtOnce] = [3, 3, 2]

type Kind = 'OpenMiningRound' | 'IssuingMiningRound' | 'ClosedMiningRound'
const kinds: readonly Kind[] = ['OpenMiningRound', 'IssuingMiningRound', 'ClosedMiningRound']

/**
 * Makes the contracts of mining rounds. The id of a contract depends only on the seed, and on the
 * number and phase of its round, so that every caller gets the same id.
 */
export class MiningRounds {
  readonly #facts: RoundFacts
  readonly #packageId: string

  constructor(facts: RoundFacts) {
    this.#facts = facts
    this.#packageId = new Identifiers(seededRandom(facts.seed)).hex(64)
  }

  /**
   * Returns the rounds at a time. The DSO creates a round every ten minutes, so the number and
   * creation time of any one round determine the others.
   * @param latest the number of that one round.
   * @param createdAt when the DSO created that round.
   * @param now the time of the node's clock.
   */
  at(time: Micros, latest: number, createdAt: Micros, now: Micros): Rounds {
    const newest = latest + Math.floor((time - createdAt) / tick)
    const open = Array.from({ length: openAtOnce }, (_, at) => newest - openAtOnce + 1 + at).map((number) => {
      const created = createdAt + (number - latest) * tick
      const payload = openMiningRound(this.#facts.dso, number, created + tick)
      return this.#assigned(this.#contract('OpenMiningRound', number, payload, created))
    })
    return this.after(open, now)
  }

  /**
   * Adds the earlier rounds to the open ones. Up to three rounds before the oldest open round issue
   * coin. Up to two rounds before those are closed.
   */
  after(open: readonly ContractWithState[], now: Micros): Rounds {
    const oldest = Math.min(...open.map(numberOf))
    /** The numbers of rounds that ended when the round that is `later` by number was created. */
    const ended = (most: number, behind: number, later: number) =>
      Array.from({ length: most }, (_, at) => oldest - behind - most + at).flatMap((number) => {
        const at = createdAt(open, number + later)
        return number < 0 || at === undefined ? [] : [{ number, at }]
      })
    const issuing = ended(issuingAtOnce, 0, openAtOnce).map(({ number, at }) =>
      this.#assigned(this.#contract('IssuingMiningRound', number, this.#issuing(number, at), at)),
    )
    const closed = ended(closedAtOnce, issuingAtOnce, openAtOnce + issuingAtOnce).map(({ number, at }) => {
      const payload = { dso: this.#facts.dso, round: { number: String(number) } }
      return this.#contract('ClosedMiningRound', number, payload, at)
    })
    return {
      openRounds: open,
      usableRound: open.findLast(({ contract: { payload } }) => microsIn(payload['opensAt']) <= now),
      issuingRounds: issuing,
      closedRounds: closed,
      rewards: () => rewardsUpTo(closed, this.#facts),
    }
  }

  #issuing(number: number, ended: Micros): Contract['payload'] {
    return {
      dso: this.#facts.dso,
      round: { number: String(number) },
      issuancePerValidatorRewardCoupon: '0.2',
      issuancePerFeaturedAppRewardCoupon: '1.5',
      issuancePerUnfeaturedAppRewardCoupon: '0.6',
      issuancePerSvRewardCoupon: '0.0',
      opensAt: timeOf(ended + tick),
      targetClosesAt: timeOf(ended + 3 * tick),
      optIssuancePerValidatorFaucetCoupon: '2.85',
    }
  }

  #contract(kind: Kind, number: number, payload: Contract['payload'], created: Micros): Contract {
    const random = seededRandom(this.#facts.seed * 7_919 + number * kinds.length + kinds.indexOf(kind))
    const templateId = `${this.#packageId}:Splice.Round:${kind}`
    return createContract(new Identifiers(random), templateId, payload, created)
  }

  #assigned(contract: Contract): ContractWithState {
    return { contract, domain_id: this.#facts.synchronizer }
  }
}

export function numberOf({ contract: { payload } }: Pick<ContractWithState, 'contract'>): number {
  return Number((payload['round'] as { readonly number: string }).number)
}

function createdAt(open: readonly ContractWithState[], number: number): Micros | undefined {
  const round = open.find((round) => numberOf(round) === number)
  return round && microsIn(round.contract.created_at)
}

export interface Rewards {
  readonly round: number
  readonly rootHash: string
  readonly batches: ReadonlyMap<string, Json>
  readonly totals: Json
}

const mostRounds = 12

/** Returns the rewards of the last closed rounds. */
function rewardsUpTo(
  closed: readonly Contract[],
  { firstRewarded, providers }: RoundFacts,
): readonly Rewards[] {
  const last = Math.max(...closed.map((contract) => numberOf({ contract })))
  if (last < firstRewarded) return []
  const first = Math.max(firstRewarded, last - mostRounds + 1)
  return Array.from({ length: last - first + 1 }, (_, at) => rewardsOf(first + at, providers))
}

/** Computes the hash of a Daml variant as the Daml module Splice.Amulet.CryptoHash does. */
function variantHash(tag: string, hashes: readonly string[]): string {
  return sha256Hex([tag, '1', listHash(hashes)].join('|'))
}

function listHash(hashes: readonly string[]): string {
  return sha256Hex([String(hashes.length), ...hashes].join('|'))
}

function rewardsOf(round: number, providers: readonly string[]): Rewards {
  const allowances = providers.map((provider, at) => ({ provider, amount: `${at + 1}0.0` }))
  const leaf = variantHash(
    'BatchOfMintingAllowances',
    allowances.map(({ provider, amount }) => listHash([sha256Hex(provider), sha256Hex(amount)])),
  )
  const rootHash = variantHash('BatchOfBatches', [leaf])
  return {
    round,
    rootHash,
    batches: new Map<string, Json>([
      [rootHash, { batch_type: 'BatchOfBatches', child_hashes: [leaf] }],
      [leaf, { batch_type: 'BatchOfMintingAllowances', minting_allowances: allowances }],
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
