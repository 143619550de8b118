import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { spliceInterpreter } from '../../../src/ledger/embedded/interpreter.splice.ts'
import type { FromThread, LedgerRead } from '../../../src/ledger/embedded/protocol.ts'
import { serveLedger } from '../../../src/ledger/embedded/thread.ts'
import { spliceCatalog } from '../../../src/ledger/visibility/catalog.splice.ts'
import { foundNetwork, registerName, tap } from '../registration.ts'
import { type Folder, openLedger, temporaryFolder } from './open.ts'

const users = ['alice', 'bob', 'carol']
let folder: Folder
let whole: Buffer
let everyRead: readonly LedgerRead[]
let ninth: { readonly offset: number; readonly updateId: string; readonly recordTime: number }
/** The answers of the whole file, by the index of the read. */
let right: Found['answers']
beforeAll(async () => {
  folder = await temporaryFolder()
  await using opened = await openLedger({ file: folder.file })
  const { ledger, clock } = opened
  const network = await foundNetwork(ledger, Math.round(clock.wall() * 1000))
  const entries: string[] = []
  for (const user of users) {
    const party = await ledger.partyOf(user, user)
    const coin = await tap(ledger, network, party, '1000.0', `tap-${user}`)
    const { entry } = await registerName(ledger, network, party, coin, `${user}.unverified.cns`, user)
    entries.push(entry.contractId)
  }
  // A start checks the last 32 updates, so earlier ones are checked only when they are read.
  const dave = await ledger.partyOf('dave', 'dave')
  for (let taps = 0; taps < 32; taps++) await tap(ledger, network, dave, '1.0', `tap-dave-${taps}`)
  const end = await ledger.end()
  ninth = (await ledger.updates(8, 9, 1))[0] as typeof ninth
  everyRead = [
    { kind: 'end' },
    { kind: 'reached' },
    { kind: 'updates', after: 0, upTo: end, limit: 1_000 },
    { kind: 'active', at: end, limit: 1_000, after: undefined },
    { kind: 'offset-at', recordTime: Number.MAX_SAFE_INTEGER },
    { kind: 'offset-at', recordTime: ninth.recordTime },
    { kind: 'offset-at', recordTime: 0 },
    { kind: 'contracts', filter: { template: 'Splice.Ans:AnsEntry' }, limit: 10, asOf: undefined },
    ...users.flatMap((user): LedgerRead[] => [
      { kind: 'party', userId: user },
      { kind: 'entries', filter: { name: `${user}.unverified.cns`, limit: 1 } },
    ]),
    ...entries.map((contractId): LedgerRead => ({ kind: 'contract', contractId, asOf: undefined })),
    { kind: 'entries', filter: { limit: 10 } },
  ]
  await ledger[Symbol.asyncDispose]()
  whole = readFileSync(folder.file)
  right = (await ask(whole)).answers
}, 30_000)
afterAll(() => folder[Symbol.asyncDispose]())

interface Found {
  readonly refused?: string
  /** The name that the damaged file got. A new ledger is in its place. */
  readonly aside?: string
  readonly stopped?: string
  readonly answers: ReadonlyMap<number, Extract<FromThread, { kind: 'answer' | 'no-answer' }>>
}

async function ask(bytes: Buffer): Promise<Found> {
  for (const name of readdirSync(dirname(folder.file)))
    if (name.includes('unreadable')) rmSync(join(dirname(folder.file), name))
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(`${folder.file}${suffix}`, { force: true })
  writeFileSync(folder.file, bytes)
  const { port1: inner, port2: outer } = new MessageChannel()
  const start = { file: folder.file, maxBytes: undefined, identity: undefined }
  serveLedger(inner, start, { interpreter: spliceInterpreter, catalog: spliceCatalog })
  outer.postMessage(everyRead.map((read, id) => ({ kind: 'read', id, read })))
  outer.postMessage([{ kind: 'close' }])
  return heard(outer)
}

async function heard(port: MessagePort): Promise<Found> {
  const said: FromThread[] = []
  port.on('message', (messages: readonly FromThread[]) => said.push(...messages))
  await once(port, 'close')
  const answers = said.filter((message) => message.kind === 'answer' || message.kind === 'no-answer')
  const refused = said.find((message) => message.kind === 'not-opened')?.message
  const event = said.find((message) => message.kind === 'event' && message.event.kind === 'writes-stopped')
  const stopped =
    event?.kind === 'event' && event.event.kind === 'writes-stopped' ? event.event.reason : undefined
  const aside = said.find((message) => message.kind === 'event' && message.event.kind === 'set-aside')
  return {
    ...(aside?.kind === 'event' && aside.event.kind === 'set-aside' && { aside: aside.event.as }),
    ...(refused !== undefined && { refused }),
    ...(stopped !== undefined && { stopped }),
    answers: new Map(answers.map((answer) => [answer.id, answer])),
  }
}

async function judged(bytes: Buffer): Promise<Found> {
  const found = await ask(bytes)
  judge(found, bytes)
  return found
}

