import { AmuletRules } from '../ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../ledger/daml/splice/round.ts'
import { microsOf } from '../ledger/daml/time.ts'
import type { EmbeddedLedger } from '../ledger/embedded/embedded-ledger.ts'
import { type ContractFrom, listContracts } from '../ledger/ledger.ts'
import type { Micros, Party } from '../ledger/value.ts'

export type OpenRound = ContractFrom<typeof OpenMiningRound>

/**
 * The DSO's contracts that determine prices and payments. Undefined ones are not on the ledger yet.
 */
export interface RulesInForce {
  readonly dso: Party
  readonly ansRules: ContractFrom<typeof AnsRules> | undefined
  readonly amuletRules: ContractFrom<typeof AmuletRules> | undefined
  /** The mining rounds, sorted by number. Some of them open only later. */
  readonly rounds: readonly OpenRound[]
}

/** The DSO's rules and mining rounds, as they are on the ledger now. */
export class Rules {
  readonly dso: Party
  readonly #ledger: Pick<EmbeddedLedger, 'contracts'>

  constructor(dso: Party, ledger: Pick<EmbeddedLedger, 'contracts'>) {
    this.dso = dso
    this.#ledger = ledger
  }

  async get(): Promise<RulesInForce> {
    const [[ansRules], [amuletRules], rounds] = await Promise.all([
      listContracts(this.#ledger, AnsRules, {}, 1),
      listContracts(this.#ledger, AmuletRules, {}, 1),
      listContracts(this.#ledger, OpenMiningRound, {}, 100),
    ])
    return { dso: this.dso, ansRules, amuletRules, rounds: rounds.toSorted(byNumber) }
  }
}

/** Returns the newest open mining round, whose price of coin applies to payments. */
export function usableRound(rounds: readonly OpenRound[], now: Micros): OpenRound | undefined {
  return rounds.findLast(({ argument }) => microsOf(argument.opensAt) <= now)
}

function byNumber(a: OpenRound, b: OpenRound): number {
  return Number(a.argument.round.number) - Number(b.argument.round.number)
}
