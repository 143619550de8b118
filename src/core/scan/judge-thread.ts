import type { Clock } from '../../base/lib/clock.ts'
import { partedWork, wholeWork } from '../../base/lib/in-portions.ts'
import { LazyWorker } from '../../base/lib/lazy-worker.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import { workerFile } from '../../base/lib/worker-file.ts'
import type { Question } from '../reads/read.ts'
import {
  comparedBody,
  type JudgedBody,
  type JudgedRoster,
  type JudgeJob,
  type JudgeMessage,
  type JudgeResult,
  judgedBody,
  judgedRoster,
  printedBodies,
  resultOf,
} from './judge-job.ts'
import type { Comparison, Printed, ServedPart } from './judgement.ts'

const own = Symbol('own')
const file = workerFile(import.meta.url, 'judge-job').href

type QueueKey = string | typeof own

/**
 * The length in bytes up to which a body is parsed on the main thread. Longer bodies go to the judge
 * thread; for shorter bodies, the transfer would cost more than the parsing.
 */
export const longestHere = 65_536

interface WaitingJob {
  readonly job: JudgeMessage
  readonly settle: PromiseWithResolvers<unknown>
  readonly isAgain: boolean
}

interface RunningJob extends WaitingJob {
  readonly queue: QueueKey
  readonly startedAt: number
}

/**
 * The time limit of a job, several times what the longest permitted body takes on a slow machine.
 */
const longestJobMs = 10_000
/**
 * A body is not to blame for an overlong job that took less CPU time than this. The machine then
 * paused, or had no processor free for the thread.
 */
const leastWorkMs = longestJobMs / 2
const toTellMs = 1_000
/** The memory limit of the judge thread: several times what the longest permitted body needs. */
const heapMiB = 512

/**
 * The recorded time of each queue is halved once in this time, so that mainly recent use decides
 * which job is next.
 */
const halfLifeMs = 60_000
const leastTakenMs = 1

/**
 * Thrown if a job did not finish.
 * - `body`: the body took too much processor time or memory, or a rule of its row has a defect.
 * - `daemon`: the daemon is closing, or two threads in a row did not finish the job.
 */
export class JudgeFailed extends Error {
  override readonly name = 'JudgeFailed'
  readonly blame: 'body' | 'daemon'

  constructor(message: string, blame: JudgeFailed['blame']) {
    super(message)
    this.blame = blame
  }
}

/**
 * Judges long bodies on a thread of its own, so that no body blocks the main thread. Every voter
 * has its own queue, and the queue that used the least time is next. The first costly body of a liar
 * delays others, and later ones wait for theirs.
 *
 * The methods reject with `JudgeFailed` if a job takes too much processor time or memory, or fails
 * twice, or if the daemon is closing.
 */
export class JudgeThread implements AsyncDisposable {
  readonly #clock: Clock
  readonly #queues = new Map<QueueKey, WaitingJob[]>()
  readonly #taken = new Map<QueueKey, number>()
  #halvedAt: number
  readonly #worker = new LazyWorker<JudgeMessage, JudgeResult>(
    workerFile(import.meta.url, 'judge-worker'),
    { name: 'judge', heapMiB },
    { replied: (result) => this.#replied(result), ended: (why) => this.#ended(why) },
  )
  #current: RunningJob | undefined
  #cancelTimer = () => {}
  #isClosed = false

  readonly #failed: (why: Error) => void

  /** `failed` is called each time a thread ends or does not start, and no body is to blame. */
  constructor({
    clock,
    failed = () => {},
  }: {
    readonly clock: Clock
    readonly failed?: (why: Error) => void
  }) {
    this.#clock = clock
    this.#failed = failed
    this.#halvedAt = clock.now()
  }

  async judge({ read, params }: Question, bytes: Buffer, voter: string): Promise<JudgedBody> {
    const input = { readId: read.id, params }
    const judged = await this.#add({ file, work: judgedBody, bodies: [bytes], input }, voter)
    if (judged.kind !== 'value' || judged.printed === undefined) return judged
    return { ...judged, printed: withBuffer(judged.printed) }
  }

  compare({ read, params }: Question, bytes: Buffer, voter: string): Promise<Comparison> {
    return this.#add({ file, work: comparedBody, bodies: [bytes], input: { readId: read.id, params } }, voter)
  }

