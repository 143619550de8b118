import type { Answer } from '../../src/cache/answer.ts'
import type { Fanout } from '../../src/quorum/plan.ts'
import { type FaultKind, faultKinds } from '../../src/quorum/reply.ts'
import { tolerated } from '../../src/quorum/threshold.ts'
import { agreedAnswer } from '../../src/scan/agreed-answer.ts'
import type { EvidenceLog } from '../../src/scan/evidence-log.ts'
import type { Inquiry } from '../../src/scan/inquiry.ts'
import type { ScanResponse } from '../../src/scan/node.ts'
import { type WiredReads, wireReads } from '../support/wired-reads.ts'
import { honestly, hostile, type Said, storiesOf } from './attack.ts'
import { lie } from './lies.ts'
import { isBeginning, tellsTruth, trueMeaning, untruth } from './oracle.ts'
import { Tape } from './tape.ts'
import type { Tree } from './tree.ts'
import type { Truth } from './world.ts'

const sizes = [4, 7, 13] as const
const fanouts: readonly Fanout[] = ['economical', 'quorum', 'all']

interface Scene {
  readonly truth: Truth
  readonly stories: readonly Tree[]
  readonly n: number
  readonly liars: ReadonlySet<string>
  /**
   * The truth after a change, which the super validators in `early` give already. Undefined if the truth does not
   * change.
   */
  readonly later: Truth | undefined
  readonly early: ReadonlySet<string>
  readonly rule: 'f+1' | '2f+1'
  readonly fanout: Fanout
  readonly tape: Tape
  readonly seed: number
}

interface UnansweredAsk {
  readonly name: string
  readonly answer: (response: ScanResponse) => void
  /** A late ask is answered only when no other ask is left and the read is settled. Only liars are late. */
  readonly isLate: boolean
}

export interface Course {
  readonly replies: number
  readonly lies: number
  /** The number of asks that the read caused, rechecks included. */
  readonly asks: number
}

/**
 * Plays one read to its end without sockets, from the plan of the fan-out to the rechecks.
 * @throws an error that describes a result that must not occur.
 */
export async function play(truths: readonly Truth[], choices: readonly number[]): Promise<Course> {
  const scene = sceneOf(truths, new Tape(choices))
  const stage = new Stage(scene)
  const { answer, inquiry } = await stage.read()
  checkAnswer(scene, stage, answer, inquiry)
  await stage.settle()
  checkEvidence(scene, stage)
  const asks = stage.asks.values().reduce((sum, count) => sum + count, 0)
  return { replies: stage.said.length, lies: stage.lies, asks }
}

function sceneOf(truths: readonly Truth[], tape: Tape): Scene {
  const truth = tape.pick(truths)
  const n = tape.pick(sizes)
  const names = Array.from({ length: n }, (_, nth) => nameOf(nth))
  const later = tape.once(4) ? laterThan(truth, tape) : undefined
  return {
    truth,
    n,
    later,
    early: new Set(names.filter(() => tape.once(2))),
    stories: storiesOf(truth, truths, tape),
    rule: tape.pick(['f+1', '2f+1']),
    fanout: tape.pick(fanouts),
    liars: new Set(tape.shuffled(names).slice(0, tolerated(n))),
    seed: tape.below(1 << 16),
    tape,
  }
}

/**
 * Returns another answer that could be true. Undefined if the truth is a refusal, if the read does not vote on whole
 * answers, or if the changed answer is no value.
 */
function laterThan(truth: Truth, tape: Tape): Truth | undefined {
  const { on } = truth.read.agree
  if (truth.status !== 200 || (on !== 'whole' && on !== 'ranked')) return undefined
  const later = { ...truth, body: lie(truth.body, tape) }
  return trueMeaning(later).kind === 'value' ? later : undefined
}

function nameOf(nth: number): string {
  return `sv-${String(nth + 1).padStart(2, '0')}`
}

class Stage {
  readonly said: (Said & { readonly name: string })[] = []
  readonly asks = new Map<string, number>()
  lies = 0
  readonly #scene: Scene
  readonly #reads: WiredReads
  #pending: UnansweredAsk[] = []

