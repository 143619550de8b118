import { AmuletRules } from '../ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../ledger/daml/splice/round.ts'
import { microsOf } from '../ledger/daml/time.ts'
import { type ContractFrom, type Ledger, listContracts } from '../ledger/ledger.ts'
import type { Touched } from '../ledger/update.ts'
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

const templates = new Set<string>([AnsRules.name, AmuletRules.name, OpenMiningRound.name])

/** Caches the DSO's rules and mining rounds until one of them changes. */
export class Rules implements Disposable {
  readonly dso: Party
  readonly #ledger: Pick<Ledger, 'contracts'>
  readonly #stop: () => void
  #read: Promise<RulesInForce> | undefined

  constructor(dso: Party, ledger: Pick<Ledger, 'contracts' | 'watch'>) {
    this.dso = dso
    this.#ledger = ledger
    this.#stop = ledger.watch((touched) => {
      if (isOfRules(touched)) this.#read = undefined
    })
  }

  get(): Promise<RulesInForce> {
    if (this.#read !== undefined) return this.#read
    const read = this.#readAll()
    this.#read = read
    read.catch(() => {
      if (this.#read === read) this.#read = undefined
    })
    return read
  }

  [Symbol.dispose](): void {
    this.#stop()
  }

  async #readAll(): Promise<RulesInForce> {
    const of = { party: this.dso }
    const [[ansRules], [amuletRules], rounds] = await Promise.all([
      listContracts(this.#ledger, AnsRules, of, 1),
      listContracts(this.#ledger, AmuletRules, of, 1),
      listContracts(this.#ledger, OpenMiningRound, of, 100),
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

function isOfRules({ created, archived }: Touched): boolean {
  return [created, archived].some((touched) => touched.some((template) => templates.has(template)))
}
