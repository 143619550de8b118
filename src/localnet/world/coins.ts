import type { DsoFacts } from './dso.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import type { ServedContract } from './snapshots.ts'

export interface Coin {
  readonly owner: string
  readonly amount: number
  readonly locked: boolean
  readonly createdAt: Micros
  readonly event: ServedContract
}

export interface Snapshot {
  readonly at: Micros
  readonly coins: readonly Coin[]
}

export interface CoinFacts extends Pick<DsoFacts, 'dso'> {
  readonly startedAt: Micros
  readonly alice: string
  readonly bob: string
}

const hour = 3_600_000_000

/**
 * Formats a whole number as Splice's encoding `compact_json` writes a Daml Decimal: with ten decimal
 * digits.
 */
export function tenDigits(amount: number): string {
  return `${amount}.0000000000`
}

export function coinsOf(
  identifiers: Identifiers,
  { dso, startedAt, alice, bob }: CoinFacts,
): readonly Coin[] {
  const packageId = identifiers.hex(64)
  const coinOf = (owner: string, amount: number, locked: boolean, hoursAgo: number): Coin => {
    const createdAt = startedAt - hoursAgo * hour
    const coin = { dso, owner, amount: { initialAmount: tenDigits(amount) } }
    return {
      owner,
      amount,
      locked,
      createdAt,
      event: {
        created_in_update_id: locked ? null : `1220${identifiers.hex(64)}`,
        contract_id: identifiers.contractId(),
        template_id: `${packageId}:Splice.Amulet:${locked ? 'LockedAmulet' : 'Amulet'}`,
        package_name: 'splice-amulet',
        create_arguments: locked ? { amulet: coin } : coin,
        created_at: isoTime(createdAt),
        signatories: [dso, owner],
        observers: [],
      },
    }
  }
  return [
    coinOf(alice, 100, false, 18),
    coinOf(bob, 30, false, 17),
    coinOf(alice, 5, true, 16),
    coinOf(bob, 7, false, 7),
  ]
}
