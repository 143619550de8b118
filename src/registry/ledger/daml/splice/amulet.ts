import type { DamlRecord, Party } from '../../value.ts'
import { type Decimal, decimal, divide, multiply, shortest, zero } from '../decimal.ts'
import { amuletPackage } from '../packages.ts'
import { consuming, defineTemplate } from '../template.ts'
import { decimalType, list, optional, party, record, text, time, unit, type ValueOf } from '../type.ts'
import { type OpenMiningRoundArgument, round } from './round.ts'

const one = decimal('1')

const amount = record({
  initialAmount: decimalType,
  createdAt: round,
  ratePerRound: record({ rate: decimalType }),
})

const argument = record({ dso: party, owner: party, amount })
type AmuletArgument = ValueOf<typeof argument>

/**
 * Coin. As in Splice, an amulet has a rate of holding fees that is never charged: the amulet is
 * always worth its `initialAmount`.
 */
export const Amulet = defineTemplate('Splice.Amulet:Amulet', {
  package: amuletPackage,
  argument,
  signatories: ({ dso, owner }) => [dso, owner],
  indexed: { owner: ['owner'] },
  holding: (amulet) => holding(amulet, null),
})

export const timeLock = record({ holders: list(party), expiresAt: time, optContext: optional(text) })

export const LockedAmulet = defineTemplate('Splice.Amulet:LockedAmulet', {
  package: amuletPackage,
  argument: record({ amulet: argument, lock: timeLock }),
  signatories: ({ amulet, lock }) => [...lock.holders, ...Amulet.signatories(amulet)],
  indexed: { owner: ['amulet', 'owner'] },
  holding: ({ amulet, lock: { holders, expiresAt, optContext } }) =>
    holding(amulet, { holders, expiresAt, expiresAfter: null, context: optContext }),
})

export const LockedAmulet_UnlockV2 = consuming(LockedAmulet, 'LockedAmulet_UnlockV2', {
  argument: unit,
  controllers: ({ argument: { amulet, lock } }) => [amulet.owner, ...lock.holders],
  run: (scope, { argument: { amulet } }) => ({
    amuletCid: scope.create(Amulet, amulet),
    meta: {
      values: {
        'splice.lfdecentralizedtrust.org/reason': 'holders released lock',
        'splice.lfdecentralizedtrust.org/tx-kind': 'unlock',
      },
    },
  }),
})

export function coin(
  { dso, round, amuletPrice, transferConfigUsd }: OpenMiningRoundArgument,
  owner: Party,
  initialAmount: Decimal,
): AmuletArgument {
  const inUsd = transferConfigUsd.holdingFee.rate
  const rate = inUsd === zero ? zero : multiply(inUsd, divide(one, amuletPrice))
  return { dso, owner, amount: { initialAmount, createdAt: round, ratePerRound: { rate } } }
}

/**
 * The view has the same fields and values as Splice's `HoldingView` (Splice.Api.Token.HoldingV1).
 */
function holding({ dso, owner, amount }: AmuletArgument, lock: DamlRecord | null): DamlRecord {
  const { initialAmount, createdAt, ratePerRound } = amount
  const prefix = 'amulet.splice.lfdecentralizedtrust.org'
  const values = {
    [`${prefix}/created-in-round`]: createdAt.number,
    [`${prefix}/rate-per-round`]: shortest(ratePerRound.rate),
  }
  return { owner, instrumentId: { admin: dso, id: 'Amulet' }, amount: initialAmount, lock, meta: { values } }
}
