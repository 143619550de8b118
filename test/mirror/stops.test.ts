import { expect, test } from 'vitest'
import { gridMs } from '../../src/mirror/snapshot-grid.ts'
import {
  byName,
  entryOf,
  Kept,
  liveValue,
  type Mirrored,
  mirrored,
  party,
  setOf,
  t0,
  take,
  written,
} from './mirrored.ts'

const alice = entryOf('alice.unverified.cns')
const unknown = 'The agreed AmuletRules use version 0.1.99.'

async function restarted(kept: Kept, level?: 'stream'): Promise<Mirrored> {
  await written()
  const next = mirrored({}, { kept, ...(level && { level }) })
  next.mirror.load()
  return next
}

async function afterStop(stop: (before: Mirrored) => void, level?: 'stream'): Promise<Mirrored> {
  const kept = new Kept()
  const before = mirrored({}, { kept, ...(level && { level }) })
  take(before.mirror, setOf([alice]))
  stop(before)
  return restarted(kept, level)
}

test.each([
  ['two spot checks contradicted', (mirror: Mirrored['mirror']) => mirror.stop({ kind: 'spot-checks' })],
  [
    'the next snapshot lacks several names of',
    (mirror: Mirrored['mirror']) => mirror.refuse([alice, alice], setOf([]).agreement),
  ],
  ['the followed updates contradicted', (mirror: Mirrored['mirror']) => mirror.unreconciled(t0 + gridMs)],
])('a set that %s is not served after a restart either, until a set is taken', async (_, stop) => {
  const { mirror, find, told } = await afterStop(({ mirror: before }) => stop(before))
  expect(find(alice.name)).toBeUndefined()
  expect(told).toEqual([mirror.degradation?.kind])
  take(mirror, setOf([alice], { at: t0 + 2 * gridMs }))
  expect(find(alice.name)).toEqual(alice)
})

test('a stop is forgotten with the set that ends it, so that a restart does not bring it back', async () => {
  const kept = new Kept()
  const { mirror } = mirrored({}, { kept })
  take(mirror, setOf([alice]))
  mirror.stop({ kind: 'spot-checks' })
  take(mirror, setOf([alice], { at: t0 + gridMs }))
  expect((await restarted(kept)).find(alice.name)).toEqual(alice)
})

test('names stay unserved over a restart while a package is unknown, whatever set is taken', async () => {
  const { mirror, find } = await afterStop(({ mirror: before }) => before.judgePackage(unknown))
  expect(mirror.degradation).toEqual({ kind: 'package', why: unknown })
  take(mirror, setOf([alice], { at: t0 + gridMs }))
  expect(find(alice.name)).toBeUndefined()
  mirror.judgePackage(undefined)
  expect(find(alice.name)).toEqual(alice)
})

test('a name that a live read contradicted is left to live reads after a restart, until the next snapshot', async () => {
  const bob = entryOf('bob.unverified.cns')
  const { mirror, find } = await afterStop(({ mirror: before }) => {
    before.agreed(byName(bob.name), liveValue(bob))
    for (const each of [alice, bob])
      before.agreed(byName(each.name), liveValue({ ...each, user: party('mallory') }))
  })
  expect([find(alice.name), find(bob.name)]).toEqual([undefined, undefined])
  take(mirror, setOf([alice, bob], { at: t0 + gridMs }))
  expect([find(alice.name), find(bob.name)]).toEqual([alice, bob])
})

test('updates that a snapshot contradicted are not followed after a restart, and its instant is not drained again', async () => {
  const { mirror } = await afterStop(({ mirror: before }) => {
    before.unreconciled(t0 + gridMs)
    before.stop({ kind: 'spot-checks' })
  }, 'stream')
  expect(mirror.state?.following).toBeUndefined()
  expect(mirror.settledAt).toBe(t0 + gridMs)
  take(mirror, setOf([alice], { at: t0 + 2 * gridMs }))
  expect(mirror.state?.following).toBeDefined()
  expect(mirror.settledAt).toBe(t0 + 2 * gridMs)
})

test('a stop that the file could not keep is written again with the next check of the packages', async () => {
  const kept = new Kept()
  const { mirror } = mirrored({}, { kept })
  take(mirror, setOf([alice]))
  await written()
  kept.refuses = true
  mirror.stop({ kind: 'spot-checks' })
  await written()
  expect((await restarted(kept)).find(alice.name)).toEqual(alice)
  kept.refuses = false
  mirror.judgePackage(undefined)
  expect((await restarted(kept)).mirror.degradation).toEqual({ kind: 'spot-checks' })
})

test('a set that was contradicted stays out of use when the packages are known again', () => {
  const { mirror, find, told } = mirrored()
  take(mirror, setOf([alice]))
  mirror.stop({ kind: 'spot-checks' })
  mirror.judgePackage(unknown)
  expect(mirror.degradation).toEqual({ kind: 'package', why: unknown })
  mirror.judgePackage(undefined)
  expect(mirror.degradation).toEqual({ kind: 'spot-checks' })
  expect(find(alice.name)).toBeUndefined()
  take(mirror, setOf([alice], { at: t0 + gridMs }))
  expect(find(alice.name)).toEqual(alice)
  expect(told).toEqual(['restored', 'spot-checks', 'package', 'spot-checks', 'restored'])
})

test('a set that is taken while a package is unknown is served when the packages are known', () => {
  const { mirror, find } = mirrored()
  mirror.judgePackage(unknown)
  take(mirror, setOf([alice]))
  expect(find(alice.name)).toBeUndefined()
  expect(mirror.degradation).toEqual({ kind: 'package', why: unknown })
  mirror.judgePackage(undefined)
  expect(find(alice.name)).toEqual(alice)
})

test("a name that was withdrawn does not become another owner's with the set that lacks it", () => {
  const { mirror, find } = mirrored()
  const mallory = entryOf(alice.name, { user: party('mallory') })
  take(mirror, setOf([alice]))
  take(mirror, setOf([mallory], { at: t0 + gridMs }), [alice])
  expect(mirror.contradictionCount).toBe(1)
  expect(find(alice.name)).toBeUndefined()
  mirror.agreed(byName(alice.name), liveValue(mallory))
  expect(find(alice.name)).toBeUndefined()
})
