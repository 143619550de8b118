import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CannotOpen } from '../../../src/ledger/embedded/database.ts'
import { spliceInterpreter } from '../../../src/ledger/embedded/interpreter.splice.ts'
import { rebuildLedger, verifyLedger } from '../../../src/ledger/embedded/rebuild.ts'
import { foundNetwork, registerName, tap } from '../registration.ts'
import { type Folder, openLedger, temporaryFolder } from './open.ts'

const { indexing } = spliceInterpreter
const users = ['alice', 'bob', 'carol']

let folder: Folder
/** The files of closed ledgers. `pruned` lacks the first updates. */
let sources: { readonly whole: string; readonly pruned: string }
let damaged: string
let rebuilt: string
beforeAll(async () => {
  folder = await temporaryFolder()
  sources = { whole: `${folder.file}.whole`, pruned: `${folder.file}.pruned` }
  damaged = `${folder.file}.damaged`
  rebuilt = `${folder.file}.rebuilt`
  await using opened = await openLedger({ file: sources.whole })
  const { ledger, clock } = opened
  const network = await foundNetwork(ledger, Math.round(clock.wall() * 1000))
  for (const user of users) {
    const party = await ledger.partyOf(user, user)
    const coin = await tap(ledger, network, party, '1000.0', `tap-${user}`)
    await registerName(ledger, network, party, coin, `${user}.unverified.cns`, user)
    for (let each = 0; each < 20; each++)
      await ledger.setSetting(party, `setting-${each}`, `of ${user} `.repeat(20))
  }
  await ledger[Symbol.asyncDispose]()
  copyFileSync(sources.whole, sources.pruned)
  await using pruning = await openLedger({ file: sources.pruned })
  await pruning.ledger.prune(9)
}, 30_000)
afterAll(() => folder[Symbol.asyncDispose]())

function settingsOf(file: string): readonly unknown[] {
  using db = new DatabaseSync(file, { readOnly: true })
  return db.prepare('SELECT * FROM settings').all()
}

/**
 * Rebuilds a ledger from a changed copy of a source. Returns undefined if the rebuild rejects the copy with an error
 * for operators.
 */
function rebuildChanged(source: keyof typeof sources, change: (file: string) => void) {
  for (const file of [damaged, rebuilt])
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  copyFileSync(sources[source], damaged)
  change(damaged)
  try {
    return rebuildLedger(damaged, rebuilt, indexing)
  } catch (error) {
    expect(error).toBeInstanceOf(CannotOpen)
    expect((error as Error).message).toMatch(/^The ledger file \S+ .*(damaged|no ledger|newer version).*\.$/)
    return undefined
  }
}

/**
 * Returns a function that changes rows of the log. The triggers of the log forbid changes, so the function drops the
 * triggers first and creates them again.
 */
const changing = (sql: string) => (file: string) => {
  using db = new DatabaseSync(file)
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  db.exec(`${sql};${triggers.map((trigger) => trigger['sql']).join(';')}`)
}

test.each(['whole', 'pruned'] as const)(
  'a ledger file (%s) with an update that is not what was written is rebuilt up to it, with all settings',
  (source) => {
    const replayed = rebuildChanged(source, changing('UPDATE log SET head = head || 1 WHERE offset = 12'))
    expect(replayed?.damage).toBe('After update 11: update 12 is not what was written.')
    expect(replayed?.lostSettings).toBeUndefined()
    expect(settingsOf(rebuilt)).toEqual(settingsOf(sources[source]))
    expect(verifyLedger(rebuilt, indexing).problems).toEqual([])
  },
)

test('a ledger file whose pruned part is damaged is rebuilt without updates, but with all settings', () => {
  const replayed = rebuildChanged('pruned', changing("UPDATE nodes SET body = '{}' WHERE node <= 3"))
  expect(replayed?.updates).toBe(0)
  expect(replayed?.damage).toMatch(/^After update 0: node \d+ is not what was written\.$/)
  expect(settingsOf(rebuilt)).toEqual(settingsOf(sources.pruned))
  expect(verifyLedger(rebuilt, indexing).problems).toEqual([])
})

test('wherever a ledger file is damaged, the file that is rebuilt from it is whole and has every setting that can be read', () => {
  const bytes = { whole: readFileSync(sources.whole), pruned: readFileSync(sources.pruned) }
  const settings = settingsOf(sources.whole).length
  const damage =
    (source: keyof typeof bytes, at: number, length: number, value: number) => (file: string) => {
      const changed = Buffer.from(bytes[source])
      const from = at % changed.length
      for (let byte = from; byte < Math.min(from + length, changed.length); byte++)
        changed[byte] = length === 1 ? value : (value * 31 + byte * 131) & 0xff
      writeFileSync(file, changed)
    }
  fc.assert(
    fc.property(
      fc.constantFrom('whole', 'pruned'),
      fc.nat(2 ** 24),
      fc.constantFrom(1, 16, 512, 8192),
      fc.nat(255),
      (source, at, length, value) => {
        const replayed = rebuildChanged(source, damage(source, at, length, value))
        if (replayed === undefined) return
        expect(verifyLedger(rebuilt, indexing)).toMatchObject({ problems: [] })
        if (replayed.lostSettings === undefined) expect(settingsOf(rebuilt).length).toBe(settings)
      },
    ),
    { numRuns: 60 },
  )
}, 60_000)
