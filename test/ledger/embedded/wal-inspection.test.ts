import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inspectLog } from '../../../src/ledger/embedded/wal-inspection.ts'
import { type Folder, temporaryFolder } from './open.ts'

const frameBytes = 24 + 4096

interface Crashed extends Folder {
  readonly wal: string
  readonly commitEnds: readonly number[]
  readonly database: Buffer
  readonly bytes: Buffer
}

/**
 * Makes a database with this many transactions in its write-ahead log. Copies both files while the database is open, so
 * the copies are like the files after a crash.
 */
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
  writeFileSync(folder.file, database)
  writeFileSync(wal, bytes)
  return { ...folder, wal, commitEnds, database, bytes }
}

/**
 * Returns 5,000 bytes that do not look like frames of an earlier generation of the log. Random bytes could look like
 * them by chance, because the salt of a log is random.
 */
function garbageFor(log: Buffer): Buffer {
  const garbage = Buffer.alloc(5_000, 0xa5)
  const laterSalt = (log.readUInt32BE(16) + 1) >>> 0
  for (const frame of [0, frameBytes]) garbage.writeUInt32BE(laterSalt, frame + 8)
  return garbage
}

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
    expect(inspectLog(left.file)).toEqual({ kind: 'whole' })
    rmSync(left.wal)
    expect(inspectLog(left.file)).toEqual({ kind: 'none' })
    writeFileSync(left.wal, '')
    expect(inspectLog(left.file)).toEqual({ kind: 'none' })
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
      const state = whole === cut ? { kind: 'whole' } : { kind: 'torn', bytes: cut - whole, commits: 0 }
      expect(inspectLog(left.file)).toEqual(state)
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
    expect(inspectLog(left.file)).toEqual({ kind: 'damaged', bytes: left.bytes.length - end, commits: 4 })
  })

  test('is whole where only an earlier generation follows', async () => {
    await using left = await crashed(2, (db) => {
      for (let count = 0; count < 9; count++) db.prepare('INSERT INTO t VALUES (?)').run('y'.repeat(9_000))
      db.exec('PRAGMA wal_checkpoint(RESTART)')
    })
    expect(left.bytes.length).toBeGreaterThan(left.commitEnds.length * 5 * frameBytes)
    expect(inspectLog(left.file)).toEqual({ kind: 'whole' })
  })

  test('is no leftover where the log goes on after it', async () => {
    await using left = await crashed(5)
    const damaged = Buffer.from(left.bytes)
    const end = left.commitEnds[0] as number
    // The first frame of the second transaction gets the salt of the previous generation.
    damaged.writeUInt32BE((damaged.readUInt32BE(16) - 1) >>> 0, end + 8)
    writeFileSync(left.wal, damaged)
    expect(inspectLog(left.file)).toEqual({ kind: 'damaged', bytes: left.bytes.length - end, commits: 4 })
    expect(recovered(left, damaged)).toBe(1)
  })

  test('is torn where garbage follows', async () => {
    await using left = await crashed(2)
    writeFileSync(left.wal, Buffer.concat([left.bytes, garbageFor(left.bytes)]))
    expect(inspectLog(left.file)).toEqual({ kind: 'torn', bytes: 5_000, commits: 0 })
  })
})

describe('a write-ahead log that cannot be what a crash left', () => {
  test('has frames behind a header of which any byte was changed', async () => {
    await using left = await crashed(3)
    for (let at = 0; at < 32; at++) {
      const log = changed(left.bytes, at, 1)
      writeFileSync(left.wal, log)
      expect(inspectLog(left.file), `byte ${at}`).toEqual({ kind: 'headless', bytes: log.length })
      expect(recovered(left, log)).toBe(0)
    }
  })

  test('has frames behind a header of zeroes, or of another log', async () => {
    await using left = await crashed(3)
    await using other = await crashed(3)
    writeFileSync(left.wal, Buffer.concat([Buffer.alloc(32), left.bytes.subarray(32)]))
    expect(inspectLog(left.file)).toMatchObject({ kind: 'headless' })
    writeFileSync(left.wal, Buffer.concat([other.bytes.subarray(0, 32), left.bytes.subarray(32)]))
    expect(inspectLog(left.file)).toMatchObject({ kind: 'headless' })
    writeFileSync(left.wal, Buffer.alloc(left.bytes.length))
    expect(inspectLog(left.file)).toMatchObject({ kind: 'headless' })
  })

  test('has pages of another size than the database, or an empty database beside it', async () => {
    await using left = await crashed(3)
    const larger = Buffer.from(left.database)
    larger.writeUInt16BE(8192, 16)
    writeFileSync(left.file, larger)
    expect(inspectLog(left.file)).toEqual({ kind: 'foreign', bytes: left.bytes.length })
    writeFileSync(left.file, '')
    expect(inspectLog(left.file)).toEqual({ kind: 'orphaned', bytes: left.bytes.length })
    rmSync(left.file)
    expect(inspectLog(left.file)).toEqual({ kind: 'orphaned', bytes: left.bytes.length })
  })

  test('is nothing but its header: no transaction was ever in it', async () => {
    await using left = await crashed(3)
    for (let cut = 1; cut < 32; cut++) {
      writeFileSync(left.wal, left.bytes.subarray(0, cut))
      expect(inspectLog(left.file)).toEqual({ kind: 'torn', bytes: cut, commits: 0 })
    }
    writeFileSync(left.wal, left.bytes.subarray(0, 32))
    expect(inspectLog(left.file)).toEqual({ kind: 'whole' })
    writeFileSync(left.wal, Buffer.alloc(32))
    expect(inspectLog(left.file)).toEqual({ kind: 'torn', bytes: 32, commits: 0 })
  })
})

