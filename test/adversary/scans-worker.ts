import { parentPort } from 'node:worker_threads'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { reads } from '../../src/core/reads/table.ts'
import { honestly, hostile, storiesOf } from './attack.ts'
import { delivered, plainly, type Step } from './delivery.ts'
import { tellsTruth } from './oracle.ts'
import { type Line, lineOf, linesOf, RawScans } from './raw-scans.ts'
import { Tape } from './tape.ts'
import { type Tree, treeOf } from './tree.ts'
import type { Truth } from './world.ts'

/** A `Truth` that can be sent between threads, because it names its read by id. */
export interface SentTruth {
  readonly read: ReadId
  readonly params: Truth['params']
  readonly status: number
  readonly body: Tree
}

export type Order =
  | { readonly do: 'listen'; readonly scans: number }
  | { readonly do: 'tell'; readonly truths: readonly SentTruth[]; readonly liars: readonly number[] }
  | { readonly do: 'decide'; readonly choices: readonly number[] }
  | { readonly do: 'report' }

export interface Report {
  readonly replies: number
  readonly lies: number
  /** The numbers of the liars that told the truth, or sent a lie in a way that may have turned it into the truth. */
  readonly truthful: readonly number[]
  readonly asks: readonly number[]
}

/** The scans run in a thread of their own, so that the time in which they make lies is not measured. */
class Scans {
  readonly #scans = new RawScans((nth, line) => this.#answer(nth, line))
  #truths = new Map<string, Truth>()
  #all: readonly Truth[] = []
  #liars = new Set<number>()
  #choices: readonly number[] = []
  readonly #decisions = new Map<number, Tape>()
  #replies = 0
  #lies = 0
  readonly #truthful = new Set<number>()
  readonly #asks: number[] = []

  async obey(order: Order): Promise<unknown> {
    switch (order.do) {
      case 'listen':
        await this.#scans.listen(order.scans)
        return this.#scans.ports
      case 'tell':
        this.#all = order.truths.map(({ read, ...rest }) => ({ read: reads[read], ...rest }))
        this.#truths = new Map(this.#all.map((truth) => [lineOf(truth), truth]))
        this.#liars = new Set(order.liars)
        return undefined
      case 'decide':
        this.#choices = order.choices
        this.#decisions.clear()
        return undefined
      case 'report':
        return this.#report()
    }
  }

  #report(): Report {
    const report = {
      replies: this.#replies,
      lies: this.#lies,
      truthful: [...this.#truthful],
      asks: [...this.#asks],
    }
    this.#replies = 0
    this.#lies = 0
    this.#truthful.clear()
    this.#asks.fill(0)
    return report
  }

  #answer(nth: number, line: Line): readonly Step[] {
    this.#replies++
    this.#asks[nth] = (this.#asks[nth] ?? 0) + 1
    const truth = this.#truths.get(line) ?? (line === probeLine ? probeAnswer : nothing)
    const tape = this.#tapeOf(nth)
    if (!this.#liars.has(nth)) return plainly(honestly(truth, tape)).steps
    this.#lies++
    const said = hostile(truth, storiesOf(truth, this.#all, new Tape(this.#choices)), tape)
    const delivery = delivered(said, tape)
    // A scan of an older release is asked for another form, in which the daemon reads what it asked for.
    const asked = this.#all.filter((one) => linesOf(one).includes(line))
    if (delivery.changes || asked.some((one) => tellsTruth(one, said))) this.#truthful.add(nth)
    return delivery.steps
  }

  /** Each scan has its own tape, so that its lies do not depend on the order in which the scans are asked. */
  #tapeOf(nth: number): Tape {
    let tape = this.#decisions.get(nth)
    if (tape === undefined) {
      tape = new Tape(this.#choices.slice(8 + nth * 24))
      this.#decisions.set(nth, tape)
    }
    return tape
  }
}

const probeLine = lineOf({ read: reads.getDsoPartyId, params: {} })
const probeAnswer: Truth = {
  read: reads.getDsoPartyId,
  params: {},
  status: 200,
  body: treeOf({ dso_party_id: 'DSO::1220d5' }),
}

/** The answer to a question that is not part of the campaign, such as how much history a scan has loaded. */
const nothing: Truth = {
  read: reads.getDsoPartyId,
  params: {},
  status: 404,
  body: treeOf({ error: 'Nothing here' }),
}

const scans = new Scans()
parentPort?.on('message', async (order: Order) => {
  parentPort?.postMessage(await scans.obey(order))
})