function judge({ refused, aside, stopped, answers }: Found, bytes: Buffer): void {
  if (aside !== undefined) {
    expect(readFileSync(aside).equals(bytes), 'the damaged file keeps its content').toBe(true)
    expect(answers.get(0)).toMatchObject({ kind: 'answer', answer: 0 })
    return
  }
  if (refused !== undefined) {
    // A damaged page of the schema may be quoted, with its line breaks. SQLite only reads a file whose header states
    // another version.
    expect(refused).toMatch(
      /^The ledger file \S+ (is damaged|was written by a newer version|is no ledger|cannot be opened: attempt to write a readonly).*\.$/s,
    )
    expect(refused).not.toMatch(/argument|undefined|not a function/)
    return
  }
  expect(answers.size).toBe(everyRead.length)
  for (const [id, answer] of answers) {
    if (answer.kind === 'answer') {
      if (stopped === undefined) expect(answer).toEqual(right.get(id))
      continue
    }
    expect(answer.thrown).toEqual({
      // SQLite reports an I/O error for a file that ends within a page, and the ledger makes `unavailable` of this
      // error.
      kind: expect.stringMatching(/^(damaged|unavailable)$/),
      message: expect.stringMatching(/^The ledger cannot read its file: .*\.$/),
    })
  }
}

describe('a ledger file that is damaged', () => {
  test('answers every read while it is whole', () => {
    expect([...right.values()].every(({ kind }) => kind === 'answer')).toBe(true)
    expect(right.size).toBe(everyRead.length)
  })

  test('is reported in a sentence wherever it was cut', async () => {
    const pages = Array.from({ length: whole.length / 8192 }, (_, page) => page * 8192)
    for (const page of pages.slice(1)) await judged(whole.subarray(0, page))
    for (let cut = whole.length - 16_384; cut < whole.length; cut += 512)
      await judged(whole.subarray(0, cut + 100))
    // SQLite takes a file of one byte for an empty one.
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: whole.length - 1 }), async (cut) => {
        await judged(whole.subarray(0, cut))
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test('is reported in a sentence whatever was written over it', async () => {
    const length = fc.constantFrom(1, 16, 512, 8192)
    await fc.assert(
      fc.asyncProperty(fc.nat(), length, fc.nat(255), async (at, bytes, value) => {
        const damaged = Buffer.from(whole)
        const from = at % damaged.length
        for (let byte = from; byte < Math.min(from + bytes, damaged.length); byte++)
          damaged[byte] = bytes === 1 ? value : (value * 31 + byte * 131) & 0xff
        await judged(damaged)
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test('gives no page of updates that ends early because the number of an update was changed', async () => {
    const damaged = Buffer.from(whole)
    const row = Buffer.from(`transaction${ninth.updateId}`)
    // The number of a row stands before the header of the row. The first byte of a header is its length.
    for (let at = whole.indexOf(row); at !== -1; at = whole.indexOf(row, at + 1)) {
      let header = at - 1
      while (header + whole.readUInt8(header) !== at || whole[header - 1] !== ninth.offset) header--
      damaged[header - 1] = 100
    }
    const { answers } = await ask(damaged)
    const reads = everyRead.flatMap(({ kind }, id) => (kind === 'updates' ? [answers.get(id)] : []))
    expect(reads).toMatchObject([{ kind: 'no-answer', thrown: { kind: 'damaged' } }])
  })

  test.each([
    ['lacks rows', 'offset > 9'],
    ['lacks the row of an update', 'offset <> 9'],
    ['lacks all rows', 'offset < 0'],
  ])('gives no position by an index of record times that %s', async (_what, rows) => {
    writeFileSync(folder.file, whole)
    {
      using db = new DatabaseSync(folder.file)
      const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'log_by_time'").get() as {
        sql: string
      }
      db.exec(`DROP INDEX log_by_time; ${sql} WHERE ${rows}`)
      db.enableDefensive?.(false)
      db.exec('PRAGMA writable_schema = ON')
      db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'log_by_time'").run(sql)
    }
    const { answers } = await ask(readFileSync(folder.file))
    const ids = everyRead.flatMap(({ kind }, id) => (kind === 'offset-at' ? [id] : []))
    const refused = ids.filter((id) => answers.get(id)?.kind === 'no-answer')
    expect(refused).not.toEqual([])
    for (const id of ids) if (!refused.includes(id)) expect(answers.get(id)).toEqual(right.get(id))
    for (const id of refused)
      expect(answers.get(id)).toMatchObject({ thrown: { message: expect.stringContaining('record times') } })
  })

  test('is reported where an integer is larger than any that a ledger stores', async () => {
    writeFileSync(folder.file, whole)
    {
      using db = new DatabaseSync(folder.file)
      db.exec('UPDATE entries SET expires_at = 1 << 60')
    }
    const { stopped, answers } = await judged(readFileSync(folder.file))
    expect(stopped).toMatch(/^The ledger takes no writes, its file is damaged: Value is too large/)
    const kinds = [...answers].map(([id, { kind }]) => [everyRead[id]?.kind, kind])
    expect(kinds).toContainEqual(['entries', 'no-answer'])
  })

  test('is set aside by the start where an index lacks a row, which no read would meet', async () => {
    writeFileSync(folder.file, whole)
    {
      using db = new DatabaseSync(folder.file)
      const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'entries_by_name'").get() as {
        sql: string
      }
      db.exec(`DROP INDEX entries_by_name; ${sql} AND name > 'b'`)
      db.enableDefensive?.(false)
      db.exec('PRAGMA writable_schema = ON')
      db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'entries_by_name'").run(sql)
    }
    const { aside } = await judged(readFileSync(folder.file))
    expect(aside).toMatch(/\.unreadable-\d{8}T\d{6}Z$/)
  })
})
