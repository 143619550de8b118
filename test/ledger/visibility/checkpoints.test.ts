import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OffsetCheckpoint } from '../../../src/ledger/update.ts'
import {
  checkpointsFrom,
  checkpointTimes,
  type StreamStep,
  stepCheckpoints,
} from '../../../src/ledger/visibility/checkpoints.ts'

function at(offset: number): OffsetCheckpoint {
  return { kind: 'offset-checkpoint', offset, synchronizerTimes: [] }
}

function range(after: number, latest?: number): StreamStep {
  return { kind: 'range-begins', after, latest: latest === undefined ? undefined : at(latest) }
}

function end(upTo: number): StreamStep {
  return { kind: 'range-ends', upTo }
}

function update(offset: number): StreamStep {
  return { kind: 'update', offset }
}

function idle(latest?: number): StreamStep {
  return { kind: 'idle', latest: latest === undefined ? undefined : at(latest) }
}

/** Returns the offsets of a stream's elements. Brackets mark the offset of a checkpoint. */
function delivered(begin: number, ...steps: StreamStep[]): readonly (number | [number])[] {
  let checkpoints = checkpointsFrom(begin)
  const all: (number | [number])[] = []
  for (const step of steps) {
    const { after, checkpoint } = stepCheckpoints(checkpoints, step)
    checkpoints = after
    if (checkpoint !== undefined) all.push([checkpoint.offset])
    if (step.kind === 'update') all.push(step.offset)
  }
  return all
}

describe('a checkpoint', () => {
  test('comes before the first update behind it', () => {
    expect(delivered(0, range(0, 5), update(3), update(6), end(9))).toEqual([3, [5], 6])
  })

  test('comes after an update of its own offset', () => {
    expect(delivered(0, range(0, 5), update(5), update(6), end(6))).toEqual([5, [5], 6])
    expect(delivered(0, range(0, 5), update(5), end(5))).toEqual([5, [5]])
  })

  test('comes at the end of what was read where no update is behind it', () => {
    expect(delivered(0, range(0, 5), end(5))).toEqual([[5]])
    expect(delivered(0, range(0, 5), end(3), range(3, 5), update(4), end(9))).toEqual([4, [5]])
  })

  test('that was looked up late is still sent once no update is behind it', () => {
    expect(delivered(0, range(0), update(4), end(5), range(5, 5), update(6), end(6))).toEqual([4, [5], 6])
  })

  test('behind a delivered update is not sent', () => {
    expect(delivered(7, range(7, 5), update(8), end(8), idle(5))).toEqual([8])
    expect(delivered(7, idle(5))).toEqual([])
  })

  test('is sent when a stream is idle, and only once', () => {
    expect(delivered(0, range(0), update(2), end(5), idle(5), idle(5), range(5, 5), end(5))).toEqual([2, [5]])
  })

  test('of the offset at which a stream begins is sent if nothing follows', () => {
    expect(delivered(5, idle(5), idle(5))).toEqual([[5]])
    expect(delivered(0, idle(0))).toEqual([[0]])
  })

  test('is not sent while updates up to it are being read', () => {
    expect(delivered(0, range(0), idle(5), update(4), end(5))).toEqual([4])
    expect(delivered(0, idle(5))).toEqual([])
  })

  test('is not there before one was looked up', () => {
    expect(delivered(0, idle(), range(0), update(1), end(1), idle())).toEqual([1])
  })
})

test('checkpoints come at the times of Canton', () => {
  expect(checkpointTimes).toEqual({ lookUpMs: 15_000, startMs: 500, idleMs: 60_000 })
})

test('whatever happens, checkpoints rise, and no update comes that one of them said was delivered', () => {
  const lookUp = fc.option(fc.nat(3), { nil: undefined })
  const round = fc.record({
    length: fc.integer({ min: 0, max: 4 }),
    seen: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    latest: lookUp,
    isIdle: fc.boolean(),
  })
  let told = 0
  fc.assert(
    fc.property(fc.nat(3), fc.array(round, { maxLength: 6 }), (begin, rounds) => {
      const steps: StreamStep[] = []
      let last = begin
      let latest: number | undefined
      for (const { length, seen, latest: ahead, isIdle } of rounds) {
        if (ahead !== undefined) latest = Math.max(latest ?? 0, last + ahead - 1)
        const upTo = last + length
        steps.push(range(last, latest))
        for (let offset = last + 1; offset <= upTo; offset++)
          if (seen[offset - last - 1]) steps.push(update(offset))
        steps.push(end(upTo))
        if (isIdle) steps.push(idle(latest))
        last = upTo
      }
      let reached = begin
      let checkpoint = -1
      for (const one of delivered(begin, ...steps)) {
        if (typeof one === 'number') {
          expect(one).toBeGreaterThan(Math.max(checkpoint, begin))
          reached = one
        } else {
          told++
          expect(one[0]).toBeGreaterThan(checkpoint)
          expect(one[0]).toBeGreaterThanOrEqual(reached)
          checkpoint = one[0]
        }
      }
    }),
    { numRuns: 2_000 },
  )
  expect(told).toBeGreaterThan(500)
})
