import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../lib/clock.ts'
import type { Question } from '../reads/read.ts'
import type { Judged, JudgeJob, JudgeResult } from './judge-protocol.ts'
import type { Comparison, Printed, ServedPart } from './judgement.ts'

/** Identifies the queue of the daemon's own jobs. */
const own = Symbol('own')

/** Identifies a queue of jobs: that of a voter, by a name that it keeps in every roster, or that of the daemon. */
type Lane = string | typeof own

interface Waiting {
  readonly job: JudgeJob
  readonly settle: PromiseWithResolvers<JudgeResult>
  /** Whether the thread ended during the job already once. */
  readonly isAgain: boolean
}

/**
 * If a job takes more milliseconds than this, the judge thread is ended. The limit is several times what the longest
 * permitted body takes on a slow machine.
 */
const longestJobMs = 10_000
/** The memory limit of the judge thread, in MiB: several times what the longest permitted body needs. */
const heapMiB = 512

/** The half-life in milliseconds of the time that a lane has used, by which the next job is chosen. */
const halfLifeMs = 60_000
/** A lane that has used fewer milliseconds counts as unused after the next halving. */
const leastTakenMs = 1

/**
 * Thrown if a job did not finish: it took too long, took too much memory, the thread ended during it twice, or the
 * daemon is closing.
 */
export class JudgeFailed extends Error {
  override readonly name = 'JudgeFailed'
}

/**
 * Judges long bodies on a thread of its own, so that no body blocks the main thread. It runs one job at a
 * time. The next job is that of the voter whose bodies took the least time recently, so a liar with costly
 * bodies delays only its own. If a job takes too much time or memory, the thread ends, and the next job
 * starts a new one. If the thread ends for another reason, a new thread does the job again, once.
 */