describe('more than the last transaction is never lost in silence', () => {
  /**
   * Two logs with the same transactions. In the second log, frames of an earlier generation come after the
   * transactions.
   */
  const logs = [
    () => crashed(4),
    () =>
      crashed(4, (db) => {
        for (let count = 0; count < 9; count++) db.prepare('INSERT INTO t VALUES (?)').run('y'.repeat(9_000))
        db.exec('PRAGMA wal_checkpoint(RESTART)')
      }),
  ]

  /**
   * Checks what SQLite recovers from a log. From a whole log SQLite must recover all transactions, from a torn log all
   * but at most one, from a damaged log not all, and from a headless log none.
   * @returns the kind of the log.
   */
  const judge = (left: Crashed, log: Buffer, all: number, what: string): string => {
    writeFileSync(left.file, left.database)
    writeFileSync(left.wal, log)
    const { kind } = inspectLog(left.file)
    const lost = all - recovered(left, log)
    const inLog = left.commitEnds.length
    const permitted = { whole: [0, 0], torn: [0, 1], damaged: [1, inLog], headless: [inLog, inLog] } as const
    expect(Object.keys(permitted), what).toContain(kind)
    const [least, most] = permitted[kind as keyof typeof permitted]
    expect(lost, `${what} is ${kind}`).toBeGreaterThanOrEqual(least)
    expect(lost, `${what} is ${kind}`).toBeLessThanOrEqual(most)
    return kind
  }

  test.each([
    ['a fresh log', 0],
    ['a log over an earlier one', 1],
  ])(
    'where one byte of a frame header was changed (%s)',
    async (_what, which) => {
      await using left = await (logs[which] as () => Promise<Crashed>)()
      const all = recovered(left, left.bytes)
      const end = left.commitEnds.at(-1) as number
      const kinds = new Set<string>()
      for (let frame = 32; frame + 24 <= Math.min(end, left.bytes.length); frame += frameBytes)
        for (let byte = 0; byte < 24; byte++)
          kinds.add(
            judge(left, changed(left.bytes, frame + byte, 1 << (byte % 8)), all, `byte ${byte} of ${frame}`),
          )
      expect([...kinds]).toEqual(expect.arrayContaining(['damaged', 'torn']))
    },
    60_000,
  )

  test('where bytes anywhere were overwritten', async () => {
    await using fresh = await (logs[0] as () => Promise<Crashed>)()
    await using later = await (logs[1] as () => Promise<Crashed>)()
    const alls = [fresh, later].map((left) => recovered(left, left.bytes))
    fc.assert(
      fc.property(
        fc.constantFrom(0, 1),
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        (which, at, bytes) => {
          const left = [fresh, later][which] as Crashed
          const log = Buffer.from(left.bytes)
          log.set(bytes.subarray(0, log.length - (at % log.length)), at % log.length)
          judge(left, log, alls[which] as number, `${bytes.length} bytes at ${at % log.length}`)
        },
      ),
      { numRuns: 300 },
    )
  }, 60_000)

  test('where the log was cut: every transaction that was whole at that length is kept', async () => {
    await using left = await crashed(4)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: left.bytes.length }), (cut) => {
        const log = left.bytes.subarray(0, cut)
        writeFileSync(left.file, left.database)
        writeFileSync(left.wal, log)
        expect(['none', 'whole', 'torn']).toContain(inspectLog(left.file).kind)
        expect(recovered(left, log)).toBe(left.commitEnds.filter((end) => end <= cut).length)
      }),
      { numRuns: 300 },
    )
  }, 60_000)
})

function changed(bytes: Buffer, at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] as number) ^ mask
  return copy
}
