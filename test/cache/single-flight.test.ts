import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { Flight } from '../../src/cache/single-flight.ts'

const gone = new Error('gone')

/** A flight is a load that several callers share. `land` and `crash` end the load. */
function depart() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const told: string[] = []
  let source: AbortController | undefined
  const run = (given: AbortController) => {
    source = given
    return promise
  }
  const point = { count: 0, position: '0-0' }
  const start = { point, begunAt: { now: 0, wall: 0 }, notBefore: undefined, laterLoadBeganAt: undefined }
  const flight = new Flight(start, run, () => told.push(`abandoned ${source?.signal.aborted}`))
  return { flight, told, land: resolve, crash: reject, aborted: () => source?.signal.aborted }
}

describe('a load that several wait for', () => {
  test('keeps no hold on the signals of callers once it has ended, well or not', async () => {
    for (const isWell of [true, false]) {
      const { flight, land, crash } = depart()
      const { signal } = new AbortController()
      const joined = flight.join(signal).catch((error: unknown) => error)
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      if (isWell) land('there')
      else crash(gone)
      expect(await joined).toBe(isWell ? 'there' : gone)
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    }
  })

  test('is abandoned, and only then aborted, when the last of them leaves', async () => {
    const { flight, told, aborted } = depart()
    const callers = [new AbortController(), new AbortController()]
    const left = callers.map(({ signal }) => flight.join(signal))
    callers[0]?.abort(gone)
    await expect(left[0]).rejects.toBe(gone)
    expect([told, aborted()]).toEqual([[], false])
    callers[1]?.abort(gone)
    await expect(left[1]).rejects.toBe(gone)
    expect([told, aborted()]).toEqual([['abandoned false'], true])
  })

  test('cannot be joined or aborted once it has ended, well or not', async () => {
    for (const isWell of [true, false]) {
      const { flight, land, crash, told, aborted } = depart()
      const held = flight.hold().catch(() => {})
      if (isWell) land('there')
      else crash(gone)
      await held
      expect(() => flight.hold()).toThrow('this load has ended')
      flight.abort(gone)
      expect([told, aborted()]).toEqual([[], false])
    }
  })

  test('ends without a word when its last caller leaves in the moment in which it ends', async () => {
    const { flight, land, told, aborted } = depart()
    const caller = new AbortController()
    const joined = flight.join(caller.signal).catch((error: unknown) => error)
    land('there')
    // The flight ends in this turn. Its caller learns of the end only in a later turn.
    await Promise.resolve()
    caller.abort(gone)
    await joined
    expect([told, aborted()]).toEqual([[], false])
  })

  test('continues for a caller that holds it, whatever the others do', async () => {
    const { flight, land, told, aborted } = depart()
    const held = flight.hold()
    const caller = new AbortController()
    const joined = flight.join(caller.signal)
    caller.abort(gone)
    await expect(joined).rejects.toBe(gone)
    expect([told, aborted()]).toEqual([[], false])
    land('there')
    expect(await held).toBe('there')
  })
})
