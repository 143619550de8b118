import { expect, test } from 'vitest'
import { type DrainEnd, DrainSchedule } from '../../src/mirror/drain-schedule.ts'
import { Upkeep } from '../../src/mirror/upkeep.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { hourMs, t0 } from './mirrored.ts'

const minuteMs = 60_000
const grid = 3 * hourMs

function scheduled(clock: ManualClock, ends: (at: number) => DrainEnd, kept?: number) {
  const drained: number[] = []
  let taken = kept
  const schedule = new DrainSchedule({
    clock,
    random: () => 0.5,
    settledAt: () => taken,
    async drain(at) {
      drained.push(at)
      const end = ends(at)
      if (end === 'taken') taken = at
      return end
    },
  })
  const upkeep = started(schedule, clock)
  return { schedule, upkeep, drained, lose: () => (taken = undefined) }
}

function started(schedule: DrainSchedule, clock: ManualClock): Upkeep {
  const upkeep = new Upkeep(schedule, clock)
  upkeep.start(0)
  clock.advance(0)
  return upkeep
}

async function pass(clock: ManualClock, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await settled()
    clock.advance(minuteMs)
  }
  await settled()
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

test('the latest snapshot is drained at once, and each later one two minutes after its instant', async () => {
  const clock = new ManualClock(t0 + hourMs)
  const { schedule, upkeep, drained } = scheduled(clock, () => 'taken')
  expect(drained).toEqual([t0])
  await settled()
  expect(schedule.nextAt).toBe(t0 + grid + 2 * minuteMs)
  await pass(clock, 2 * 60 + 1)
  expect(drained).toEqual([t0])
  await pass(clock, 1)
  expect(drained).toEqual([t0, t0 + grid])
  await upkeep[Symbol.asyncDispose]()
})

test('a drain that fails says when the next one begins, and one that succeeds does not', async () => {
  const clock = new ManualClock(t0)
  const said: number[] = []
  const ends: DrainEnd[] = ['again', 'again', 'taken']
  const schedule = new DrainSchedule({
    clock,
    random: () => 0.5,
    settledAt: () => (ends.length === 0 ? t0 : undefined),
    drain: async () => ends.shift() ?? 'taken',
    retried: (nextAt) => said.push(nextAt - t0),
  })
  await using _ = started(schedule, clock)
  await pass(clock, 3)
  expect(said).toEqual([15_000, minuteMs + 30_000])
})

test('a drain that fails is tried again, less and less often, until the next instant', async () => {
  const clock = new ManualClock(t0)
  const { drained } = scheduled(clock, (at) => (at === t0 ? 'again' : 'taken'))
  await pass(clock, 60)
  const inAnHour = drained.length
  expect(inAnHour).toBeGreaterThan(6)
  await pass(clock, 120 + 3)
  expect(drained.length).toBeLessThan(3 * inAnHour)
  expect(drained.at(-1)).toBe(t0 + grid)
  expect(drained.at(-2)).toBe(t0)
})

test('a snapshot that was refused is not drained again', async () => {
  const clock = new ManualClock(t0)
  const { drained } = scheduled(clock, () => 'refused')
  await pass(clock, 170)
  expect(drained).toEqual([t0])
})

test('a set that no quorum stands for any more is drained again within a minute', async () => {
  const clock = new ManualClock(t0 + hourMs)
  const { drained, lose } = scheduled(clock, () => 'taken')
  await pass(clock, 30)
  lose()
  await pass(clock, 1)
  expect(drained).toEqual([t0, t0])
})
