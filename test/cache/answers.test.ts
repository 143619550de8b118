import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Load, TooManyLoads } from '../../src/core/cache/answers.ts'
import { ago } from '../support/manual-clock.ts'
import { ask, openAnswers, peek } from './loads.ts'
import { answerOf, byName, keyOf, minutes, rememberedOf } from './samples.ts'

const alice = keyOf('alice')

function openWithPromises() {
  return openAnswers({}, (memory) => ({
    peeksAll: false,
    peek: () => undefined,
    get: (key) => memory.get(key),
    set: (key, remembered) => memory.set(key, remembered),
    delete: (key) => memory.delete(key),
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  }))
}

describe('an answer', () => {
  test('too large to be kept is served and said not to be stored', async () => {
    const { answers, loads } = openAnswers()
    const asked = ask(answers, alice, loads.load)
    ;(await loads.nth(0)).give(answerOf(Buffer.alloc(16 * 1024 * 1024)))
    expect(await asked).toMatchObject({ stored: false })
  })
})

describe('an error', () => {
  test('that is thrown at once is no different', async () => {
    const { answers } = openAnswers()
    const load = () => {
      throw new TypeError('at once')
    }
    await expect(ask(answers, alice, load)).rejects.toThrow('at once')
    await expect(ask(answers, alice, load)).rejects.toThrow('at once')
  })
})

describe('a caller that leaves', () => {
  test('before the load has begun leaves nothing to load', async () => {
    const { answers, loads } = openWithPromises()
    const leaving = new AbortController()
    const left = ask(answers, alice, loads.load, leaving.signal)
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await setImmediate()
    expect(loads.all).toHaveLength(0)
  })
})

