import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../src/base/lib/random.ts'
import { MirrorFile, UnusableMirrorFile } from '../../src/mirror/mirror-file.ts'
import { heapUsed } from '../support/heap.ts'
import { isLong, seed } from '../support/seed.ts'
import { smallDisks } from '../support/small-disk.ts'
import { contentOf, dso, namesIn } from './contents.ts'
import { loadFrom, type MirrorFolder, mirrorFolder, writeTo } from './mirror-folder.ts'
import { StoreProcess } from './store-process.ts'

let kept: MirrorFolder
let sound: Buffer

beforeAll(async () => {
  kept = await mirrorFolder()
  await writeTo(kept.file, contentOf(1_100, 3))
  sound = await readFile(kept.file)
})
afterAll(() => kept[Symbol.asyncDispose]())

test('a file gives back what was written last, and only its owner can read it', async () => {
  await using own = await mirrorFolder()
  expect(loadFrom(own.file)).toBeUndefined()
  for (const names of [0, 1, 499, 500, 501, 1_234]) {
    await writeTo(own.file, contentOf(names, names))
    expect(loadFrom(own.file)).toEqual(contentOf(names, names))
  }
  expect(await readdir(own.folder)).toHaveLength(1)
  expect((await stat(own.file)).mode & 0o777).toBe(0o600)
  await copyFile(own.file, `${own.file}.copy`)
  expect(loadFrom(`${own.file}.copy`)).toEqual(contentOf(1_234, 1_234))
})

test('a name that was loaded from the file takes at most 2 KiB of memory', async ({ annotate }) => {
  const names = 20_000
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(names, 1))
  const before = await heapUsed()
  const content = loadFrom(own.file)
  const each = ((await heapUsed()) - before) / names
  expect(content?.set.entries.length).toBe(names)
  expect(each).toBeGreaterThan(100)
  expect(each).toBeLessThan(2_048)
  await annotate(`${Math.round(each)} bytes a name`)
})

test('a set that is older than the kept one of its DSO is refused, and one of another DSO is not', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(3, 5))
  await expect(writeTo(own.file, contentOf(4, 4))).rejects.toThrow(
    /has the names of .*, later than those of /,
  )
  expect(loadFrom(own.file)).toEqual(contentOf(3, 5))
  const earlier = contentOf(2, 1)
  await writeTo(own.file, { ...earlier, set: { ...earlier.set, dso: 'another' } })
  expect(loadFrom(own.file)?.set.dso).toBe('another')
})

test('a file of another network or DSO stays as it is, and says of which it is', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(3, 5))
  const before = await readFile(own.file)
  const stays = 'It stays as it is and is not used: correct the option, or name another mirror.file.'
  for (const [options, what] of [
    [{ network: 'mainnet' }, 'of the network devnet, not mainnet (network)'],
    [{ network: 'devnet', dso: 'DSO::other' }, `of the DSO ${dso}, not DSO::other (scanClient.dsoPartyId)`],
  ] as const) {
    const file = new MirrorFile({ file: own.file, ...options })
    const why = new UnusableMirrorFile(`The mirror file ${own.file} is ${what}. ${stays}`)
    expect(() => file.load()).toThrow(why)
    await expect(file.write(contentOf(3, 6))).rejects.toThrow(why)
  }
  expect(await readFile(own.file)).toEqual(before)
  expect(new MirrorFile({ file: own.file, network: 'devnet', dso }).load()).toEqual(contentOf(3, 5))
})

test('a file of another format is set aside', async () => {
  await using own = await mirrorFolder()
  await writeFile(own.file, sound.toString().replace('"mirror":3', '"mirror":99'))
  const before = await readFile(own.file)
  const why = `The mirror file ${own.file} has the format 99, and this version reads 3. It is now ${own.file}.other-format, and the next snapshot goes into a new file.`
  expect(() => loadFrom(own.file)).toThrow(new UnusableMirrorFile(why))
  expect(await readFile(`${own.file}.other-format`)).toEqual(before)
  await writeTo(own.file, contentOf(3, 1))
  expect(loadFrom(own.file)).toEqual(contentOf(3, 1))
})

