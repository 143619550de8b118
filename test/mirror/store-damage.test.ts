import { existsSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MirrorFile } from '../../src/mirror/mirror-file.ts'
import type { MirrorContent } from '../../src/mirror/store.ts'
import type { StoreReply } from '../../src/mirror/store-protocol.ts'
import { packEntries, unpackEntries, unpackOverlay } from '../../src/mirror/store-rows.ts'
import { nothingWithheld } from '../../src/mirror/withheld-in-file.ts'
import type { MirroredEntry } from '../../src/reads/mirrored-entry.ts'
import { contentOf, entryOf, ordered, overlayOf } from './contents.ts'
import { loadFrom, type MirrorFolder, mirrorFolder, withStore, writeTo } from './mirror-folder.ts'

const content = contentOf(1_100, 3, [overlayOf(2_000), overlayOf(2_001)])
const later = contentOf(2, 4)
let folder: MirrorFolder
let sound: Buffer

beforeAll(async () => {
  folder = await mirrorFolder()
  await writeTo(folder.file, contentOf(1_300, 2))
  await writeTo(folder.file, content)
  sound = await readFile(folder.file)
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Loads the file in this thread, because a thread for each of the many files would make the test slow. */
function load(file: MirrorFile): MirrorContent | StoreReply {
  const entries: MirroredEntry[] = []
  const reply = file.load((chunk) => entries.push(...unpackEntries(chunk)))
  if (reply.kind !== 'loaded') return reply
  const { set, generation } = reply.header
  return {
    set: { ...set, entries },
    generation,
    overlay: reply.overlay.map(unpackOverlay),
    followed: reply.followed,
    withheld: reply.header.withheld ?? nothingWithheld,
  }
}

function replace(
  file: MirrorFile,
  { set: { entries, ...set }, generation, withheld }: MirrorContent,
): StoreReply {
  return file.replace({
    header: { set, generation, withheld },
    chunks: [packEntries(entries)],
    overlay: [],
    followed: undefined,
  })
}

function withAlteredEntry(): Buffer {
  const bytes = Buffer.from(sound)
  bytes[sound.indexOf(entryOf(600, 3).contract_id)] = 88
  return bytes
}

interface Outcome {
  readonly loaded: MirrorContent | StoreReply
  readonly written: StoreReply
  readonly afterwards: MirrorContent | StoreReply
  /** The content of the file that was renamed because it was damaged. Undefined if no file was renamed. */
  readonly aside: Buffer | undefined
}

async function tryBytes(bytes: Uint8Array): Promise<Outcome> {
  await using own = await mirrorFolder()
  await writeFile(own.file, bytes)
  const file = new MirrorFile({ file: own.file, network: 'devnet' })
  const loaded = load(file)
  const renamed = 'fault' in loaded ? `${own.file}.${loaded.fault}` : ''
  const aside = existsSync(renamed) ? await readFile(renamed) : undefined
  const written = replace(file, later)
  file.close()
  const again = new MirrorFile({ file: own.file, network: 'devnet' })
  const afterwards = load(again)
  again.close()
  return { loaded, written, afterwards, aside }
}

function expectSafe(bytes: Uint8Array, { loaded, written, afterwards, aside }: Outcome): string {
  if (!('kind' in loaded)) expect(ordered(loaded)).toEqual(ordered(content))
  else
    expect(loaded).toMatchObject({ kind: 'unusable', message: expect.stringContaining('The mirror file ') })
  const fault = 'fault' in loaded ? loaded.fault : 'none'
  if (fault === 'damaged' || fault === 'other-format') {
    expect(aside?.equals(bytes)).toBe(true)
    expect(written).toEqual({ kind: 'written' })
  }
  if (written.kind === 'written') expect(afterwards).toEqual(later)
  else expect(written.kind).toBe('unusable')
  return fault
}

test('a file with flipped bytes gives what was written or says that it is damaged, and a new one takes its place', async () => {
  const seen = new Map<string, number>()
  // More flips are drawn among the first bytes of a page, because these bytes say how to read the rest of the page.
  const inPage = fc.oneof(fc.nat({ max: 120 }), fc.nat({ max: 8_191 }))
  const flip = fc.record({
    page: fc.nat({ max: sound.length / 8_192 - 1 }),
    at: inPage,
    mask: fc.integer({ min: 1, max: 255 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 6 }), async (flips) => {
      const bytes = Buffer.from(sound)
      for (const { page, at, mask } of flips) {
        const place = page * 8_192 + at
        bytes[place] = (bytes[place] ?? 0) ^ mask
      }
      const fault = expectSafe(bytes, await tryBytes(bytes))
      seen.set(fault, (seen.get(fault) ?? 0) + 1)
    }),
    { numRuns: 80 },
  )
  expect(seen.get('damaged')).toBeGreaterThan(10)
  expect(seen.get('none')).toBeGreaterThan(0)
})

test('a flipped byte in the header of the file is found, or changes nothing', async () => {
  for (let place = 0; place < 100; place += 4) {
    const bytes = Buffer.from(sound)
    bytes[place] = (bytes[place] ?? 0) ^ 1
    expectSafe(bytes, await tryBytes(bytes))
  }
})

test('a file that was cut off is not used', async () => {
  for (const length of [1, 99, 100, 512, 8_192, 20_000, sound.length - 8_192, sound.length - 1]) {
    const { loaded, afterwards } = await tryBytes(sound.subarray(0, length))
    expect(loaded).toMatchObject({ kind: 'unusable', fault: length < 100 ? 'foreign' : 'damaged' })
    if (length >= 100) expect(afterwards).toEqual(later)
  }
})

test('one message says why a damaged file is not used and where it is now, and the mirror goes on', async () => {
  await using own = await mirrorFolder()
  const bytes = withAlteredEntry()
  await writeFile(own.file, bytes)
  await withStore(own.file, async (store) => {
    await expect(store.load()).rejects.toMatchObject({
      name: 'UnusableMirrorFile',
      fault: 'damaged',
      message: `The mirror file ${own.file} is damaged: its entries are not those that were written. It is now ${own.file}.damaged, and the next snapshot goes into a new file.`,
    })
    expect(await store.load()).toBeUndefined()
    await expect(store.replace(contentOf(1, 2))).rejects.toMatchObject({ name: 'OlderMirrorSet' })
    await store.replace(later)
  })
  expect(await loadFrom(own.file)).toEqual(later)
})

test('a damaged file that was set aside leaves its time behind, so that no older set follows after a restart', async () => {
  await using own = await mirrorFolder()
  const bytes = withAlteredEntry()
  await writeFile(own.file, bytes)
  await withStore(own.file, async (store) => {
    await store.load().catch(() => {})
    expect(await store.load()).toBeUndefined()
  })
  await expect(writeTo(own.file, contentOf(1, 2))).rejects.toMatchObject({ name: 'OlderMirrorSet' })
})

test('a copy of the file loads in another place', async () => {
  await using own = await mirrorFolder()
  await copyFile(folder.file, own.file)
  expect(ordered(await loadFrom(own.file))).toEqual(ordered(content))
})
