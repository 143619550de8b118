import { decimal } from '../../registry/ledger/daml/decimal.ts'
import { OpenMiningRound, type OpenMiningRoundArgument } from '../../registry/ledger/daml/splice/round.ts'
import { archiving } from '../../registry/ledger/daml/template.ts'
import { later, microsOf, timeOf } from '../../registry/ledger/daml/time.ts'
import { create, exercise, type Submission } from '../../registry/ledger/ledger.ts'
import type { Micros } from '../../registry/ledger/value.ts'
import type { RulesInForce } from '../../registry/names/rules.ts'
import { byDso, type Duty, type DutyDeps } from './duty.ts'

/**
 * The price of one amulet in USD in the first rounds. Each later round takes over the price of the
 * previous one.
 */
const foundingPrice = decimal('0.005')

/**
 * Keeps two open mining rounds and one that opens later, as AmuletRules_Bootstrap_Rounds and
 * AmuletRules_AdvanceOpenMiningRounds of AmuletRules.daml do. A new round opens at least one
 * `tickDuration` after `now`: a downtime causes fewer rounds, not late ones.
 */
export function decideRounds({ dso, amuletRules, rounds }: RulesInForce, now: Micros): readonly Submission[] {
  if (amuletRules === undefined) return []
  const [oldest, middle] = rounds
  const latest = rounds.at(-1)
  if (oldest === undefined || middle === undefined || latest === undefined) {
    if (oldest !== undefined) return []
    const first = firstRounds(amuletRules.argument, now)
    return [
      byDso(
        dso,
        'open-first-rounds',
        first.map((round) => create(OpenMiningRound, round)),
      ),
    ]
  }
  const isOver =
    microsOf(oldest.argument.targetClosesAt) <= now &&
    later(microsOf(middle.argument.opensAt), middle.argument.tickDuration) <= now &&
    microsOf(latest.argument.opensAt) <= now
  if (!isOver) return []
  const next = roundAfter(amuletRules.argument, latest.argument, now)
  return [
    byDso(dso, `open-round:${next.round.number}`, [
      exercise(archiving(OpenMiningRound), oldest.contractId, {}),
      create(OpenMiningRound, next),
    ]),
  ]
}

export function miningRounds({ rules }: DutyDeps): Duty {
  return {
    name: 'mining rounds',
    wokenBy: [],
    async *batches(now) {
      yield decideRounds(await rules.get(), now)
    },
  }
}

type AmuletRulesArgument = NonNullable<RulesInForce['amuletRules']>['argument']

function firstRounds(rules: AmuletRulesArgument, now: Micros): readonly OpenMiningRoundArgument[] {
  const { tickDuration } = rules.configSchedule.initialValue
  const opens = [now, now, later(now, tickDuration)]
  return opens.map((opensAt, number) => {
    const closesAt = Array.from({ length: number + 1 }).reduce<Micros>((at) => later(at, tickDuration), now)
    return round(rules, {
      number,
      amuletPrice: foundingPrice,
      opensAt,
      closesAt,
      issuingForMicros: number * Number(tickDuration.microseconds),
    })
  })
}

function roundAfter(
  rules: AmuletRulesArgument,
  latest: OpenMiningRoundArgument,
  now: Micros,
): OpenMiningRoundArgument {
  const { tickDuration } = rules.configSchedule.initialValue
  const opensAt = later(Math.max(now, microsOf(latest.opensAt)), tickDuration)
  const closesAt = later(later(opensAt, tickDuration), tickDuration)
  const issuingForMicros = Number(latest.issuingFor.microseconds) + Number(latest.tickDuration.microseconds)
  return round(rules, {
    number: Number(latest.round.number) + 1,
    amuletPrice: latest.amuletPrice,
    opensAt,
    closesAt,
    issuingForMicros,
  })
}

interface RoundTerms {
  readonly number: number
  readonly amuletPrice: string
  readonly opensAt: Micros
  readonly closesAt: Micros
  readonly issuingForMicros: number
}

function round(
  { dso, configSchedule: { initialValue } }: AmuletRulesArgument,
  { number, amuletPrice, opensAt, closesAt, issuingForMicros }: RoundTerms,
): OpenMiningRoundArgument {
  const { transferConfig, issuanceCurve, tickDuration } = initialValue
  return {
    dso,
    round: { number: String(number) },
    amuletPrice,
    opensAt: timeOf(opensAt),
    targetClosesAt: timeOf(closesAt),
    issuingFor: { microseconds: String(issuingForMicros) },
    transferConfigUsd: transferConfig,
    issuanceConfig: issuanceAt(issuanceCurve, issuingForMicros),
    tickDuration,
    trafficPrice: null,
  }
}

type IssuanceCurve = AmuletRulesArgument['configSchedule']['initialValue']['issuanceCurve']

function issuanceAt(
  { initialValue, futureValues }: IssuanceCurve,
  micros: number,
): IssuanceCurve['initialValue'] {
  return futureValues.findLast(({ _1 }) => Number(_1.microseconds) <= micros)?._2 ?? initialValue
}