  async print({ read, params }: Question, bodies: readonly Buffer[], choice: ServedPart): Promise<Printed> {
    const input = { readId: read.id, params, choice }
    return withBuffer(await this.#add({ file, work: printedBodies, bodies, input }, own))
  }

  roster(bodies: readonly Buffer[], voter: string): Promise<JudgedRoster> {
    return this.work({ file, work: judgedRoster, bodies, input: undefined }, voter)
  }

  /**
   * Does a job here if its bodies are short.
   * @param queue the voter that sent the bodies; absent for bodies that a quorum agreed on.
   */
  async work<Input, Result>(job: JudgeJob<Input, Result>, queue: QueueKey = own): Promise<Result> {
    const length = job.bodies.reduce((sum, bytes) => sum + bytes.length, 0)
    if (length > longestHere) return this.#add(job, queue)
    const result = resultOf(job)
    if ('failed' in result) throw new JudgeFailed(result.failed, 'body')
    return result.made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const waiting = [...this.#queues.values()].flat()
    this.#queues.clear()
    for (const { settle } of waiting) settle.reject(closing)
    await this.#worker.end(closing)
  }

  #add<Input, Result>(
    { file, work, bodies, input }: JudgeJob<Input, Result>,
    queue: QueueKey,
  ): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new JudgeFailed('the judge thread is closed', 'daemon'))
    const settle = Promise.withResolvers<unknown>()
    const waiting = this.#queues.get(queue)
    const added: WaitingJob = { job: { file, name: work.name, bodies, input }, settle, isAgain: false }
    if (waiting === undefined) this.#queues.set(queue, [added])
    else waiting.push(added)
    this.#next()
    return settle.promise as Promise<Result>
  }

  #next(): void {
    if (this.#current !== undefined) return
    const queue = this.#leastTaken()
    if (queue === undefined) return
    const waiting = this.#queues.get(queue) as WaitingJob[]
    const next = waiting.shift() as WaitingJob
    this.#queues.delete(queue)
    if (waiting.length > 0) this.#queues.set(queue, waiting)
    const current: RunningJob = { ...next, queue, startedAt: this.#clock.now() }
    this.#current = current
    whenKnown(copyOf(current.job), (job) => {
      if (this.#isClosed) return current.settle.reject(closing)
      // The thread may have ended meanwhile, so that the job is in its queue again.
      if (this.#current !== current) return
      const before = this.#worker.cpuMs()
      this.#worker.send(
        job,
        job.bodies.map(({ buffer }) => buffer as ArrayBuffer),
      )
      this.#cancelTimer = this.#clock.after(longestJobMs, () => void this.#overrun(current, before))
    })
  }

  async #overrun(job: RunningJob, before: Promise<number>): Promise<void> {
    const starved = new Error('the judge thread got too little processor time')
    this.#cancelTimer = this.#clock.after(toTellMs, () => void this.#worker.end(starved))
    const worked = (await this.#worker.cpuMs()) - (await before)
    if (this.#current !== job) return
    this.#cancelTimer()
    await this.#worker.end(worked < leastWorkMs ? starved : new JudgeFailed('a body took too long', 'body'))
  }

  #leastTaken(): QueueKey | undefined {
    let least: QueueKey | undefined
    for (const queue of this.#queues.keys())
      if (least === undefined || this.#takenBy(queue) < this.#takenBy(least)) least = queue
    return least
  }

  #takenBy(queue: QueueKey): number {
    return this.#taken.get(queue) ?? 0
  }

  #account(): void {
    const now = this.#clock.now()
    const halvings = Math.floor((now - this.#halvedAt) / halfLifeMs)
    if (halvings > 0) {
      this.#halvedAt += halvings * halfLifeMs
      for (const [queue, ms] of this.#taken) {
        const left = ms / 2 ** halvings
        if (left < leastTakenMs) this.#taken.delete(queue)
        else this.#taken.set(queue, left)
      }
    }
    if (this.#current === undefined) return
    const { queue, startedAt } = this.#current
    this.#taken.set(queue, this.#takenBy(queue) + now - startedAt)
  }

  #replied(result: JudgeResult): void {
    const settle = this.#done()?.settle
    if ('failed' in result) settle?.reject(new JudgeFailed(result.failed, 'body'))
    else settle?.resolve(result.made)
  }

  #done(): WaitingJob | undefined {
    this.#cancelTimer()
    this.#account()
    const current = this.#current
    this.#current = undefined
    this.#next()
    return current
  }

  #ended(why: Error): void {
    const isAboutJob = why instanceof JudgeFailed || isOutOfMemory(why)
    if (!isAboutJob) this.#failed(why)
    if (this.#current === undefined || this.#current.isAgain || isAboutJob)
      return this.#done()?.settle.reject(asFailure(why))
    const { job, settle, queue } = this.#current
    this.#queues.set(queue, [{ job, settle, isAgain: true }, ...(this.#queues.get(queue) ?? [])])
    this.#done()
  }
}

const closing = new JudgeFailed('the judge thread is closing', 'daemon')

function asFailure(why: Error): JudgeFailed {
  if (why instanceof JudgeFailed) return why
  return isOutOfMemory(why)
    ? new JudgeFailed('a body took too much memory', 'body')
    : new JudgeFailed(String(why), 'daemon')
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

/**
 * Turns the body into a `Buffer`, because it arrives from the judge thread as a plain `Uint8Array`.
 */
function withBuffer(printed: Printed): Printed {
  return { ...printed, body: Buffer.from(printed.body.buffer) }
}

/** The system may take 3 ms to find memory for so many bytes. */
const copiedAtOnce = 1_048_576

/**
 * Copies the bytes of a job into new buffers that contain nothing else, because whole buffers are
 * transferred to the judge thread. Long jobs are copied in several turns of the event loop.
 */
function copyOf(job: JudgeMessage): MaybePromise<JudgeMessage> {
  const isShort = job.bodies.every(({ length }) => length <= copiedAtOnce)
  return isShort ? wholeWork(copied(job)) : partedWork(copied(job))
}

function* copied(job: JudgeMessage): Generator<void, JudgeMessage> {
  const bodies: Uint8Array[] = []
  for (const bytes of job.bodies) {
    const copy = new Uint8Array(bytes.length)
    for (let from = 0; from < bytes.length; from += copiedAtOnce) {
      copy.set(bytes.subarray(from, from + copiedAtOnce), from)
      yield
    }
    bodies.push(copy)
  }
  return { ...job, bodies }
}
