import { open, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { spliceInterpreter } from '../../../src/ledger/embedded/interpreter.splice.ts'
import { rebuildLedger, verifyLedger } from '../../../src/ledger/embedded/rebuild.ts'
import { foundNetwork, tap } from '../registration.ts'
import { openLedger, temporaryFolder } from './open.ts'

const { indexing } = spliceInterpreter

async function writeSome(file: string): Promise<void> {
  await using opened = await openLedger({ file })
  const { ledger, clock } = opened
  const network = await foundNetwork(ledger, Math.round(clock.wall() * 1000))
  for (const user of ['alice', 'bob', 'carol']) {
    await tap(ledger, network, await ledger.partyOf(user, user), '10.0', `tap-${user}`)
  }
}

test('a file has exactly the content of its log', async () => {
  await using folder = await temporaryFolder()
  await writeSome(folder.file)
  expect(verifyLedger(folder.file, indexing)).toEqual({ updates: 8, damage: undefined, problems: [] })
})

test('to verify a file writes nothing beside it, so a copy may be in a folder that is read-only', async () => {
  await using folder = await temporaryFolder()
  await writeSome(folder.file)
  const before = await readdir(dirname(folder.file))
  expect(verifyLedger(folder.file, indexing).problems).toEqual([])
  expect(await readdir(dirname(folder.file))).toEqual(before)
})

test('a file is not verified while a ledger has it open, even one without a write', async () => {
  await using folder = await temporaryFolder()
  await writeSome(folder.file)
  await using opened = await openLedger({ file: folder.file })
  expect(() => verifyLedger(folder.file, indexing)).toThrow('in use by another process')
  expect(await opened.ledger.end()).toBe(8)
})

test('replaying the log into an empty file gives equal tables', async () => {
  await using folder = await temporaryFolder()
  await writeSome(folder.file)
  const copy = `${folder.file}.copy`
  expect(rebuildLedger(folder.file, copy, indexing)).toEqual({ updates: 8, damage: undefined })
  expect(verifyLedger(copy, indexing).problems).toEqual([])
  await using again = await openLedger({ file: copy })
  expect(await again.ledger.end()).toBe(8)
})

test('a file that holds a ledger already is not written over', async () => {
  await using folder = await temporaryFolder()
  await writeSome(folder.file)
  expect(() => rebuildLedger(folder.file, folder.file, indexing)).toThrow()
})

test('a file of the first format is verified as it is, and brought to this one when it is opened', async () => {
  await using folder = await temporaryFolder()
  await writeSome(folder.file)
  const format = () => {
    using db = new DatabaseSync(folder.file)
    return db.prepare('PRAGMA user_version').get()
  }
  expect(format()).toEqual({ user_version: 4 })
  makeFirstFormat(folder.file)
  expect(verifyLedger(folder.file, indexing)).toEqual({ updates: 8, damage: undefined, problems: [] })
  expect(format()).toEqual({ user_version: 1 })
  const copy = `${folder.file}.copy`
  expect(rebuildLedger(folder.file, copy, indexing)).toEqual({ updates: 8, damage: undefined })
  for (const file of [folder.file, copy]) {
    await using again = await openLedger({ file })
    const updates = await again.ledger.updates(0, 8, 8)
    const found = await Promise.all(updates.map(({ updateId }) => again.ledger.findUpdate(updateId)))
    expect(found).toEqual(updates)
  }
  expect(format()).toEqual({ user_version: 4 })
})

describe('a damaged file without a write-ahead log is neither converted nor indexed anew', () => {
  const damages = {
    'whose last update does not fit its id': `
      DROP TRIGGER nodes_stay;
      UPDATE nodes SET body = replace(body, '10.0', '99.0');
    `,
    'whose index lacks a row': `
      DROP INDEX contracts_active;
      CREATE INDEX contracts_active ON contracts (kind) WHERE archived_offset IS NULL AND node < 2;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, ' AND node < 2', '') WHERE name = 'contracts_active';
    `,
  }
  const stateOf = (file: string) => {
    using db = new DatabaseSync(file)
    const { user_version: format } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    const { indexing: text } = db.prepare('SELECT indexing FROM identity').get() as { indexing: string }
    return { format, text }
  }

  test.each([
    [1, 'whose last update does not fit its id'],
    [1, 'whose index lacks a row'],
    [4, 'whose last update does not fit its id'],
    [4, 'whose index lacks a row'],
  ] as const)('of format %i, %s', async (format, damage) => {
    await using folder = await temporaryFolder()
    await writeSome(folder.file)
    if (format === 1) makeFirstFormat(folder.file)
    {
      using db = new DatabaseSync(folder.file)
      db.enableDefensive?.(false)
      db.exec(damages[damage])
      db.exec("UPDATE identity SET indexing = '[]'")
    }
    {
      await using again = await openLedger({ file: folder.file })
      expect(again.told.map(({ kind }) => kind)).toEqual(['writes-stopped'])
      expect(await again.ledger.end()).toBe(8)
    }
    expect(stateOf(folder.file)).toEqual({ format, text: '[]' })
  })
})

test('an empty file is no ledger to verify', async () => {
  await using folder = await temporaryFolder()
  new DatabaseSync(folder.file).close()
  expect(() => verifyLedger(folder.file, indexing)).toThrow('is no ledger')
})

function makeFirstFormat(file: string): void {
  using db = new DatabaseSync(file)
  db.exec(`
    ALTER TABLE log DROP COLUMN checksum;
    DROP TABLE pruning;
    DROP INDEX entries_by_name;
    DROP INDEX entries_by_user;
    CREATE INDEX entries_by_name ON entries (name) WHERE archived_offset IS NULL;
    CREATE INDEX entries_by_user ON entries (user, name) WHERE archived_offset IS NULL;
    PRAGMA user_version = 1;
  `)
}

test('a damaged page is reported', async () => {
  await using folder = await temporaryFolder()
  await writeSome(folder.file)
  const file = await open(folder.file, 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(2_000, 0x5a), 0, 2_000, size - 4_096)
  await file.close()
  expect(verifyLedger(folder.file, indexing).problems.length).toBeGreaterThan(0)
})
