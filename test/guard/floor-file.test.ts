import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { lockFile } from '../../src/core/guard/file-lock.sqlite.ts'
import { FloorFile } from '../../src/core/guard/floor-file.ts'
import type { FloorId } from '../../src/core/guard/floors.ts'
import { heapUsed } from '../support/heap.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { newFolder } from '../support/new-folder.ts'

let folder: string
let path: string
let told: string[]
const clock = new ManualClock()
const id = (text: string): FloorId => ({ text, isOfUnboundedRead: false })
const floor = (version: string, endsAt?: number) => ({ version, endsAt })
const events = {
  floorFileSetAside: (why: string) => void told.push(why),
  floorFileWritable: (isWritable: boolean) => void told.push(isWritable ? 'writable' : 'not writable'),
  floorFileInUse: () => void told.push('in use'),
}

beforeEach(async () => {
  folder = newFolder(onTestFinished)
  path = join(folder, 'floors')
  told = []
})

const open = () => FloorFile.open(path, { clock, events })

/**
 * Resolves with the file's content once the pending writes are done. If the process were killed then, the file would
 * keep this content.
 */
async function written(file: FloorFile): Promise<string> {
  await file.flushed()
  return readFile(path, 'latin1')
}

describe('a file of floors', () => {
  test('keeps them across a restart that comes without a warning', async () => {
    await using file = await open()
    file.raise(id('a'), floor('1'))
    file.raise(id('b'), floor('2', clock.wall() + 3_600_000))
    await file.flushed()
    file.raise(id('a'), floor('3'))
    file.raise(id('c'), floor('1'))
    file.end(id('c'))
    await file.flushed()
    await using after = await open()
    expect(['a', 'b', 'c'].map((text) => after.find(id(text)))).toEqual([
      floor('3'),
      floor('2', clock.wall() + 3_600_000),
      undefined,
    ])
  })

  test('has no question in the clear, and only its owner can read it', async () => {
    await using file = await open()
    file.raise(id('alice.unverified.cns'), floor('1'))
    expect(await written(file)).not.toContain('alice')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('that is cut off anywhere keeps every whole line before the cut', async () => {
    {
      await using file = await open()
      for (let nth = 0; nth < 5; nth++) {
        file.raise(id(`q${nth}`), floor(`v${nth}`))
        await file.flushed()
      }
    }
    const whole = await readFile(path, 'latin1')
    const header = whole.indexOf('\n') + 1
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: header, max: whole.length }), async (length) => {
        told = []
        await writeFile(path, whole.slice(0, length))
        await using file = await open()
        expect(told).toEqual(['writable'])
        expect(file.size).toBe(whole.slice(header, length).split('\n').length - 1)
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    ['a changed character', (text: string) => text.replace('v1', 'v2')],
    ['another file', () => 'roster: []\n'],
    ['nothing in it', () => ''],
    ['zeros in the middle', (text: string) => `${text.slice(0, 120)}${'\0'.repeat(40)}${text.slice(160)}`],
  ])('with %s is set aside, and the floors start empty', async (_, damage) => {
    {
      await using file = await open()
      for (const [text, version] of [
        ['a', 'v1'],
        ['b', 'v3'],
        ['c', 'v4'],
      ] as const)
        file.raise(id(text), floor(version))
    }
    const damaged = damage(await readFile(path, 'latin1'))
    await writeFile(path, damaged)
    told = []
    await using file = await open()
    expect(file.size).toBe(0)
    expect(told).toEqual([expect.stringMatching(/damaged|first line/), 'writable'])
    const aside = (await readdir(folder)).filter((name) => name.includes('.damaged-'))
    expect(aside).toHaveLength(1)
    expect(await readFile(join(folder, aside[0] ?? ''), 'latin1')).toBe(damaged)
    file.raise(id('a'), floor('v1'))
    await file.flushed()
    await using after = await open()
    expect(after.find(id('a'))).toEqual(floor('v1'))
  })

  test('is rewritten before it gets much longer than its content', async () => {
    await using file = await open()
    for (let round = 0; round < 30; round++) {
      for (let nth = 0; nth < 100; nth++) file.raise(id(`q${nth}`), floor(String(round).padStart(3, '0')))
      await file.flushed()
    }
    const lines = (await readFile(path, 'latin1')).split('\n').length
    expect(lines).toBeLessThan(1_500)
    await using after = await open()
    expect(after.find(id('q99'))).toEqual(floor('029'))
  })

  test('that cannot be written is tried again, and has lost nothing then', async () => {
    await using file = await open()
    file.raise(id('a'), floor('1'))
    await file.flushed()
    await rm(folder, { recursive: true })
    // The file's folder is gone. The first rounds still append to the open file. A later round must write the file
    // anew, and fails.
    for (let round = 0; round < 14; round++) {
      for (let nth = 0; nth < 100; nth++) file.raise(id(`q${nth}`), floor(String(round).padStart(3, '0')))
      await file.flushed()
    }
    expect(told).toEqual(['writable', 'not writable'])
    await mkdir(folder)
    clock.advance(5_000)
    await file.flushed()
    expect(told).toEqual(['writable', 'not writable', 'writable'])
    await using after = await open()
    expect([after.find(id('a')), after.find(id('q7'))]).toEqual([floor('1'), floor('013')])
  })
})

describe('a file of floors that another process has', () => {
  const openLocked = () => FloorFile.open(path, { clock, events, lock: lockFile })

  test('is read and not written, until the other process ends and this one takes it over', async () => {
    const former = await openLocked()
    former.raise(id('before'), floor('1'))
    await former.flushed()
    await using later = await openLocked()
    expect(told).toEqual(['writable', 'in use'])
    expect(later.find(id('before'))).toEqual(floor('1'))
    later.raise(id('later'), floor('5'))
    later.raise(id('both'), floor('2'))
    former.raise(id('meanwhile'), floor('7'))
    former.raise(id('both'), floor('3'))
    await former.flushed()
    clock.advance(5_000)
    await later.flushed()
    expect(told).toEqual(['writable', 'in use'])
    await former[Symbol.asyncDispose]()
    clock.advance(5_000)
    await later.flushed()
    expect(told).toEqual(['writable', 'in use', 'writable'])
    await later[Symbol.asyncDispose]()
    await using next = await openLocked()
    expect(['before', 'later', 'meanwhile', 'both'].map((text) => next.find(id(text))?.version)).toEqual([
      '1',
      '5',
      '7',
      '3',
    ])
  })

  test('keeps the floors of its former owner where the first look at them fails', async () => {
    const former = await openLocked()
    former.raise(id('a'), floor('1'))
    await former.flushed()
    const later = await openLocked()
    former.raise(id('a'), floor('9'))
    await former.flushed()
    await former[Symbol.asyncDispose]()
    await rename(path, `${path}.away`)
    await mkdir(path)
    clock.advance(5_000)
    await later.flushed()
    await rm(path, { recursive: true })
    await rename(`${path}.away`, path)
    clock.advance(5_000)
    await later.flushed()
    expect(later.find(id('a'))).toEqual(floor('9'))
    await later[Symbol.asyncDispose]()
    await using next = await openLocked()
    expect(next.find(id('a'))).toEqual(floor('9'))
  })

  test('loses nothing of the process that has it, whatever the other one does', async () => {
    await using former = await openLocked()
    former.raise(id('a'), floor('1'))
    await former.flushed()
    const later = await openLocked()
    later.raise(id('a'), floor('9'))
    await later[Symbol.asyncDispose]()
    former.raise(id('a'), floor('2'))
    await former.flushed()
    await former[Symbol.asyncDispose]()
    await using next = await openLocked()
    expect(next.find(id('a'))).toEqual(floor('2'))
  })

  test('costs no memory for the floors that this process cannot write', async () => {
    await using _other = await openLocked()
    await using file = await openLocked()
    const raise = (from: number, to: number) => {
      for (let nth = from; nth < to; nth++)
        file.raise({ text: `made-up-${nth}`, isOfUnboundedRead: true }, floor('1'))
    }
    raise(0, 50_000)
    const before = await heapUsed()
    raise(50_000, 250_000)
    expect((await heapUsed()) - before).toBeLessThan(8 * 2 ** 20)
  })

  test('is locked by a file that only its owner can read', async () => {
    await using _ = await openLocked()
    expect((await stat(`${path}.lock`)).mode & 0o777).toBe(0o600)
  })

  test('is refused where it cannot be read', async () => {
    using _ = lockFile(path) as Disposable
    await expect(openLocked()).rejects.toThrow('another process writes it, and what it has cannot be read')
  })
})
