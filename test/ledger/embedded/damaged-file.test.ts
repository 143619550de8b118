import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LedgerUnavailable } from '../../../src/registry/ledger/ledger.ts'
import { openNetwork } from '../../automation/network.ts'
import { type Folder, openLedger, temporaryFolder } from './open.ts'

const users = ['alice', 'bob', 'carol']
let folder: Folder
let whole: Buffer
beforeAll(async () => {
  folder = await temporaryFolder()
  await using net = await openNetwork({ file: folder.file })
  for (const user of users) await net.register(await net.user(user), user)
  await net.ledger[Symbol.asyncDispose]()
  whole = readFileSync(folder.file)
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Returns the name that a file with these bytes got when a ledger opened it; undefined if it kept its name. */
async function opened(bytes: Buffer): Promise<string | undefined> {
  for (const name of readdirSync(dirname(folder.file))) rmSync(join(dirname(folder.file), name))
  writeFileSync(folder.file, bytes)
  await using opened = await openLedger(folder.file)
  const { ledger, told } = opened
  const [aside] = told.flatMap((event) => (event.kind === 'set-aside' ? [event.as] : []))
  const end = await ledger.end()
  if (aside !== undefined) expect(end).toBe(0)
  for (const read of [
    ledger.updates(0, end, 1_000),
    ledger.activeContracts(end, 1_000),
    ledger.entries({ limit: 9 }),
  ])
    await read.catch((error: unknown) => expect(error).toBeInstanceOf(LedgerUnavailable))
  return aside
}

async function judged(bytes: Buffer): Promise<void> {
  const aside = await opened(bytes)
  if (aside !== undefined) expect(readFileSync(aside).equals(bytes)).toBe(true)
}

describe('a ledger file', () => {
  test('is used again while it is whole', async () => {
    expect(await opened(whole)).toBeUndefined()
  })

  test('gets another name and keeps its content after whichever page it was cut', async () => {
    const pages = Array.from({ length: whole.length / 4096 - 1 }, (_, page) => (page + 1) * 4096)
    for (const cut of pages) {
      const bytes = whole.subarray(0, cut)
      const aside = await opened(bytes)
      expect(aside).toMatch(/\.unreadable-\d{8}T\d{6}Z$/)
      expect(readFileSync(String(aside)).equals(bytes)).toBe(true)
    }
  })

  test('gets another name, or says what it cannot read, whatever was written over its pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: whole.length / 512 - 1 }),
        fc.nat(255),
        async (at, value) => {
          const damaged = Buffer.from(whole)
          for (let byte = at * 512; byte < (at + 1) * 512; byte++)
            damaged[byte] = (value * 31 + byte * 131) & 0xff
          await judged(damaged)
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  test('gets another name where its format is another one', async () => {
    writeFileSync(folder.file, whole)
    {
      using db = new DatabaseSync(folder.file)
      db.exec('PRAGMA user_version = 3')
    }
    expect(await opened(readFileSync(folder.file))).toMatch(/\.unreadable-\d{8}T\d{6}Z$/)
  })

  test('of another program is left alone, and the ledger does not open', async () => {
    await using other = await temporaryFolder()
    {
      using db = new DatabaseSync(other.file)
      db.exec('CREATE TABLE theirs (a)')
    }
    const bytes = readFileSync(other.file)
    const opening = openLedger(other.file)
    await expect(opening).rejects.toThrow(
      new LedgerUnavailable(`The ledger file ${other.file} is no ledger.`),
    )
    expect(readFileSync(other.file).equals(bytes)).toBe(true)
  })
})
