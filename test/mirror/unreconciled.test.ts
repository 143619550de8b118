import { expect, test } from 'vitest'
import { type DrainAndTakeDeps, drainAndTake } from '../../src/mirror/drain-and-take.ts'
import { gridMs } from '../../src/mirror/snapshot-grid.ts'
import type { MirroredEntry } from '../../src/reads/mirrored-entry.ts'
import type { Case } from '../../src/scan/evidence-log.ts'
import { ago } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import { agreementOf, byName, entryOf, hourMs, mirrored, party, setOf, t0, take } from './mirrored.ts'

const life = { lifeMs: 1_000 * hourMs, user: party('alice') }
const name = 'alice.unverified.cns'
const amuletRules = {
  amulet_rules_update: {
    contract: {
      payload: {
        configSchedule: {
          initialValue: { packageConfig: { amuletNameService: '0.1.23' } },
          futureValues: [],
        },
      },
    },
  },
}

test('a snapshot that contradicts the followed updates stops the mirror, and the next one starts it again', async () => {
  const { mirror, clock, told } = mirrored({}, { level: 'stream' })
  const ledger = new LedgerModel([])
  take(mirror, setOf([]))
  ledger.write(name, t0 + 1_000, life)
  ledger.pass(t0 + gridMs + 1)
  const page = { items: ledger.after(0, 10), agreement: agreementOf(['sv-1', 'sv-2']), isFull: false }
  mirror.follow({ ...page, askedAt: ago(clock) })
  const filed: Case[] = []
  const ends: string[] = []
  const drainOf = (entries: readonly MirroredEntry[], at: number) =>
    drainAndTake(
      at,
      {
        mirror,
        maxEntries: 1_000,
        packages: [],
        rules: async () => amuletRules,
        migrationId: async () => 0,
        learnHead: async () => {},
        drain: async () => ({ kind: 'agreed', set: setOf(entries, { at }), report: {}, evidence: undefined }),
        file: (found: Case) => filed.push(found),
        reconciled: () => {},
        wall: () => clock.wall(),
        ended: (outcome: string) => ends.push(outcome),
      } as unknown as DrainAndTakeDeps,
      new AbortController().signal,
    )
  const find = () => mirror.find(byName(name), undefined, undefined)

  expect(await drainOf([entryOf('mallory.unverified.cns')], t0 + gridMs)).toBe('refused')
  expect(find()).toBeUndefined()
  expect(mirror.state?.following).toBeUndefined()
  expect(filed).toHaveLength(1)
  expect(told).toContain('unreconciled')

  clock.advance(2 * gridMs)
  ledger.write('mallory.unverified.cns', t0 + gridMs + 2, life)
  ledger.pass(t0 + 2 * gridMs + 1)
  mirror.follow({ ...page, items: ledger.after(t0 + gridMs + 1, 10), askedAt: ago(clock) })
  expect(
    await drainOf(
      ledger.before(t0 + 2 * gridMs).filter((entry) => entry.name === name),
      t0 + 2 * gridMs,
    ),
  ).toBe('taken')
  expect(ends).toEqual(['unreconciled', 'taken'])
  mirror.follow({ ...page, items: [], askedAt: ago(clock) })
  expect(find()?.asOf?.claim).toBe('state')
})
