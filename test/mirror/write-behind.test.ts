import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MemoryMirrorStore } from '../../src/mirror/store.memory.ts'
import { type MirrorContent, type OverlayEntry, UnusableMirrorFile } from '../../src/mirror/store.ts'
import { byName, entryOf, liveValue, mirrored, setOf, t0, take } from './mirrored.ts'

const alice = entryOf('alice.unverified.cns')
const bob = entryOf('bob.unverified.cns')
const carol = entryOf('carol.unverified.cns')
const noRoom = 'There is no room for the mirror file.'

class SmallStore extends MemoryMirrorStore {
  lacks: 'nothing' | 'a set' | 'any write' = 'nothing'
  replaced = 0

  override async replace(content: MirrorContent): Promise<void> {
    this.replaced++
    if (this.lacks !== 'nothing') throw new UnusableMirrorFile('full', noRoom)
    await super.replace(content)
  }

  override async overlay(entry: OverlayEntry): Promise<void> {
    if (this.lacks === 'any write') throw new UnusableMirrorFile('full', noRoom)
    await super.overlay(entry)
  }
}

async function kept() {
  const store = new SmallStore()
  const own = mirrored({}, { store })
  await own.mirror.load()
  take(own.mirror, setOf([alice]))
  await setImmediate()
  expect(own.mirror.unkeptBecause).toBeNull()
  return { ...own, store }
}

test('a name that finds room in the file does not hide that the set before it found none', async () => {
  const { mirror, store } = await kept()
  store.lacks = 'a set'
  take(mirror, setOf([alice, bob], { at: t0 + 1 }))
  await setImmediate()
  mirror.agreed(byName(carol.name), liveValue(carol))
  await setImmediate()
  expect(mirror.unkeptBecause).toBe(noRoom)
  expect((await store.load())?.set.entries).toEqual([alice])
})

test('a name that is written while a set waits does not announce the file as whole if the set finds no room', async () => {
  const { mirror, store } = await kept()
  store.lacks = 'any write'
  mirror.agreed(byName(bob.name), liveValue(bob))
  await setImmediate()
  store.lacks = 'a set'
  take(mirror, setOf([alice], { at: t0 + 1 }))
  mirror.agreed(byName(carol.name), liveValue(carol))
  await setImmediate()
  expect(mirror.unkeptBecause).toBe(noRoom)
})

test('a minute after a write that found no room everything is written, until there is room', async () => {
  const { mirror, store, clock } = await kept()
  store.lacks = 'any write'
  mirror.agreed(byName(bob.name), liveValue(bob))
  await setImmediate()
  expect(mirror.unkeptBecause).toBe(noRoom)
  for (const lacks of ['any write', 'nothing'] as const) {
    store.lacks = lacks
    clock.advance(60_000)
    await setImmediate()
  }
  expect(mirror.unkeptBecause).toBeNull()
  expect((await store.load())?.overlay.map(({ entry }) => entry)).toEqual([bob])
  expect(store.replaced).toBe(3)
  clock.advance(60_000)
  expect(store.replaced).toBe(3)
})

test('a mirror that has ended does not write to its file again', async () => {
  const { mirror, store, clock } = await kept()
  store.lacks = 'any write'
  mirror.agreed(byName(bob.name), liveValue(bob))
  await setImmediate()
  mirror[Symbol.dispose]()
  clock.advance(60_000)
  expect(store.replaced).toBe(1)
})