test('the file of another program stays as it is, whatever the mirror is asked to keep', async () => {
  await using own = await mirrorFolder()
  const texts = join(own.folder, 'notes.txt')
  await writeFile(texts, 'my notes')
  const database = join(own.folder, 'other.db')
  {
    using db = new DatabaseSync(database)
    db.exec('CREATE TABLE mine (id INTEGER)')
  }
  for (const file of [texts, database]) {
    const before = await readFile(file)
    const foreign = new UnusableMirrorFile(`The mirror file ${file} belongs to another program.`)
    expect(() => loadFrom(file)).toThrow(foreign)
    await expect(writeTo(file, contentOf(3, 1))).rejects.toThrow(foreign)
    expect(await readFile(file)).toEqual(before)
  }
})

test('a file with flipped bytes or a lost end is never read as names, and a new one takes its place', async () => {
  await using own = await mirrorFolder()
  const flips = fc.array(
    fc.record({ place: fc.nat({ max: sound.length - 1 }), mask: fc.integer({ min: 1, max: 255 }) }),
    { minLength: 1, maxLength: 6 },
  )
  const altered = fc.oneof(
    flips.map((all) => {
      const bytes = Buffer.from(sound)
      for (const { place, mask } of all) bytes[place] = (bytes[place] ?? 0) ^ mask
      return bytes
    }),
    fc.integer({ min: 1, max: sound.length - 1 }).map((length) => sound.subarray(0, length)),
  )
  await fc.assert(
    fc.asyncProperty(altered, async (bytes) => {
      fc.pre(!bytes.equals(sound))
      await writeFile(own.file, bytes)
      expect(() => loadFrom(own.file)).toThrow(UnusableMirrorFile)
      const isSetAside = !existsSync(own.file)
      if (isSetAside) await writeTo(own.file, contentOf(2, 4))
      expect(isSetAside ? loadFrom(own.file) : await readFile(own.file)).toEqual(
        isSetAside ? contentOf(2, 4) : bytes,
      )
    }),
    { numRuns: isLong ? 200 : 60, seed },
  )
})

test('one message says why a damaged file is not used and where it is now', async () => {
  await using own = await mirrorFolder()
  const bytes = Buffer.from(sound)
  bytes[sound.length - 100] = 0x58
  await writeFile(own.file, bytes)
  const why = `The mirror file ${own.file} is damaged. It is now ${own.file}.damaged, and the next snapshot goes into a new file.`
  expect(() => loadFrom(own.file)).toThrow(new UnusableMirrorFile(why))
  expect(await readFile(`${own.file}.damaged`)).toEqual(bytes)
})

test('a header without its set is damage, also where a DSO is configured', async () => {
  await using own = await mirrorFolder()
  await writeFile(own.file, sound.toString().replace('"set"', '"sot"'))
  const file = new MirrorFile({ file: own.file, network: 'devnet', dso })
  expect(() => file.load()).toThrow(/ is damaged\. It is now /)
  await file.write(contentOf(2, 4))
  expect(file.load()).toEqual(contentOf(2, 4))
})

test('a folder that does not exist, and a file that is a folder, keep nothing', async () => {
  await using own = await mirrorFolder()
  await mkdir(own.file)
  for (const file of [own.file, join(own.folder, 'missing', 'mirror.names'), '/proc/mirror.names']) {
    const why = new RegExp(`^The mirror file ${file} cannot be read or written: `)
    if (!file.startsWith('/proc')) expect(() => loadFrom(file)).toThrow(why)
    await expect(writeTo(file, contentOf(1, 1))).rejects.toThrow(why)
  }
})

