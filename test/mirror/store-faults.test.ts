import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { MirrorFile } from '../../src/mirror/mirror-file.ts'
import { openSqliteMirrorStore } from '../../src/mirror/store.sqlite.ts'
import { packEntries } from '../../src/mirror/store-rows.ts'
import { smallDisks } from '../support/small-disk.ts'
import { contentOf, dso, overlayOf } from './contents.ts'
import { loadFrom, mirrorFolder, withStore, writeTo } from './mirror-folder.ts'
import { StoreProcess } from './store-process.ts'

const unusable = (fault: string, message: string) => ({ name: 'UnusableMirrorFile', fault, message })

test('a file of another network stays as it is, and says which network it is of', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(3, 5))
  const before = await readFile(own.file)
  {
    await using store = openSqliteMirrorStore({ file: own.file, network: 'mainnet' })
    const why = unusable(
      'other-network',
      `The mirror file ${own.file} is of the network devnet, not mainnet (network). It stays as it is and is not used: correct the option, or name another mirror.file.`,
    )
    await expect(store.load()).rejects.toMatchObject(why)
    await expect(store.replace(contentOf(3, 6))).rejects.toMatchObject(why)
  }
  expect(await readFile(own.file)).toEqual(before)
  expect(await loadFrom(own.file)).toEqual(contentOf(3, 5))
})

test('a file with the set of another DSO stays as it is if the DSO is configured', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(3, 5))
  {
    await using same = openSqliteMirrorStore({ file: own.file, network: 'devnet', dso })
    expect(await same.load()).toEqual(contentOf(3, 5))
  }
  {
    await using store = openSqliteMirrorStore({ file: own.file, network: 'devnet', dso: 'DSO::other' })
    const why = {
      fault: 'other-network',
      message: expect.stringContaining(`is of the DSO ${dso}, not DSO::other (scanClient.dsoPartyId)`),
    }
    await expect(store.load()).rejects.toMatchObject(why)
    await expect(store.replace(contentOf(3, 6))).rejects.toMatchObject(why)
  }
  expect(await loadFrom(own.file)).toEqual(contentOf(3, 5))
})

test('a file of another format is set aside', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(3, 5))
  {
    using db = new DatabaseSync(own.file)
    db.exec('PRAGMA user_version = 99')
  }
  await withStore(own.file, async (store) => {
    await expect(store.load()).rejects.toMatchObject(
      unusable(
        'other-format',
        `The mirror file ${own.file} has the format 99, and this version reads 2. It is now ${own.file}.other-format, and the next snapshot goes into a new file.`,
      ),
    )
    await store.replace(contentOf(3, 1))
  })
  expect(await loadFrom(own.file)).toEqual(contentOf(3, 1))
})

test('a file of an earlier release, which does not say what is withheld, gives its whole set', async () => {
  await using own = await mirrorFolder()
  const { set, generation } = contentOf(3, 5)
  const { entries, ...rest } = set
  const file = new MirrorFile({ file: own.file, network: 'devnet' })
  const chunks = [packEntries(entries)]
  file.replace({ header: { set: rest, generation }, chunks, overlay: [], followed: undefined })
  file.close()
  expect(await loadFrom(own.file)).toEqual(contentOf(3, 5))
})

test('the file of another program stays as it is, whatever the mirror is asked to keep', async () => {
  await using own = await mirrorFolder()
  const texts = join(own.folder, 'notes.txt')
  await writeFile(texts, 'my notes')
  const database = join(own.folder, 'other.db')
  {
    using db = new DatabaseSync(database)
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE mine (id INTEGER)')
  }
  for (const file of [texts, database]) {
    const before = await readFile(file)
    await withStore(file, async (store) => {
      const foreign = unusable('foreign', `The mirror file ${file} belongs to another program.`)
      await expect(store.load()).rejects.toMatchObject(foreign)
      await expect(store.replace(contentOf(3, 1))).rejects.toMatchObject(foreign)
      await expect(store.overlay(overlayOf(1))).rejects.toMatchObject(foreign)
    })
    expect(await readFile(file)).toEqual(before)
  }
})

test('a second process cannot use the file until the first one ends', async () => {
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(3, 1))
  await using store = openSqliteMirrorStore({ file: own.file, network: 'devnet' })
  {
    await using first = new StoreProcess({ file: own.file })
    expect(await first.ask({ do: 'load' })).toEqual({ generation: 1, names: 3 })
    const message = `The mirror file ${own.file} is in use by another process.`
    await expect(store.load()).rejects.toMatchObject(unusable('in-use', message))
    await expect(store.replace(contentOf(3, 2))).rejects.toMatchObject(unusable('in-use', message))
    expect(await first.ask({ do: 'replace', names: 4, generation: 3 })).toEqual({ done: true })
  }
  expect(await store.load()).toEqual(contentOf(4, 3))
  await store.replace(contentOf(3, 4))
})

test('a folder that does not exist, and a file that is a folder, make the mirror start empty', async () => {
  await using own = await mirrorFolder()
  await mkdir(own.file)
  for (const file of [own.file, join(own.folder, 'missing', 'mirror.db'), '/proc/mirror.db']) {
    await withStore(file, async (store) => {
      await expect(store.load()).rejects.toMatchObject({ fault: 'inaccessible' })
      await expect(store.replace(contentOf(1, 1))).rejects.toMatchObject({ fault: 'inaccessible' })
    })
  }
})

test('a set in a read-only folder can be loaded, and the mirror takes writes again with the permission', async () => {
  await using own = await mirrorFolder()
  const folder = join(own.folder, 'read-only')
  const file = join(folder, 'mirror.db')
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
  expect(await child.ask({ do: 'replace', names: 4, generation: 2 })).toMatchObject({ fault: 'inaccessible' })
  expect(await child.ask({ do: 'load' })).toEqual({ generation: 1, names: 3 })
  await chmod(folder, 0o777)
  await chmod(file, 0o666)
  expect(await child.ask({ do: 'replace', names: 4, generation: 2 })).toEqual({ done: true })
  expect(await child.ask({ do: 'load' })).toEqual({ generation: 2, names: 4 })
})

for (const [what, open] of await smallDisks())
  test(`with ${what}, a set that finds no room leaves the old one in place, and is taken once there is room`, async () => {
    await using disk = await open(1_000_000)
    await using child = new StoreProcess({ file: disk.file, under: disk.program })
    expect(await child.ask({ do: 'replace', names: 500, generation: 1 })).toEqual({ done: true })
    expect(await child.ask({ do: 'replace', names: 9_000, generation: 2 })).toMatchObject({
      fault: 'full',
      message: expect.stringMatching(/^There is no room for the mirror file /),
    })
    expect(await child.ask({ do: 'load' })).toEqual({ generation: 1, names: 500 })
    await disk.makeRoom(child.pid)
    expect(await child.ask({ do: 'replace', names: 4_000, generation: 2 })).toEqual({ done: true })
    expect(await child.ask({ do: 'load' })).toEqual({ generation: 2, names: 4_000 })
    expect(existsSync(`${disk.file}.damaged`)).toBe(false)
  })