describe('a stale answer', () => {
  async function stale() {
    const opened = openAnswers()
    const { answers, loads, clock } = opened
    const asked = ask(answers, alice, loads.load)
    ;(await loads.nth(0)).give(answerOf('old'))
    await asked
    clock.advance(minutes.freshMs)
    return opened
  }

  test('keeps its refresh when a caller who joined it leaves', async () => {
    const { answers, loads, clock } = await stale()
    await ask(answers, alice, loads.load)
    const refresh = await loads.nth(1)
    clock.advance(minutes.staleMs)
    const leaving = new AbortController()
    const left = ask(answers, alice, loads.load, leaving.signal)
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(refresh.signal.aborted).toBe(false)
  })

  test('stays when its refresh fails, and the next one waits 2 s, doubling to 30 s', async () => {
    const { answers, loads, clock, events, memory } = await stale()
    const pauses = [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
    let refreshes = 0
    for (const pauseMs of pauses) {
      await memory.set(alice, rememberedOf(answerOf('old'), { agreedAt: ago(clock, minutes.freshMs) }))
      expect(await ask(answers, alice, loads.load)).toMatchObject({ how: 'stale' })
      ;(await loads.nth(++refreshes)).fail(new Error('no quorum'))
      await setImmediate()
      clock.advance(pauseMs - 1)
      expect(peek(answers, alice)).toMatchObject({ how: 'stale' })
      await ask(answers, alice, loads.load)
      await setImmediate()
      expect(loads.all).toHaveLength(refreshes + 1)
      clock.advance(1)
      expect(peek(answers, alice)).toBeUndefined()
    }
    expect(events.count('refreshFailed', byName)).toBe(pauses.length)
  })

  test('is refreshed without a pause after a refresh that succeeded', async () => {
    const { answers, loads, clock } = await stale()
    await ask(answers, alice, loads.load)
    ;(await loads.nth(1)).fail(new Error('no quorum'))
    await setImmediate()
    clock.advance(2_000)
    await ask(answers, alice, loads.load)
    ;(await loads.nth(2)).give(answerOf('new'))
    await setImmediate()
    clock.advance(minutes.freshMs)
    await ask(answers, alice, loads.load)
    ;(await loads.nth(3)).fail(new Error('no quorum'))
    await setImmediate()
    clock.advance(2_000)
    expect(peek(answers, alice)).toBeUndefined()
  })

  test('past its time is loaded at once, also during the pause of a failed refresh', async () => {
    const { answers, loads, clock } = await stale()
    clock.advance(minutes.staleMs - minutes.freshMs - 1)
    await ask(answers, alice, loads.load)
    ;(await loads.nth(1)).fail(new Error('no quorum'))
    await setImmediate()
    clock.advance(1)
    const asked = ask(answers, alice, loads.load)
    ;(await loads.nth(2)).give(answerOf('new'))
    expect(await asked).toMatchObject({ how: 'ended', answer: answerOf('new') })
  })
})

describe('many loads', () => {
  test('beyond the bound are refused to callers and put off for refreshes', async () => {
    const { answers, loads, memory, clock } = openAnswers({ maxLoads: 2 })
    await memory.set(alice, rememberedOf(answerOf('old'), { agreedAt: ago(clock, minutes.freshMs) }))
    const asked = [ask(answers, keyOf('bob'), loads.load), ask(answers, keyOf('carol'), loads.load)]
    await expect(ask(answers, keyOf('dave'), loads.load)).rejects.toThrow(TooManyLoads)
    expect(await ask(answers, alice, loads.load)).toMatchObject({ how: 'stale' })
    expect(peek(answers, alice)).toMatchObject({ how: 'stale' })
    ;(await loads.nth(0)).give(answerOf('bob'))
    await asked[0]
    const dave = ask(answers, keyOf('dave'), loads.load)
    ;(await loads.nth(2)).give(answerOf('dave'))
    expect(await dave).toMatchObject({ how: 'miss' })
  })

  test('end when the cache closes', async () => {
    const { answers, loads } = openAnswers()
    const asked = ask(answers, alice, loads.load)
    const load = await loads.nth(0)
    await answers[Symbol.asyncDispose]()
    expect(load.signal.aborted).toBe(true)
    load.fail(load.signal.reason)
    await expect(asked).rejects.toThrow('the cache is closing')
  })
})

test('a load learns whether a caller waits for it or it refreshes a stale answer', async () => {
  const { answers, memory, clock } = openAnswers()
  const purposes: string[] = []
  const load: Load = async (_, purpose) => {
    purposes.push(purpose)
    return { answer: answerOf('new'), lifetime: undefined, sharedInRedis: true }
  }
  await ask(answers, alice, load)
  await memory.set(alice, rememberedOf(answerOf('old'), { agreedAt: ago(clock, minutes.freshMs) }))
  await ask(answers, alice, load)
  expect(purposes).toEqual(['answer', 'refresh'])
})

describe('a store that has to be waited for', () => {
  test('is looked up once for all callers that ask at once, and what it has is not loaded', async () => {
    const { answers, loads, memory, clock } = openWithPromises()
    await memory.set(alice, rememberedOf(answerOf('kept'), { agreedAt: ago(clock) }))
    const served = await Promise.all([ask(answers, alice, loads.load), ask(answers, alice, loads.load)])
    expect(served.map(({ how }) => how)).toEqual(['hit', 'hit'])
    expect(loads.all).toHaveLength(0)
  })

  test('gives a stale answer at once, and one refresh runs for all callers', async () => {
    const { answers, loads, memory, clock } = openWithPromises()
    await memory.set(alice, rememberedOf(answerOf('old'), { agreedAt: ago(clock, minutes.freshMs) }))
    const served = await Promise.all([ask(answers, alice, loads.load), ask(answers, alice, loads.load)])
    expect(served.map(({ how }) => how)).toEqual(['stale', 'stale'])
    await loads.nth(0)
    expect(loads.all).toHaveLength(1)
  })

  test('deletes an ended answer when the quorum agrees on one that must not be kept', async () => {
    const { answers, loads, memory, clock } = openWithPromises()
    await memory.set(alice, rememberedOf(answerOf('old'), { agreedAt: ago(clock, minutes.staleMs) }))
    const asked = ask(answers, alice, loads.load)
    ;(await loads.nth(0)).give(answerOf('new'), { lifetime: undefined })
    expect(await asked).toMatchObject({ how: 'ended', stored: false })
    expect(memory.peek(alice)).toBeUndefined()
  })
})