export class JudgeThread implements AsyncDisposable {
  readonly #clock: Clock
  readonly #lanes = new Map<Lane, Waiting[]>()
  /** Milliseconds that the jobs of each lane have taken. They are halved every `halfLifeMs`. */
  readonly #taken = new Map<Lane, number>()
  #halvedAt: number
  #worker: Worker | undefined
  #current: (Waiting & { readonly lane: Lane; readonly startedAt: number }) | undefined
  #cancelTimer = () => {}
  #isClosed = false

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock
    this.#halvedAt = deps.clock.now()
  }

  /**
   * Judges one body: decides whether it counts as a value, an abstention or a fault.
   * @throws JudgeFailed
   */
  async judge({ read, params }: Question, bytes: Buffer, voter: string): Promise<Judged> {
    const result = await this.#add({ job: 'judge', readId: read.id, params, bytes }, voter)
    const { judged } = result as Extract<JudgeResult, { job: 'judge' }>
    if (judged.kind !== 'value' || judged.printed === undefined) return judged
    return { ...judged, printed: withBuffer(judged.printed) }
  }

  /**
   * Computes the data by which the value of a body is compared with others.
   * @throws JudgeFailed
   */
  async compare({ read, params }: Question, bytes: Buffer, voter: string): Promise<Comparison> {
    const result = await this.#add({ job: 'compare', readId: read.id, params, bytes }, voter)
    return (result as Extract<JudgeResult, { job: 'compare' }>).comparison
  }

  /**
   * Encodes the part of the bodies that is served, as the body of an answer.
   * @throws JudgeFailed
   */
  async print({ read, params }: Question, bodies: readonly Buffer[], choice: ServedPart): Promise<Printed> {
    const job = { job: 'print', readId: read.id, params, bodies, choice } as const
    const { printed } = (await this.#add(job, own)) as Extract<JudgeResult, { job: 'print' }>
    return withBuffer(printed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const waiting = [...this.#lanes.values()].flat()
    this.#lanes.clear()
    for (const { settle } of waiting) settle.reject(new JudgeFailed('the judge thread is closing'))
    await this.#end('the judge thread is closing')
  }

  #add(job: JudgeJob, lane: Lane): Promise<JudgeResult> {
    if (this.#isClosed) return Promise.reject(new JudgeFailed('the judge thread is closed'))
    const settle = Promise.withResolvers<JudgeResult>()
    const waiting = this.#lanes.get(lane)
    const added: Waiting = { job, settle, isAgain: false }
    if (waiting === undefined) this.#lanes.set(lane, [added])
    else waiting.push(added)
    this.#next()
    return settle.promise
  }

  #next(): void {
    if (this.#current !== undefined) return
    const lane = this.#leastTaken()
    if (lane === undefined) return
    const waiting = this.#lanes.get(lane) as Waiting[]
    const next = waiting.shift() as Waiting
    this.#lanes.delete(lane)
    if (waiting.length > 0) this.#lanes.set(lane, waiting)
    this.#current = { ...next, lane, startedAt: this.#clock.now() }
    this.#worker ??= this.#start()
    this.#worker.ref()
    const job = copyOf(next.job)
    this.#worker.postMessage(job, transfersOf(job))
    this.#cancelTimer = this.#clock.after(longestJobMs, () => void this.#end('a body took too long'))
  }

  /**
   * Returns the lane whose jobs have used the least time. Among equal lanes it is the one that has waited
   * longest.
   */
  #leastTaken(): Lane | undefined {
    let least: Lane | undefined
    for (const lane of this.#lanes.keys())
      if (least === undefined || this.#takenBy(lane) < this.#takenBy(least)) least = lane
    return least
  }

  #takenBy(lane: Lane): number {
    return this.#taken.get(lane) ?? 0
  }

  #account(): void {
    const now = this.#clock.now()
    const halvings = Math.floor((now - this.#halvedAt) / halfLifeMs)
    if (halvings > 0) {
      this.#halvedAt += halvings * halfLifeMs
      for (const [lane, ms] of this.#taken) {
        const left = ms / 2 ** halvings
        if (left < leastTakenMs) this.#taken.delete(lane)
        else this.#taken.set(lane, left)
      }
    }
    if (this.#current === undefined) return
    const { lane, startedAt } = this.#current
    this.#taken.set(lane, this.#takenBy(lane) + now - startedAt)
  }

  #start(): Worker {
    const file = new URL(`./judge-worker${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(file, {
      name: 'judge',
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    })
    worker.on('message', (result: JudgeResult) => this.#done()?.settle.resolve(result))
    worker.on('error', (error) => {
      if (isOutOfMemory(error)) this.#lost(worker, 'a body took too much memory')
      else this.#again(worker, String(error))
    })
    worker.on('exit', () => this.#again(worker, 'the judge thread ended'))
    return worker
  }

  #done(): Waiting | undefined {
    this.#cancelTimer()
    this.#account()
    const current = this.#current
    this.#current = undefined
    this.#worker?.unref()
    this.#next()
    return current
  }

  /** Gives the job of a thread that ended to a new one. Rejects the job if this happens to it for the second time. */
  #again(worker: Worker, why: string): void {
    if (this.#worker !== worker) return
    if (this.#current !== undefined && !this.#current.isAgain) {
      const { job, settle, lane } = this.#current
      this.#lanes.set(lane, [{ job, settle, isAgain: true }, ...(this.#lanes.get(lane) ?? [])])
      this.#worker = undefined
      this.#done()
    } else this.#lost(worker, why)
  }

  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#done()?.settle.reject(new JudgeFailed(why))
  }

  async #end(why: string): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    this.#lost(worker, why)
    await worker.terminate()
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

/** Makes the body a `Buffer` again: it arrives from the judge thread as a plain `Uint8Array`. */
function withBuffer(printed: Printed): Printed {
  return { ...printed, body: Buffer.from(printed.body.buffer) }
}

/** Copies the bytes of a job into buffers that hold nothing else, so that they can be transferred to the judge thread. */
function copyOf(job: JudgeJob): JudgeJob {
  return job.job === 'print'
    ? { ...job, bodies: job.bodies.map((bytes) => new Uint8Array(bytes)) }
    : { ...job, bytes: new Uint8Array(job.bytes) }
}

function transfersOf(job: JudgeJob): ArrayBuffer[] {
  const all = job.job === 'print' ? job.bodies : [job.bytes]
  return all.map(({ buffer }) => buffer as ArrayBuffer)
}
