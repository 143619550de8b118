import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spliceInterpreter } from '../../../src/ledger/embedded/interpreter.splice.ts'
import { openState } from '../../../src/ledger/embedded/open-state.ts'
import type { LedgerEvent } from '../../../src/ledger/embedded/protocol.ts'
import { rebuildLedger, verifyLedger } from '../../../src/ledger/embedded/rebuild.ts'
import { foundNetwork, tap } from '../registration.ts'
import { type Folder, openLedger, temporaryFolder } from './open.ts'

const { indexing } = spliceInterpreter
const updates = 8

/** A ledger after a crash. All of its 8 updates are in the write-ahead log. */
let crashed: Folder
/** A second ledger after a crash. Tests put its files beside the files of the first ledger. */
let other: Folder
beforeAll(async () => {
  ;[crashed, other] = await Promise.all([crashedLedger(), crashedLedger()])
})
afterAll(async () => {
  await crashed[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})

async function crashedLedger(): Promise<Folder> {
  const [folder, live] = [await temporaryFolder(), await temporaryFolder()]
  const founding = await openLedger({ file: live.file })
  await founding[Symbol.asyncDispose]()
  {
    await using opened = await openLedger({ file: live.file })
    const { ledger, clock } = opened
    const network = await foundNetwork(ledger, Math.round(clock.wall() * 1000))
    for (const user of ['alice', 'bob', 'carol'])
      await tap(ledger, network, await ledger.partyOf(user, user), '10.0', `tap-${user}`)
    for (const suffix of ['', '-wal']) copyFileSync(`${live.file}${suffix}`, `${folder.file}${suffix}`)
  }
  await live[Symbol.asyncDispose]()
  return folder
}

async function copied(): Promise<Folder> {
  const folder = await temporaryFolder()
  for (const suffix of ['', '-wal']) copyFileSync(`${crashed.file}${suffix}`, `${folder.file}${suffix}`)
  return folder
}

function start(file: string) {
  const told: LedgerEvent[] = []
  using open = openState({ file, maxBytes: undefined, identity: undefined }, indexing, (event) =>
    told.push(event),
  )
  return { end: open.state.log.end(), damage: open.damage, told: told.map(({ kind }) => kind) }
}

const headers: readonly (readonly [what: string, damage: (log: Buffer) => void])[] = [
  ['a changed magic number', (log) => log.writeUInt8(0, 0)],
  ['another page size', (log) => log.writeUInt32BE(4096, 8)],
  ['changed salts', (log) => log.writeUInt32BE(7, 16)],
  ['a changed checksum', (log) => log.writeUInt32BE(7, 28)],
  ['zeroes', (log) => log.fill(0, 0, 32)],
  ['the header of another ledger', (log) => readFileSync(`${other.file}-wal`).copy(log, 0, 0, 32)],
]

test.each(headers)(
  'a write-ahead log with %s stops writes, stays as it is, and is rebuilt without losing an update',
  async (_what, damage) => {
    await using folder = await copied()
    const log = readFileSync(`${folder.file}-wal`)
    damage(log)
    writeFileSync(`${folder.file}-wal`, log)
    for (let starts = 0; starts < 2; starts++)
      expect(start(folder.file)).toEqual({
        end: 0,
        damage: `The ledger takes no writes: its write-ahead log is damaged, the header of its ${log.length} bytes does not hold.`,
        told: [],
      })
    expect(verifyLedger(folder.file, indexing)).toEqual({
      updates,
      damage: undefined,
      problems: [`The header of the write-ahead log does not hold; ${log.length} bytes are in the log.`],
    })
    const rebuilt = `${folder.file}.rebuilt`
    expect(rebuildLedger(folder.file, rebuilt, indexing)).toEqual({ updates, damage: undefined })
    expect(readFileSync(`${folder.file}-wal`).equals(log), 'the log stays as it was found').toBe(true)
    expect(verifyLedger(rebuilt, indexing).problems).toEqual([])
    expect(start(rebuilt)).toEqual({ end: updates, damage: undefined, told: [] })
  },
)

test('a ledger of whose write-ahead log only the header is left starts with the content of its file', async () => {
  await using folder = await copied()
  writeFileSync(`${folder.file}-wal`, readFileSync(`${folder.file}-wal`).subarray(0, 32))
  expect(start(folder.file)).toMatchObject({ end: 0, damage: undefined })
})

test('the whole write-ahead log of another ledger is not merged into a file', async () => {
  await using folder = await copied()
  {
    await using merged = await openLedger({ file: folder.file })
    await merged.ledger.partyOf('dave', 'dave')
  }
  copyFileSync(`${other.file}-wal`, `${folder.file}-wal`)
  const before = ['', '-wal'].map((suffix) => readFileSync(`${folder.file}${suffix}`))
  let found: string
  try {
    found = start(folder.file).damage ?? 'nothing'
  } catch (error) {
    found = (error as Error).message
  }
  expect(found).toMatch(/damaged/)
  const after = ['', '-wal'].map((suffix) => readFileSync(`${folder.file}${suffix}`))
  expect(after.every((bytes, index) => bytes.equals(before[index] as Buffer))).toBe(true)
  rmSync(`${folder.file}-wal`)
  expect(start(folder.file)).toMatchObject({ end: updates + 1, damage: undefined })
})

test('an empty file beside a write-ahead log ends the start with a sentence, and the log stays', async () => {
  await using folder = await copied()
  writeFileSync(folder.file, '')
  const { length } = readFileSync(`${folder.file}-wal`)
  const sentence = `The ledger file ${folder.file} is empty, and its write-ahead log holds ${length} bytes: one of the two is damaged, or not its own.`
  expect(() => start(folder.file)).toThrow(sentence)
  expect(() => verifyLedger(folder.file, indexing)).toThrow(sentence)
  expect(() => rebuildLedger(folder.file, `${folder.file}.new`, indexing)).toThrow(sentence)
  expect(readFileSync(`${folder.file}-wal`).length).toBe(length)
})

test('a write-ahead log with pages of another size than the file ends the start with a sentence', async () => {
  await using folder = await copied()
  const file = readFileSync(folder.file)
  file.writeUInt16BE(4096, 16)
  writeFileSync(folder.file, file)
  expect(() => start(folder.file)).toThrow(
    /has pages of another size, and its write-ahead log holds \d+ bytes/,
  )
})

test('a copy of a first ledger without its -wal is told as one without updates, and so is nothing else', async () => {
  await using live = await temporaryFolder()
  await using copy = await temporaryFolder()
  {
    await using opened = await openLedger({ file: live.file })
    await foundNetwork(opened.ledger, Math.round(opened.clock.wall() * 1000))
    expect(opened.told).toEqual([])
    copyFileSync(live.file, copy.file)
  }
  expect(() => verifyLedger(copy.file, indexing)).toThrow(
    /is no ledger, or is a copy without the -wal that was beside it\.$/,
  )
  expect(start(copy.file).told).toEqual(['begun-anew'])
  expect(start(copy.file).told).toEqual([])
  expect(start(live.file).told).toEqual([])
})
