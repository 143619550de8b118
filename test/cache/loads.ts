import type { Answer } from '../../src/core/cache/answer.ts'
import {
  Answers,
  type AnswersOptions,
  type FlightCaller,
  type Load,
  type Loaded,
  type Served,
} from '../../src/core/cache/answers.ts'
import { InvalidationLog } from '../../src/core/cache/invalidation-log.ts'
import { MemoryStore } from '../../src/core/cache/store.memory.ts'
import type { SyncStore } from '../../src/core/cache/store.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { Recorder } from './recorder.ts'
import { minutes } from './samples.ts'

export interface HeldLoad {
  readonly signal: AbortSignal
  give(answer: Answer, change?: Partial<Loaded>): void
  fail(error: unknown): void
}

export class HeldLoads {
  readonly all: HeldLoad[] = []
  #begun: (() => void)[] = []

  readonly load: Load = (signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Loaded>()
    this.all.push({
      signal,
      give: (answer, change) => resolve({ answer, lifetime: minutes, sharedInRedis: true, ...change }),
      fail: reject,
    })
    for (const begun of this.#begun.splice(0)) begun()
    return promise
  }

  async nth(number: number): Promise<HeldLoad> {
    for (;;) {
      const load = this.all[number]
      if (load !== undefined) return load
      await new Promise<void>((resolve) => this.#begun.push(resolve))
    }
  }
}

export function openAnswers(options: AnswersOptions = {}, withStore?: (memory: MemoryStore) => SyncStore) {
  const clock = new ManualClock()
  const invalidations = new InvalidationLog(clock)
  const events = new Recorder()
  const memory = new MemoryStore({ maxBytes: 16 * 1024 * 1024 }, { invalidations })
  const store = withStore?.(memory) ?? memory
  const answers = new Answers(options, { store, invalidations, clock, events })
  const loads = new HeldLoads()
  return { clock, invalidations, events, memory, answers, loads }
}

const nothingKept = new Error('nothing that is kept can be served')

/** Returns the answer that is served without a load and without a refresh. Undefined if either would begin. */
export function peek(answers: Answers, key: string): Served | undefined {
  let isCurrent = true
  const caller = {
    beforeLoad: () => {
      throw nothingKept
    },
    mayRefresh: () => {
      isCurrent = false
      return false
    },
  }
  try {
    const served = answers.get(key, () => Promise.reject(nothingKept), caller)
    return isCurrent ? (served as Served) : undefined
  } catch (error) {
    if (error !== nothingKept) throw error
    return undefined
  }
}

export async function ask(answers: Answers, key: string, load: Load, signal?: AbortSignal): Promise<Served> {
  return answers.get(key, load, signal === undefined ? {} : leavingAt(signal))
}

export function leavingAt(signal: AbortSignal): FlightCaller {
  return {
    whenLeft: (left) => signal.addEventListener('abort', () => left(signal.reason), { once: true }),
  }
}
