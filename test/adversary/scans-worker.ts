import { parentPort } from 'node:worker_threads'
import { type ReadId, reads } from '../../src/reads/table.ts'
import { honestly, hostile, storiesOf } from './attack.ts'
import { delivered, plainly, type Step } from './delivery.ts'
import { tellsTruth } from './oracle.ts'
import { type Line, lineOf, RawScans } from './raw-scans.ts'
import { Tape } from './tape.ts'
import { type Tree, treeOf } from './tree.ts'
import type { Truth } from './world.ts'

/** A truth, in the form in which it is sent between threads. */
export interface SentTruth {
  readonly read: ReadId
  readonly params: Truth['params']
  readonly status: number
  readonly body: Tree
}

/** The orders to the thread of the scans. The thread answers each. */
export type Order =
  | { readonly do: 'listen'; readonly scans: number }
  /** Sets the truths, and the numbers of the scans that lie about them. */
  | { readonly do: 'tell'; readonly truths: readonly SentTruth[]; readonly liars: readonly number[] }
  /** Sets the tape by which liars decide. */
  | { readonly do: 'decide'; readonly choices: readonly number[] }
  /** Asks for a report about everything that was sent since the last report. */
  | { readonly do: 'report' }

export interface Report {
  readonly replies: number
  readonly lies: number
  /** The liars that said the truth, or something that may have become the truth on its way. */
  readonly truthful: readonly number[]
  /** The number of asks that each scan got. */
  readonly asks: readonly number[]
}

/**
 * Scans on loopback, of which some lie. They have a thread of their own, so that the cost of making lies is not
 * measured.
 */
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
    const truth = this.#truths.get(line) ?? (line === probeLine ? alive : nothing)
    const tape = this.#tapeOf(nth)
    if (!this.#liars.has(nth)) return plainly(honestly(truth, tape)).steps
    this.#lies++
    const said = hostile(truth, storiesOf(truth, this.#all, new Tape(this.#choices)), tape)
    const delivery = delivered(said, tape)
    if (delivery.changes || tellsTruth(truth, said)) this.#truthful.add(nth)
    return delivery.steps
  }

  /** Returns the tape of a scan: a part of its own, so that the order of the asks changes nothing. */
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
/** The answer to a probe. */
const alive: Truth = {
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
parentPort?.on('message', async ({ id, order }: { id: number; order: Order }) => {
  parentPort?.postMessage({ id, answer: await scans.obey(order) })
})
