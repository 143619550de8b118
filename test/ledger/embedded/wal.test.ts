import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { tornTail } from '../../../src/ledger/embedded/wal.ts'
import { type Folder, temporaryFolder } from './open.ts'

const frameBytes = 24 + 4096

interface Crashed extends Folder {
  readonly wal: string
  /** Where each transaction ends in the write-ahead log. */
  readonly commitEnds: readonly number[]
  readonly database: Buffer
  readonly bytes: Buffer
}

/** A database with so many transactions in its write-ahead log, copied while it is open, as a crash leaves it. */
async function crashed(
  transactions: number,
  before: (db: DatabaseSync) => void = () => {},
): Promise<Crashed> {
  const folder = await temporaryFolder()
  const wal = `${folder.file}-wal`
  const live = join(dirname(folder.file), 'live.db')
  const db = new DatabaseSync(live)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (body TEXT) STRICT')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  before(db)
  const commitEnds: number[] = []
  for (let count = 0; count < transactions; count++) {
    db.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(9_000))
    commitEnds.push(statSync(`${live}-wal`).size)
  }
  const [database, bytes] = [readFileSync(live), readFileSync(`${live}-wal`)]
  db.close()
  writeFileSync(wal, bytes)
  return { ...folder, wal, commitEnds, database, bytes }
}

/** 5,000 bytes that are of no earlier generation of this log: its salt is random, and garbage could look like one. */
function garbageFor(log: Buffer): Buffer {
  const garbage = Buffer.alloc(5_000, 0xa5)
  const laterSalt = (log.readUInt32BE(16) + 1) >>> 0
  for (const frame of [0, frameBytes]) garbage.writeUInt32BE(laterSalt, frame + 8)
  return garbage
}

/** How many transactions SQLite finds after its own recovery with that write-ahead log. */
function recovered({ file, wal, database }: Crashed, log: Buffer): number {
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  writeFileSync(file, database)
  writeFileSync(wal, log)
  using db = new DatabaseSync(file)
  return (db.prepare('SELECT count(*) AS rows FROM t').get() as { rows: number }).rows
}

describe('the tail of a write-ahead log', () => {
  test('is whole where the log ends with a transaction, or is not there', async () => {
    await using left = await crashed(3)
    expect(tornTail(left.wal)).toBeUndefined()
    rmSync(left.wal)
    expect(tornTail(left.wal)).toBeUndefined()
    writeFileSync(left.wal, '')
    expect(tornTail(left.wal)).toBeUndefined()
  })

  test('is torn wherever a log is cut that does not end with a transaction', async () => {
    await using left = await crashed(3)
    const ends = left.commitEnds
    const cuts = ends.flatMap((end) => [
      end - 1,
      end - frameBytes,
      end - frameBytes + 24,
      end - frameBytes - 7,
    ])
    for (const cut of [...cuts, ...ends]) {
      const log = left.bytes.subarray(0, cut)
      writeFileSync(left.wal, log)
      const kept = ends.filter((end) => end <= cut)
      const whole = Math.max(32, ...kept)
      expect(tornTail(left.wal)).toEqual(whole === cut ? undefined : { bytes: cut - whole, commits: 0 })
      expect(recovered(left, log)).toBe(kept.length)
    }
  })

  test('counts the transactions that a damaged frame takes with it', async () => {
    await using left = await crashed(5)
    const damaged = Buffer.from(left.bytes)
    const second = (left.commitEnds[0] as number) + 100
    damaged[second] = (damaged[second] as number) ^ 1
    writeFileSync(left.wal, damaged)
    const end = left.commitEnds[0] as number
    expect(tornTail(left.wal)).toEqual({ bytes: left.bytes.length - end, commits: 4 })
  })

  test('is whole where only an earlier generation follows', async () => {
    await using left = await crashed(2, (db) => {
      for (let count = 0; count < 9; count++) db.prepare('INSERT INTO t VALUES (?)').run('y'.repeat(9_000))
      db.exec('PRAGMA wal_checkpoint(RESTART)')
    })
    expect(left.bytes.length).toBeGreaterThan(left.commitEnds.length * 5 * frameBytes)
    expect(tornTail(left.wal)).toBeUndefined()
  })

  test('is no leftover where the log goes on after it', async () => {
    await using left = await crashed(5)
    const damaged = Buffer.from(left.bytes)
    const end = left.commitEnds[0] as number
    // The salt of the generation before, in the first frame of the second transaction.
    damaged.writeUInt32BE((damaged.readUInt32BE(16) - 1) >>> 0, end + 8)
    writeFileSync(left.wal, damaged)
    expect(tornTail(left.wal)).toEqual({ bytes: left.bytes.length - end, commits: 4 })
    expect(recovered(left, damaged)).toBe(1)
  })

  test('is everything, with every transaction, where the header is damaged', async () => {
    await using left = await crashed(5)
    for (const byte of [0, 9, 17, 31]) {
      const damaged = Buffer.from(left.bytes)
      damaged[byte] = (damaged[byte] as number) ^ 1
      writeFileSync(left.wal, damaged)
      expect(tornTail(left.wal)).toEqual({ bytes: left.bytes.length, commits: 5 })
      expect(recovered(left, damaged)).toBe(0)
    }
    writeFileSync(left.wal, left.bytes.subarray(0, 31))
    expect(tornTail(left.wal)).toEqual({ bytes: 31, commits: 0 })
  })

  test('is torn where garbage follows', async () => {
    await using left = await crashed(2)
    writeFileSync(left.wal, Buffer.concat([left.bytes, garbageFor(left.bytes)]))
    expect(tornTail(left.wal)).toEqual({ bytes: 5_000, commits: 0 })
  })
})
