import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type MirrorContent,
  type MirrorStore,
  OlderMirrorSet,
  OtherMirrorSet,
  type OverlayEntry,
} from '../../src/mirror/store.ts'
import { contentOf, ordered, overlayOf, withheldOf } from '../mirror/contents.ts'

export interface MirrorStoreUnderTest extends AsyncDisposable {
  readonly store: MirrorStore
}

export function mirrorStoreContract(name: string, open: () => Promise<MirrorStoreUnderTest>): void {
  describe(`a ${name} store of the mirror`, () => {
    test('gives nothing before the first set', async () => {
      await using under = await open()
      expect(await under.store.load()).toBeUndefined()
      await under.store.overlay(overlayOf(1))
      expect(await under.store.load()).toBeUndefined()
    })

    test('gives back the set and the overlay as they were written', async () => {
      await using under = await open()
      for (const names of [0, 1, 499, 500, 501, 1_234]) {
        const content = contentOf(names, names, [overlayOf(2_000), overlayOf(1)])
        await under.store.replace(content)
        expect(ordered(await under.store.load())).toEqual(ordered(content))
      }
    })

    test('keeps the members of an entry in the order of the row of Splice', async () => {
      await using under = await open()
      await under.store.replace(contentOf(1, 1))
      const [entry] = (await under.store.load())?.set.entries ?? []
      expect(Object.keys(entry ?? {})).toEqual([
        'contract_id',
        'user',
        'name',
        'url',
        'description',
        'expires_at',
      ])
    })

    test('replaces an overlay entry of the same name, and drops the overlay with the next set', async () => {
      await using under = await open()
      const { store } = under
      await store.replace(contentOf(3, 1))
      for (const entry of [overlayOf(7), overlayOf(8), overlayOf(7, 1)]) await store.overlay(entry)
      expect(ordered(await store.load())?.overlay).toEqual([overlayOf(7, 1), overlayOf(8)])
      await store.replace(contentOf(3, 2))
      expect((await store.load())?.overlay).toEqual([])
    })

    test('keeps what is withheld of a set, until the next set says otherwise', async () => {
      await using under = await open()
      const { store } = under
      const content = contentOf(3, 1)
      await store.replace(content)
      await store.withhold(content.set.digest, withheldOf(1))
      await store.overlay(overlayOf(7))
      expect(await store.load()).toEqual({ ...content, overlay: [overlayOf(7)], withheld: withheldOf(1) })
      await store.withhold(content.set.digest, withheldOf(2))
      expect((await store.load())?.withheld).toEqual(withheldOf(2))
      await store.replace({ ...contentOf(3, 2), withheld: withheldOf(3) })
      expect((await store.load())?.withheld).toEqual(withheldOf(3))
      await store.replace(contentOf(3, 3))
      expect(await store.load()).toEqual(contentOf(3, 3))
    })

    test('withholds nothing of another set than the one that was meant', async () => {
      await using under = await open()
      const { store } = under
      const { digest } = contentOf(3, 2).set
      await expect(store.withhold(digest, withheldOf(1))).rejects.toThrow(OtherMirrorSet)
      await store.replace(contentOf(3, 1))
      await expect(store.withhold(digest, withheldOf(1))).rejects.toThrow(OtherMirrorSet)
      expect(await store.load()).toEqual(contentOf(3, 1))
    })

    test('refuses a set that is older than the kept one, and keeps that', async () => {
      await using under = await open()
      const { store } = under
      const content = contentOf(3, 5)
      await store.replace(content)
      await expect(store.replace(contentOf(4, 4))).rejects.toThrow(OlderMirrorSet)
      expect(await store.load()).toEqual(content)
    })

    test('takes a set of the same time, and an earlier one of another DSO', async () => {
      await using under = await open()
      const { store } = under
      await store.replace(contentOf(3, 5))
      await store.replace({ ...contentOf(4, 5), generation: 6 })
      expect(await store.load()).toMatchObject({ generation: 6 })
      const earlier = contentOf(2, 1)
      const other = { ...earlier, set: { ...earlier.set, dso: 'another' } }
      await store.replace(other)
      expect(await store.load()).toEqual(other)
    })

    test('carries out calls in their order, although nobody waits between them', async () => {
      await using under = await open()
      const { store } = under
      const calls = [
        store.overlay(overlayOf(1)),
        store.replace(contentOf(2, 1)),
        store.overlay(overlayOf(7)),
        store.overlay(overlayOf(7, 1)),
        store.overlay(overlayOf(8)),
        store.load(),
        store.replace(contentOf(3, 2, [overlayOf(9)])),
        store.overlay(overlayOf(10)),
      ] as const
      const loaded = await calls[5]
      await Promise.all(calls)
      expect(ordered(loaded)).toEqual(contentOf(2, 1, [overlayOf(7, 1), overlayOf(8)]))
      expect(ordered(await store.load())).toEqual(ordered(contentOf(3, 2, [overlayOf(9), overlayOf(10)])))
    })

    test('has the last content after any order of writes', async () => {
      const write = fc.record({
        set: fc.boolean(),
        at: fc.nat({ max: 6 }),
        names: fc.nat({ max: 3 }),
        id: fc.nat({ max: 4 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(write, { maxLength: 10 }), async (writes) => {
          await using under = await open()
          let model: MirrorContent | undefined
          for (const { set, at, names, id } of writes) {
            if (!set) await under.store.overlay(overlayOf(id, at))
            else if (model === undefined || at >= model.generation)
              await under.store.replace(contentOf(names, at))
            else await expect(under.store.replace(contentOf(names, at))).rejects.toThrow(OlderMirrorSet)
            model = set ? replaced(model, contentOf(names, at)) : added(model, overlayOf(id, at))
          }
          expect(ordered(await under.store.load())).toEqual(ordered(model))
        }),
        { numRuns: 15 },
      )
    })

    test('answers no call after it was closed', async () => {
      const under = await open()
      await under[Symbol.asyncDispose]()
      const closed = { name: 'UnusableMirrorFile', fault: 'closed' }
      await expect(under.store.load()).rejects.toMatchObject(closed)
      await expect(under.store.replace(contentOf(1, 1))).rejects.toMatchObject(closed)
      await expect(under.store.overlay(overlayOf(1))).rejects.toMatchObject(closed)
      await expect(under.store.withhold('', withheldOf(1))).rejects.toMatchObject(closed)
      await under.store[Symbol.asyncDispose]()
    })
  })
}

function replaced(model: MirrorContent | undefined, next: MirrorContent): MirrorContent {
  return model !== undefined && next.generation < model.generation ? model : next
}

function added(model: MirrorContent | undefined, entry: OverlayEntry): MirrorContent | undefined {
  if (model === undefined) return undefined
  const others = model.overlay.filter((each) => each.entry.name !== entry.entry.name)
  return { ...model, overlay: [...others, entry] }
}