  constructor(scene: Scene) {
    this.#scene = scene
    const { n, rule, fanout, seed } = scene
    const names = Array.from({ length: n }, (_, nth) => nameOf(nth))
    this.#reads = wireReads({
      names,
      rule,
      fanout,
      seed,
      auditShare: 0.2,
      ask: (name) => this.#ask(name),
    })
  }

  get evidence(): EvidenceLog {
    return this.#reads.evidence
  }

  async read(): Promise<{ inquiry: Inquiry; answer: Answer | undefined }> {
    const { read, params } = this.#scene.truth
    const inquiry = this.#reads.inquiry(read, params)
    let isClosed = false
    let isSettled = false
    const verdict = inquiry.run(
      new AbortController().signal,
      () => {
        isClosed = true
      },
      () => {},
    )
    verdict.then(
      () => {
        isSettled = true
      },
      () => {
        isSettled = true
      },
    )
    for (let turn = 0; !isClosed; turn++) {
      if (turn > 1_000) throw this.#failure('the read never ended')
      await this.#turn(isSettled)
    }
    const said = await verdict
    const answer = said.kind === 'agreed' ? await agreedAnswer(inquiry, said) : undefined
    this.#reads.witness.readClosed(inquiry)
    return { inquiry, answer }
  }

  async settle(): Promise<void> {
    for (let second = 0; second < 70; second++) {
      this.#reads.clock.advance(1_000)
      for (let turn = 0; this.#pending.length > 0 || turn < 1; turn++) {
        if (turn > 1_000) throw this.#failure('looking into dissents never ended')
        await this.#turn(true)
      }
      if (
        this.evidence.cases().every(({ dissent }) => Object.values(dissent).every((as) => as !== 'pending'))
      )
        return
    }
    throw this.#failure('a dissent was never looked into')
  }

  async #turn(isSettled: boolean): Promise<void> {
    const { tape } = this.#scene
    const prompt = this.#pending.filter(({ isLate }) => !isLate)
    const next = prompt.length > 0 ? tape.pick(prompt) : isSettled ? this.#pending[0] : undefined
    if (next === undefined) this.#reads.clock.advance(100)
    else {
      this.#pending = this.#pending.filter((other) => other !== next)
      this.#reads.clock.advance(tape.below(40))
      next.answer(this.#says(next))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }

  #ask(name: string): Promise<ScanResponse> {
    const { liars, tape } = this.#scene
    this.asks.set(name, (this.asks.get(name) ?? 0) + 1)
    const { promise, resolve } = Promise.withResolvers<ScanResponse>()
    this.#pending.push({ name, answer: resolve, isLate: liars.has(name) && tape.once(5) })
    return promise
  }

  #says({ name }: UnansweredAsk): ScanResponse {
    const { liars, truth, stories, tape } = this.#scene
    const isLiar = liars.has(name)
    if (isLiar && tape.once(8)) {
      const fault = tape.pick(faultKinds.filter((kind) => transportFaults.has(kind))) as 'reset'
      return { kind: 'fault', fault, detail: 'made up' }
    }
    const held = this.#scene.early.has(name) ? (this.#scene.later ?? truth) : truth
    const said = isLiar ? hostile(truth, stories, tape) : honestly(held, tape)
    if (isLiar) this.lies++
    this.said.push({ name, ...said })
    return { kind: 'response', status: said.status, body: said.bytes, release: () => {} }
  }

  #failure(what: string): Error {
    return failure(this.#scene, this, what)
  }
}

const transportFaults: ReadonlySet<FaultKind> = new Set([
  'unreachable',
  'blocked',
  'reset',
  'timeout',
  'busy',
  'held-back',
  'oversized',
  'truncated',
  'not-json',
])

function checkAnswer(scene: Scene, stage: Stage, answer: Answer | undefined, inquiry: Inquiry): void {
  const { truth, later, n } = scene
  const { plan, electorate } = inquiry
  if (plan.asked > n || stage.asks.values().some((asks) => asks > 2))
    throw failure(scene, stage, 'was asked too often')
  // A missing answer is a failure, because enough honest super validators agree to reach the threshold. After a change
  // of the truth they may be split.
  if (answer === undefined) {
    if (later !== undefined) return
    throw failure(scene, stage, `came to ${JSON.stringify(plan.verdict)}`)
  }
  const told = later === undefined || untruth(truth, answer) === undefined ? truth : later
  const wrong = untruth(told, answer)
  const { complete, agreed, threshold } = answer.agreement
  if (wrong !== undefined && (complete || !isBeginning(told, answer)))
    throw failure(scene, stage, `was answered with ${wrong}`)
  if (agreed.length < threshold) throw failure(scene, stage, `was agreed by ${agreed.length} of ${threshold}`)
  if (threshold !== 1 && threshold !== electorate.superValidators.threshold)
    throw failure(scene, stage, `had a threshold of ${threshold}`)
  // A liar that states a later time has reached the served one, too.
  for (const name of complete && told.read.agree.on !== 'reached' ? agreed : [])
    if (!stage.said.some((said) => said.name === name && tellsTruth(told, said)))
      throw failure(scene, stage, `counts ${name} among those who agree`)
}

function checkEvidence(scene: Scene, stage: Stage): void {
  if (scene.later !== undefined) return
  const { n } = scene
  const asks = stage.asks.values().reduce((sum, count) => sum + count, 0)
  // The read itself, and the question how much history each scan has loaded, may take 2n asks. Each liar may add 2 * (1
  // + 2n) asks: each of its two rechecks is one ask, and may put the question to all super validators again.
  if (asks > 2 * n + 2 * tolerated(n) * (1 + 2 * n)) throw failure(scene, stage, `led to ${asks} asks`)
  for (const { dissent } of stage.evidence.cases())
    for (const name of Object.keys(dissent))
      if (!scene.liars.has(name))
        throw failure(scene, stage, `filed ${dissent[name]} against ${name}, which is honest`)
}

function failure({ truth, n, rule, fanout, liars }: Scene, { said }: Stage, what: string): Error {
  const texts = said.map(
    ({ name, status, bytes }) =>
      `${name}${liars.has(name) ? ' lies' : ''}: ${status} ${bytes.toString('latin1').slice(0, 2000)}`,
  )
  return new Error(
    `${truth.read.id} (${truth.status}) of ${n} under ${rule}, ${fanout}: ${what}\n${texts.join('\n')}`,
  )
}
