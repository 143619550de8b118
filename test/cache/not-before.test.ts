import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Answers, Load, Served } from '../../src/core/cache/answers.ts'
import { ago } from '../support/manual-clock.ts'
import { leavingAt, openAnswers } from './loads.ts'
import { answerOf, keyOf, minutes, rememberedOf } from './samples.ts'

const alice = keyOf('alice')

async function askSince(answers: Answers, notBefore: number | undefined, load: Load): Promise<Served> {
  return answers.get(alice, load, { notBefore })
}

describe('a live caller', () => {
  test('shares its load with ordinary callers, and with live callers of the same millisecond', async () => {
    const { answers, loads, clock } = openAnswers()
    const now = clock.wall()
    const asked = [now, undefined, now, now - 1].map((time) => askSince(answers, time, loads.load))
    ;(await loads.nth(0)).give(answerOf('new'))
    const how = (await Promise.all(asked)).map((served) => served.how)
    expect(how).toEqual(['request', 'collapsed', 'collapsed', 'collapsed'])
    expect(loads.all).toHaveLength(1)
  })

  test('that leaves does not end the older load of others, whose answer is then stored', async () => {
    const { answers, loads, clock } = openAnswers()
    const ordinary = askSince(answers, undefined, loads.load)
    await loads.nth(0)
    clock.advance(1)
    const leaving = new AbortController()
    const live = answers.get(alice, loads.load, { notBefore: clock.wall(), ...leavingAt(leaving.signal) })
    const load = await loads.nth(1)
    leaving.abort(new Error('gone'))
    await expect(live).rejects.toThrow('gone')
    expect(load.signal.aborted).toBe(true)
    load.fail(leaving.signal.reason)
    ;(await loads.nth(0)).give(answerOf('old'))
    expect(await ordinary).toMatchObject({ how: 'miss', stored: true })
  })

  test('leaves nothing stored if an older load ends after its own, perhaps with a newer answer', async () => {
    const { answers, loads, clock } = openAnswers()
    const ordinary = askSince(answers, undefined, loads.load)
    await loads.nth(0)
    clock.advance(1)
    const live = askSince(answers, clock.wall(), loads.load)
    ;(await loads.nth(1)).give(answerOf('old'))
    expect(await live).toMatchObject({ answer: answerOf('old'), stored: true })
    ;(await loads.nth(0)).give(answerOf('new'))
    expect(await ordinary).toMatchObject({ answer: answerOf('new'), stored: false })
    const next = askSince(answers, undefined, loads.load)
    ;(await loads.nth(2)).give(answerOf('new'))
    expect(await next).toMatchObject({ how: 'miss', answer: answerOf('new') })
  })

  test('causes one load for 10,000 that want the same time', async () => {
    const { answers, loads, clock } = openAnswers()
    void askSince(answers, undefined, loads.load)
    clock.advance(2_000)
    const notBefore = clock.wall() - 1_000
    const asked = Array.from({ length: 10_000 }, () => askSince(answers, notBefore, loads.load))
    ;(await loads.nth(1)).give(answerOf('new'))
    for (const served of await Promise.all(asked)) expect(served.answer).toEqual(answerOf('new'))
    expect(loads.all).toHaveLength(2)
  })
})

describe('with a shared store', () => {
  function openShared(agreedAgoMs: number) {
    const opened = openAnswers({}, (memory) => {
      return {
        peeksAll: false,
        peek: (key) => memory.peek(key),
        get: async () => rememberedOf(answerOf('shared'), { agreedAt: ago(opened.clock, agreedAgoMs) }),
        set: (key, remembered) => memory.set(key, remembered),
        delete: (key) => memory.delete(key),
        [Symbol.asyncDispose]: async () => {},
      }
    })
    return opened
  }

  test('an answer of another daemon that is young enough needs no load', async () => {
    const { answers, loads, clock } = openShared(5_000)
    expect(await askSince(answers, clock.wall() - 5_000, loads.load)).toMatchObject({
      how: 'hit',
      answer: answerOf('shared'),
    })
  })

  test('a load of an ordinary caller is not joined, because it may end with an older answer', async () => {
    const { answers, loads, clock } = openShared(5_000)
    const ordinary = askSince(answers, undefined, loads.load)
    const live = askSince(answers, clock.wall(), loads.load)
    ;(await loads.nth(0)).give(answerOf('new'))
    expect(await ordinary).toMatchObject({ how: 'hit', answer: answerOf('shared') })
    expect(await live).toMatchObject({ how: 'request', answer: answerOf('new') })
  })
})

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), agoMs: fc.option(fc.nat(8)) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('give' as const, 'fail' as const), which: fc.nat(9) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('wait' as const, 'sleep' as const),
      ms: fc.integer({ min: 1, max: 5 }),
    }),
  },
)

test('no caller gets an answer that was agreed, or a load that began, before its time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
      const { answers, clock } = openAnswers()
      const loads: { begunAt: number; end: (isWell: boolean) => void }[] = []
      const callers: Promise<unknown>[] = []
      const load: Load = () => {
        const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Load>>>()
        const answer = answerOf(String(loads.length))
        const end = (isWell: boolean) => {
          if (isWell) resolve({ answer, lifetime: minutes, sharedInRedis: true })
          else reject(new Error('no quorum'))
        }
        loads.push({ begunAt: clock.wall(), end })
        return promise
      }
      const check = (notBefore: number | undefined, { agreedAt, how, answer }: Served) => {
        if (notBefore === undefined) return
        expect(agreedAt.wall).toBeGreaterThanOrEqual(notBefore)
        if (how === 'hit') return
        const { text } = JSON.parse(answer.body.toString()) as { text: string }
        expect(loads[Number(text)]?.begunAt).toBeGreaterThanOrEqual(notBefore)
      }
      for (const one of steps) {
        switch (one.do) {
          case 'wait':
            clock.advance(one.ms)
            break
          case 'sleep':
            clock.sleep(one.ms)
            break
          case 'ask': {
            const notBefore = one.agoMs === null ? undefined : clock.wall() - one.agoMs
            callers.push(
              askSince(answers, notBefore, load).then(
                (served) => check(notBefore, served),
                (error: unknown) => expect(String(error)).toContain('no quorum'),
              ),
            )
            break
          }
          default:
            loads[one.which % Math.max(1, loads.length)]?.end(one.do === 'give')
        }
        await setImmediate()
      }
      for (const { end } of loads) end(true)
      await Promise.all(callers)
    }),
    { numRuns: 300 },
  )
})
