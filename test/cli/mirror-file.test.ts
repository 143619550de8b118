import { readdir, readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { readMirrorFile } from '../../src/mirror/read-mirror-file.ts'
import { openSqliteMirrorStore } from '../../src/mirror/store.sqlite.ts'
import type { Withheld } from '../../src/mirror/withheld-in-file.ts'
import { contentOf, dso, entryOf, ordered, overlayOf, withheldOf } from '../mirror/contents.ts'
import { type MirrorFolder, mirrorFolder, withStore, writeTo } from '../mirror/mirror-folder.ts'
import { command, commandHere } from './command.ts'

const content = contentOf(1_100, 3, [overlayOf(7, 9), overlayOf(2_000)])
let folder: MirrorFolder
beforeAll(async () => {
  folder = await mirrorFolder()
  await writeTo(folder.file, content)
})
afterAll(() => folder[Symbol.asyncDispose]())

test('mirror verify says what a sound file holds, as of when, and who agreed', async () => {
  const { code, out, err } = await command(['mirror', 'verify', '--file', folder.file])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out.trimEnd().split('\n')).toEqual([
    `${folder.file} is whole: 1100 names as of 2026-11-22T21:00:00.000Z, and 2 that live reads added.`,
    'generation  3',
    'migration   3',
    'network     devnet',
    `DSO         ${dso}`,
    'digest      digest-of-3',
    'agreed by Ünïcødé, sv-2: 2 of 4, 2 are needed; 2 operators of 3, 2 are needed',
  ])
})

const stopped =
  'STOPPED: the mirror serves none of these names. Two spot checks within an hour contradicted the mirror.'
const liveNames = 'names that only live reads answer until the next snapshot: 1'
const live: Withheld['live'] = [[entryOf(1).name, content.set.at]]

test('mirror verify says that a set is stopped and why, and which names are withheld', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, { ...content, withheld: { stop: { kind: 'spot-checks' }, live } })
  const { code, out } = await commandHere(['mirror', 'verify', '--file', own.file])
  expect(code).toBe(0)
  expect(out.split('\n').slice(1, 3)).toEqual([stopped, liveNames])
  const { out: json } = await commandHere(['mirror', 'verify', '--json', '--file', own.file])
  expect(JSON.parse(json)).toMatchObject({
    stopped: { kind: 'spot-checks', why: 'Two spot checks within an hour contradicted the mirror.' },
    withheldNames: [entryOf(1).name],
  })
  await writeTo(own.file, content)
  const { out: served } = await commandHere(['mirror', 'verify', '--json', '--file', own.file])
  expect(JSON.parse(served)).toMatchObject({ stopped: null, withheldNames: [] })
})

test('mirror verify says that the packages are unknown, even where the set is stopped for another reason', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, { ...content, withheld: withheldOf(2) })
  const { out } = await commandHere(['mirror', 'verify', '--json', '--file', own.file])
  expect(JSON.parse(out).stopped).toEqual({ kind: 'package', why: 'The version 0.1.2 is not known.' })
})

test('mirror export marks the entries that the mirror does not serve, and warns on standard error', async () => {
  await using own = await mirrorFolder()
  const marked = async (withheld: Withheld) => {
    await writeTo(own.file, { ...content, withheld })
    const { code, out, err } = await commandHere(['mirror', 'export', '--file', own.file])
    expect(code).toBe(0)
    const entries = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { err, names: entries.filter((entry) => entry.withheld).map(({ name }) => name), entries }
  }
  expect(await marked({ live })).toMatchObject({
    names: [entryOf(1).name],
    err: `warning: ${own.file}: ${liveNames}\n`,
  })
  const { names, entries, err } = await marked({ stop: { kind: 'spot-checks' }, live: [] })
  expect(names).toEqual(entries.map(({ name }) => name))
  expect(err).toBe(`warning: ${own.file}: ${stopped}\n`)
})