test('a set in a read-only folder can be loaded, and the file takes writes again with the permission', async () => {
  await using own = await mirrorFolder()
  const folder = join(own.folder, 'read-only')
  const file = join(folder, 'mirror.names')
  await mkdir(folder)
  await writeTo(file, contentOf(3, 1))
  await chmod(own.folder, 0o755)
  await chmod(file, 0o444)
  await chmod(folder, 0o555)
  // The superuser may write to every file, whatever its mode. If the superuser runs this test, the store runs as
  // another user.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined
  await using child = new StoreProcess({ file, uid })
  expect(await child.ask({ do: 'load' })).toEqual({ generation: 1, names: 3 })
  expect(await child.ask({ do: 'write', names: 4, generation: 2 })).toEqual({
    message: `The mirror file ${file} cannot be read or written: the folder ${folder} cannot be written (EACCES).`,
  })
  expect(await child.ask({ do: 'load' })).toEqual({ generation: 1, names: 3 })
  await chmod(folder, 0o777)
  expect(await child.ask({ do: 'write', names: 4, generation: 2 })).toEqual({ done: true })
  expect(await child.ask({ do: 'load' })).toEqual({ generation: 2, names: 4 })
})

for (const [what, open] of await smallDisks())
  test(`with ${what}, a set that finds no room leaves the old one in place, and is taken once there is room`, async () => {
    await using disk = await open(1_000_000)
    await using child = new StoreProcess({ file: disk.file, under: disk.program })
    expect(await child.ask({ do: 'write', names: 500, generation: 1 })).toEqual({ done: true })
    expect(await child.ask({ do: 'write', names: 9_000, generation: 2 })).toEqual({
      message: expect.stringMatching(/^There is no room for the mirror file /),
    })
    expect(existsSync(`${disk.file}.new`)).toBe(false)
    expect(await child.ask({ do: 'load' })).toEqual({ generation: 1, names: 500 })
    await disk.makeRoom(child.pid)
    expect(await child.ask({ do: 'write', names: 4_000, generation: 2 })).toEqual({ done: true })
    expect(await child.ask({ do: 'load' })).toEqual({ generation: 2, names: 4_000 })
  })

test('after each kill at a random moment of a write the file has the old content or the new one, whole', async () => {
  const [lanes, kills] = isLong ? [4, 250] : [3, 5]
  const finished = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => killStores(kills, seed + lane)),
  )
  if (isLong) expect(Math.max(...finished)).toBeGreaterThan(0)
}, 900_000)

/**
 * The approximate duration of a write, in milliseconds. A kill comes at a random moment of this duration, so that kills
 * hit every part of a write.
 */
const writeMs = 6
const mostWrites = 4

/**
 * Kills processes while they write. After each kill, the file must have the last content that was acknowledged, or the
 * one that was being written.
 * @returns how many of the interrupted contents are in the file.
 */
async function killStores(kills: number, seed: number): Promise<number> {
  await using folder = await mirrorFolder()
  const random = seededRandom(seed)
  let finished = 0
  let last = 0
  for (let kill = 0; kill < kills; kill++) {
    const { acknowledged, begun } = await killedAt(folder.file, last, random)
    const content = loadFrom(folder.file)
    last = content?.generation ?? 0
    expect([acknowledged, begun], `SEED=${seed}`).toContain(last)
    if (last > 0) expect(content).toEqual(contentOf(namesIn(last), last))
    if (last > acknowledged) finished++
  }
  return finished
}

async function killedAt(file: string, before: number, random: Random) {
  await using child = new StoreProcess({ file })
  const last = before + 1 + Math.floor(random() * mostWrites)
  let [acknowledged, begun] = [before, before]
  child.send({ do: 'write on', from: before + 1 })
  for (let said = await child.next(); said !== undefined; said = await child.next()) {
    if ('written' in said) acknowledged = said.written
    if (!('begun' in said)) continue
    begun = said.begun
    if (begun !== last) continue
    await setTimeout(random() * writeMs)
    child.kill()
  }
  return { acknowledged, begun }
}
