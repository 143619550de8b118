import { expect, test } from 'vitest'
import { byName, entryOf, hourMs, liveValue, mirrored, party, setOf, t0, take } from './mirrored.ts'

const alice = entryOf('alice.unverified.cns')
const unknown = 'The agreed AmuletRules use version 0.1.99.'

test('a set that was contradicted stays out of use when the packages are known again', () => {
  const { mirror, find, told } = mirrored()
  take(mirror, setOf([alice]))
  mirror.stop({ kind: 'spot-checks' })
  mirror.judgePackage(unknown)
  expect(mirror.degradation).toEqual({ kind: 'package', why: unknown })
  mirror.judgePackage(undefined)
  expect(mirror.degradation).toEqual({ kind: 'spot-checks' })
  expect(find(alice.name)).toBeUndefined()
  take(mirror, setOf([alice], { at: t0 + 3 * hourMs }))
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
  take(mirror, setOf([mallory], { at: t0 + 3 * hourMs }), [alice])
  expect(mirror.contradictionCount).toBe(1)
  expect(find(alice.name)).toBeUndefined()
  mirror.agreed(byName(alice.name), liveValue(mallory))
  expect(find(alice.name)).toBeUndefined()
})
