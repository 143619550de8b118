import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { TooManyLoads } from '../../src/cache/answers.ts'
import { topic } from '../../src/cache/key.ts'
import type { Load } from '../../src/cache/load.ts'
import { ago } from '../support/manual-clock.ts'
import { ask, openAnswers, peek } from './loads.ts'
import { absenceOf, answerOf, byName, keyOf, minutes, rememberedOf } from './samples.ts'

const alice = keyOf('alice')
const aliceTopic = topic(byName, { name: 'alice' })

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
  test('is loaded once and then kept', async () => {
    const { answers, loads, events, clock } = openAnswers()
    expect(peek(answers, alice)).toBeUndefined()
    const asked = ask(answers, alice, loads.load)
    const load = await loads.nth(0)
    load.give(answerOf('alice'))
    expect(await asked).toEqual({
      answer: answerOf('alice'),
      agreedAt: ago(clock),
      how: 'miss',
      stored: true,
      lifetime: minutes,
    })
    clock.advance(5_000)
    const hit = { answer: answerOf('alice'), how: 'hit', stored: true, agreedAt: ago(clock, 5_000) }
    expect(peek(answers, alice)).toMatchObject(hit)
    expect(await ask(answers, alice, loads.load)).toMatchObject(hit)
    expect(loads.all).toHaveLength(1)
    expect(events.told).toEqual([
      ['cacheLookup', 'memory', 'miss'],
      ['cacheLookup', 'memory', 'hit'],
      ['cacheLookup', 'memory', 'hit'],
    ])
  })

  test('that was not to be kept is loaded again', async () => {
    const { answers, loads } = openAnswers()
    const asked = ask(answers, alice, loads.load)
    ;(await loads.nth(0)).give(answerOf('alice'), { lifetime: undefined })
    expect(await asked).toMatchObject({ how: 'miss', stored: false, lifetime: undefined })
    void ask(answers, alice, loads.load)
    await loads.nth(1)
  })

  test('that has ended by this clock is served and not kept', async () => {
    const { answers, loads, clock } = openAnswers()
    const asked = ask(answers, alice, loads.load)
    const over = answerOf('over', { endsAt: clock.wall() - 1_000 })
    ;(await loads.nth(0)).give(over)
    expect(await asked).toMatchObject({ answer: over, stored: false })
    expect(peek(answers, alice)).toBeUndefined()
  })

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

  test('or stays leaves nothing on its signal once its load has ended, well or not', async () => {
    for (const isWell of [true, false]) {
      const { answers, loads } = openAnswers()
      const { signal } = new AbortController()
      const asked = ask(answers, alice, loads.load, signal).catch(() => {})
      const load = await loads.nth(0)
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      if (isWell) load.give(answerOf('alice'))
      else load.fail(new Error('no quorum'))
      await asked
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    }
  })

  test('before asking asks nothing', async () => {
    const { answers, loads, events } = openAnswers()
    await expect(ask(answers, alice, loads.load, AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    )
    await setImmediate()
    expect(loads.all).toHaveLength(0)
    expect(events.told).toEqual([])
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

  test('is served at once while exactly one refresh runs, and then the fresh one is', async () => {
    const { answers, loads, clock, events } = await stale()
    expect(peek(answers, alice)).toBeUndefined()
    const served = await Promise.all(Array.from({ length: 100 }, () => ask(answers, alice, loads.load)))
    expect(served.every(({ how, answer }) => how === 'stale' && answer.body.includes('old'))).toBe(true)
    const refresh = await loads.nth(1)
    expect(peek(answers, alice)).toMatchObject({ how: 'stale' })
    refresh.give(answerOf('new'))
    await setImmediate()
    expect(loads.all).toHaveLength(2)
    expect(peek(answers, alice)).toMatchObject({ how: 'hit', answer: answerOf('new'), agreedAt: ago(clock) })
    expect(events.count('cacheLookup', 'memory', 'stale')).toBe(102)
  })

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

  test('goes when the quorum now says something that is not kept', async () => {
    const { answers, loads, clock } = await stale()
    await ask(answers, alice, loads.load)
    ;(await loads.nth(1)).give(answerOf('over', { endsAt: clock.wall() }))
    await setImmediate()
    expect(peek(answers, alice)).toBeUndefined()
    void ask(answers, alice, loads.load)
    await loads.nth(2)
  })
})

describe('an invalidation', () => {
  test('makes later callers load again, whatever the older load still returns', async () => {
    const { answers, loads, invalidations } = openAnswers()
    const before = ask(answers, alice, loads.load)
    const older = await loads.nth(0)
    invalidations.invalidate([aliceTopic])
    const after = ask(answers, alice, loads.load)
    const also = ask(answers, alice, loads.load)
    const newer = await loads.nth(1)
    older.give(answerOf('before'))
    expect(await before).toMatchObject({ stored: false, answer: answerOf('before') })
    const later = ask(answers, alice, loads.load)
    newer.give(answerOf('after'))
    expect(await after).toMatchObject({ how: 'miss', stored: true, answer: answerOf('after') })
    for (const joined of [also, later]) expect(await joined).toMatchObject({ how: 'collapsed' })
    expect(loads.all).toHaveLength(2)
  })

  test('does not let an older load end what a newer one has kept', async () => {
    const { answers, loads, invalidations, memory, clock } = openAnswers()
    await memory.set(alice, rememberedOf(answerOf('old'), { agreedAt: ago(clock, minutes.freshMs) }))
    await ask(answers, alice, loads.load)
    const refresh = await loads.nth(0)
    invalidations.invalidate([aliceTopic])
    const asked = ask(answers, alice, loads.load)
    ;(await loads.nth(1)).give(answerOf('after'))
    await asked
    refresh.give(answerOf('before'))
    await setImmediate()
    expect(peek(answers, alice)).toMatchObject({ how: 'hit', answer: answerOf('after') })
  })

  test('keeps no absence for 10 s, and every value', async () => {
    const { answers, loads, invalidations, clock } = openAnswers()
    invalidations.invalidate([aliceTopic])
    clock.advance(9_999)
    const early = ask(answers, alice, loads.load)
    ;(await loads.nth(0)).give(absenceOf('none'))
    expect(await early).toMatchObject({ stored: false })
    const value = ask(answers, alice, loads.load)
    ;(await loads.nth(1)).give(answerOf('alice'))
    expect(await value).toMatchObject({ stored: true })
    clock.advance(1)
    const other = ask(answers, keyOf('bob'), loads.load)
    ;(await loads.nth(2)).give(absenceOf('none'))
    expect(await other).toMatchObject({ stored: true })
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
