import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { momentOf } from '../../src/base/lib/clock.ts'
import type { Load, Served } from '../../src/core/cache/answers.ts'
import { topic } from '../../src/core/cache/key.ts'
import { ask, openAnswers } from './loads.ts'
import { answerOf, byName, keyOf, minutes } from './samples.ts'

const names = ['alice', 'bob'] as const
type Name = (typeof names)[number]

const hourMs = 3_600_000
const name = fc.constantFrom(...names)
const which = fc.nat(30)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), name, leaves: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('give' as const, 'fail' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('invalidate' as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('step' as const),
      ms: fc.constantFrom(-3 * hourMs, -61_000, -5_000, 5_000, 40_000, 61_000, 3 * hourMs),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, minutes.freshMs, minutes.staleMs),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Running {
  readonly name: Name
  readonly text: string
  /** The number of invalidations of the name before the load began. */
  readonly invalidated: number
  readonly signal: AbortSignal
  readonly give: () => void
  readonly fail: () => void
  settled: boolean
  givenAt: { readonly now: number; readonly wall: number }
}

interface Caller {
  readonly name: Name
  readonly invalidated: number
  readonly leave: AbortController | undefined
  outcome?: Served | 'failed' | 'left'
}

const failed = new Error('no quorum')
const gone = new Error('gone')

class World {
  readonly #opened = openAnswers()
  readonly #invalidated = { alice: 0, bob: 0 }
  readonly #loads: Running[] = []
  readonly #callers: Caller[] = []
  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'ask':
        this.#ask(step.name, step.leaves)
        break
      case 'leave':
        pick(
          this.#callers.filter(({ leave, outcome }) => leave !== undefined && outcome === undefined),
          step.which,
        )?.leave?.abort(gone)
        break
      case 'give':
      case 'fail':
        pick(
          this.#loads.filter(({ settled }) => !settled),
          step.which,
        )?.[step.do]()
        break
      case 'invalidate':
        this.#invalidated[step.name] += 1
        this.#opened.invalidations.invalidate([topic(byName, { name: step.name })])
        break
      case 'wait':
        this.#opened.clock.advance(step.ms)
        break
      case 'step':
        // A machine that slept looks the same as one whose wall clock was set forward.
        this.#opened.clock.sleep(step.ms)
    }
    await setImmediate()
    this.#expectOneLoadEach()
  }

  async finish(): Promise<void> {
    for (let running = this.#running(); running.length > 0; running = this.#running()) {
      for (const load of running) load.give()
      await setImmediate()
    }
    for (const { outcome } of this.#callers) expect(outcome).toBeDefined()
  }

  #running(): Running[] {
    return this.#loads.filter(({ settled }) => !settled)
  }

  #ask(name: Name, leaves: boolean): void {
    const leave = leaves ? new AbortController() : undefined
    const caller: Caller = { name, invalidated: this.#invalidated[name], leave }
    this.#callers.push(caller)
    ask(this.#opened.answers, keyOf(name), this.#loadOf(name), leave?.signal).then(
      (served) => {
        caller.outcome = served
        this.#expectRight(caller, served)
      },
      (error: unknown) => {
        caller.outcome = error === gone ? 'left' : 'failed'
        expect(error).toBe(leave?.signal.aborted === true ? gone : failed)
      },
    )
  }

  #loadOf(name: Name): Load {
    return (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Load>>>()
      const text = `${name}-${this.#loads.length}`
      const load: Running = {
        name,
        text,
        invalidated: this.#invalidated[name],
        signal,
        settled: false,
        givenAt: { now: 0, wall: 0 },
        give: () => {
          load.settled = true
          load.givenAt = momentOf(this.#opened.clock)
          resolve({ answer: answerOf(text), lifetime: minutes, sharedInRedis: true })
        },
        fail() {
          load.settled = true
          reject(failed)
        },
      }
      signal.addEventListener('abort', () => {
        load.settled = true
        reject(signal.reason)
      })
      this.#loads.push(load)
      return promise
    }
  }

  #expectRight(caller: Caller, { answer, how }: Served): void {
    const load = this.#loads.find(({ text }) => answerOf(text).digest === answer.digest)
    expect(load?.name).toBe(caller.name)
    expect(load?.invalidated).toBeGreaterThanOrEqual(caller.invalidated)
    const { clock } = this.#opened
    const awakeMs = clock.now() - (load?.givenAt.now ?? 0)
    const wallMs = clock.wall() - (load?.givenAt.wall ?? 0)
    expect(Math.max(awakeMs, wallMs)).toBeLessThan(how === 'stale' ? minutes.staleMs : minutes.freshMs)
    expect(Math.abs(wallMs - awakeMs)).toBeLessThanOrEqual(60_000)
  }

  #expectOneLoadEach(): void {
    for (const name of names) {
      const current = this.#running().filter(
        (load) => load.name === name && load.invalidated === this.#invalidated[name],
      )
      expect(current.length).toBeLessThanOrEqual(1)
    }
  }
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from[which % Math.max(1, from.length)]
}

test('each caller gets a right answer, loaded once, in whatever order callers come and leave, loads fail and names are invalidated', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = new World()
      for (const step of steps) await world.take(step)
      await world.finish()
    }),
    { numRuns: 300 },
  )
})