test('the configured file is read, if it is of the configured network', async () => {
  const env = { MIRROR_FILE: folder.file }
  const { code, out } = await commandHere(['mirror', 'verify', '--json'], env)
  expect({ code, report: JSON.parse(out) }).toEqual({
    code: 1,
    report: {
      kind: 'error',
      code: 'failed',
      error: `The mirror file ${folder.file} is of the network devnet, not localnet.`,
    },
  })
  await using own = await mirrorFolder()
  {
    await using store = openSqliteMirrorStore({ file: own.file, network: 'localnet' })
    await store.replace(content)
  }
  expect((await commandHere(['mirror', 'verify'], { MIRROR_FILE: own.file })).code).toBe(0)
})

test('a daemon that has the file open goes on, and what it writes is read', async () => {
  await using own = await mirrorFolder()
  await withStore(own.file, async (store) => {
    for (const generation of [1, 2]) {
      const written = contentOf(600, generation, [overlayOf(1, generation)])
      await store.replace(written)
      const { code, out } = await commandHere(['mirror', 'verify', '--json', '--file', own.file])
      expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, generation, entries: 600, overlay: 1 })
    }
  })
})

test('a file that is read while it is written gives one of the sets that were written, whole', async () => {
  await using own = await mirrorFolder()
  await withStore(own.file, async (store) => {
    await store.replace(contentOf(3_000, 1))
    let isWriting = true
    const writing = (async () => {
      for (let generation = 2; generation <= 5; generation++)
        await store.replace(contentOf(3_000, generation))
      isWriting = false
    })()
    const found: number[] = []
    while (isWriting) {
      const { content: read } = await readMirrorFile(own.file, systemClock)
      expect(ordered(read)).toEqual(contentOf(3_000, read?.generation ?? 0))
      found.push(read?.generation ?? 0)
      await setImmediate()
    }
    await writing
    expect(found).toEqual(found.toSorted((a, b) => a - b))
  })
}, 30_000)

// The command reads a file that seems damaged for two seconds, because another program might be writing it. The tests
// run concurrently, because each of them waits these two seconds.
test.concurrent.each(['damaged', 'cut off', 'of another program', 'empty', 'of another format'])(
  'a file that is %s fails with a sentence, and neither changes nor gets another name',
  async (what) => {
    await using own = await mirrorFolder()
    await writeFile(own.file, await readFile(folder.file))
    if (what === 'of another format') {
      using db = new DatabaseSync(own.file)
      db.exec('PRAGMA user_version = 99')
    }
    const bytes = await readFile(own.file)
    const letter = bytes.indexOf(entryOf(600, 3).contract_id)
    const changes: Readonly<Record<string, () => Buffer>> = {
      damaged: () => bytes.fill('X', letter, letter + 1),
      'cut off': () => bytes.subarray(0, bytes.length / 2),
      'of another program': () => Buffer.alloc(4_096, 'x'),
      empty: () => Buffer.alloc(0),
    }
    const changed = changes[what]?.()
    if (changed !== undefined) await writeFile(own.file, changed)
    const before = await readFile(own.file)
    const { code, out, err } = await command(['mirror', 'verify', '--file', own.file])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^The mirror file \S+ (is damaged: |belongs to another program|has the format 99)/)
    expect(await readFile(own.file)).toEqual(before)
    expect(await readdir(own.folder)).toEqual(['mirror.db'])
  },
)

test('a file that is missing is not made', async () => {
  await using own = await mirrorFolder()
  const { code, err } = await commandHere(['mirror', 'verify', '--file', own.file])
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('no such file') })
  expect(await readdir(own.folder)).toEqual([])
})

test('without a configured file --file is needed', async () => {
  const { code, err } = await commandHere(['mirror', 'verify'])
  expect({ code, err }).toEqual({ code: 64, err: 'error: mirror.file is not set, so --file must be given\n' })
})

test('mirror export prints every entry, sorted by name, those of live reads in place of older ones', async () => {
  const { code, out, err } = await commandHere(['mirror', 'export', '--file', folder.file])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const lines = out.trimEnd().split('\n')
  const expected = [
    ...content.set.entries.filter(({ name }) => name !== entryOf(7).name),
    ...content.overlay.map(({ entry }) => entry),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
  expect(lines.map((line) => JSON.parse(line))).toEqual(expected)
})
