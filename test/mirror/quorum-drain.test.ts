import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/lib/random.ts'
import { asTimePasses } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { ansEntry, digestOfSet, rulesOf } from './contracts.ts'
import { drainFrom, rosterOf, svName } from './drained-network.ts'
import { at, type Behaviour, migrationId, SnapshotScan } from './snapshot-scan.ts'

const ledger = [...Array.from({ length: 7 }, (_, index) => ansEntry(`name-${index}.cns`)), ...rulesOf()]

function scansThat(...behaviours: readonly Behaviour[]): readonly SnapshotScan[] {
  return behaviours.map((behaviour, index) => new SnapshotScan(behaviour, ledger, seededRandom(index)))
}

const everyone = { drain: { patient: true, fanout: 'all' } } as const

describe('A drain', () => {
  test('asks f+1 scans and one to spare, each for all its pages, and takes the set that they gave alike', async () => {
    const scans = scansThat('honest', 'honest', 'honest', 'honest')
    const outcome = await drainFrom(scans)
    expect(scans.map(({ asked }) => asked).sort()).toEqual([0, 2, 2, 4])
    const agreed = outcome.kind === 'agreed' ? outcome.set.agreement.agreed : []
    expect(agreed).toHaveLength(2)
    const trust = rosterOf(4)
    expect(outcome).toMatchObject({
      kind: 'agreed',
      set: {
        at,
        migrationId,
        digest: digestOfSet(ledger),
        agreement: { threshold: 2, asked: 3, voters: 4, complete: true, protected: true },
        trustDigest: trust.trustDigest,
        dso: trust.membership.dso,
      },
      report: { dissenters: [], availableAfterMs: 120_000, seconds: 0 },
      evidence: undefined,
    })
    if (outcome.kind !== 'agreed') return
    expect(outcome.set.entries.map(({ name }) => name).sort()).toEqual(
      Array.from({ length: 7 }, (_, index) => `name-${index}.cns`),
    )
    expect(outcome.report.digests).toEqual([
      { digest: outcome.set.digest, who: expect.arrayContaining([...agreed]) },
    ])
    expect(outcome.report.bytes).toBeGreaterThan(2 * JSON.stringify(ledger).length)
  })

  test('reports a scan that gave another set', async () => {
    const outcome = await drainFrom(scansThat('honest', 'add', 'honest', 'honest'), everyone)
    expect(outcome).toMatchObject({
      kind: 'agreed',
      report: { dissenters: ['sv-01'] },
      evidence: {
        read: 'getAcsSnapshotAtV1',
        outcome: 'agreed',
        agreed: digestOfSet(ledger),
        dissent: { 'sv-01': 'dissent' },
      },
    })
    const { statements = [] } = (outcome.kind === 'agreed' && outcome.evidence) || {}
    expect(statements.find(({ who }) => who.includes('sv-01'))?.body).toBe('{"contracts":9}')
  })

  test('says "not yet" if too few scans have the snapshot, and lists the silent ones with their words', async () => {
    const none = 'has no snapshot yet'
    const outcome = await drainFrom(scansThat(none, none, 'honest', none))
    expect(outcome).toMatchObject({
      kind: 'not-yet',
      report: { availableAfterMs: undefined },
    })
    if (outcome.kind !== 'not-yet') return
    expect(outcome.report.scans).toContainEqual(
      expect.objectContaining({
        outcome: 'none',
        why: 'Failed to find ACS snapshot for migration id 3 at 2026-03-01T12:00:00Z',
        names: ['sv-00'],
      }),
    )
  })

  test('says so if too few scans know a form of the snapshot, and f of them hide no other reason', async () => {
    const withoutForms = (count: number, others: readonly Behaviour[]) => {
      const scans = scansThat(...Array<Behaviour>(count).fill('honest'), ...others)
      for (const scan of scans.slice(0, count)) scan.forms = []
      return drainFrom(scans)
    }
    const why =
      '3 of 4 scans do not know how to give a snapshot in a form that this daemon knows; their releases are not known (known to this daemon: 0.7.5 to 0.9.1).'
    expect(await withoutForms(3, ['honest'])).toMatchObject({ kind: 'path-unknown', why })
    expect(await withoutForms(3, ['silent'])).toMatchObject({ kind: 'path-unknown', why })
    const none = 'has no snapshot yet'
    expect(await withoutForms(1, [none, none, none])).toMatchObject({ kind: 'not-yet' })
    expect(await withoutForms(1, ['silent', 'silent', 'silent'])).toMatchObject({ kind: 'unreachable' })
    expect(await withoutForms(2, ['honest', 'honest'])).toMatchObject({ kind: 'agreed' })
  })

  test('is disputed if no set has enough votes, and says who gave which', async () => {
    const outcome = await drainFrom(scansThat('honest', 'drop', 'add', 'alter'))
    expect(outcome).toMatchObject({
      kind: 'disputed',
      evidence: { outcome: 'disputed', agreed: null, dissent: {} },
    })
    if (outcome.kind !== 'disputed') return
    expect(outcome.report.digests).toHaveLength(4)
    expect(outcome.report.digests.flatMap(({ who }) => who).sort()).toEqual([0, 1, 2, 3].map(svName))
  })

  test('counts a snapshot with more than 16 contracts of rules as a fault of its scan', async () => {
    const behaviour = 'too many rules'
    const outcome = await drainFrom(scansThat(behaviour, behaviour, behaviour, behaviour))
    expect(outcome).toMatchObject({ kind: 'unreachable' })
    expect(await drainFrom(scansThat('honest', 'honest', 'honest', behaviour))).toMatchObject({
      kind: 'agreed',
    })
  })

  test('does not believe one scan that the snapshot has too many entries', async () => {
    const outcome = await drainFrom(scansThat('too many', 'honest', 'honest', 'honest'), everyone)
    expect(outcome).toMatchObject({ kind: 'agreed', report: { dissenters: ['sv-00'] } })
  })

  test('is unreachable if the scans that could decide are silent, or if there is no roster', async () => {
    expect(await drainFrom(scansThat('silent', 'silent', 'silent', 'honest'))).toMatchObject({
      kind: 'unreachable',
      why: expect.stringMatching(/could not be reached/),
    })
    const none = { roster: () => undefined }
    expect(await drainFrom(scansThat('honest', 'honest', 'honest', 'honest'), none)).toEqual({
      kind: 'unreachable',
      why: 'there is no roster yet',
      report: undefined,
    })
  })

  test('tells a scan that was never asked, and one that had not ended, from those that gave a set', async () => {
    const clock = new ManualClock(at + 120_000)
    let first: number | undefined
    const draining = drainFrom(scansThat('honest', 'honest', 'honest', 'honest'), {
      clock,
      stuck: (index) => {
        first ??= index
        return index === first
      },
    })
    const outcome = await asTimePasses(clock, draining)
    if (outcome.kind !== 'agreed') throw new Error(outcome.kind)
    const { scans } = outcome.report
    expect(scans.map(({ outcome }) => outcome).sort()).toEqual(['not-asked', 'not-ended', 'set', 'set'])
    expect(scans[first ?? 0]).toMatchObject({ outcome: 'not-ended', bytes: 0 })
    expect(scans.map(({ why }) => why)).toEqual([null, null, null, null])
  })

  test('takes nothing if the roster changed meanwhile', async () => {
    let roster = rosterOf(4)
    const outcome = await drainFrom(scansThat('honest', 'honest', 'honest', 'honest'), {
      roster: () => roster,
      asking: () => {
        roster = rosterOf(4, { threshold: '2f+1' })
      },
    })
    expect(outcome).toEqual({ kind: 'roster-changed' })
  })

  test('needs as many operators as a read does', async () => {
    const operators = { one: [0, 1, 2, 3, 4].map(svName) }
    const scans = (others: Behaviour) =>
      scansThat('honest', 'honest', 'honest', 'honest', 'honest', others, others, others, others, others)
    const options = { ...everyone, trust: { operators } }
    expect(await drainFrom(scans('drop'), options)).toMatchObject({ kind: 'disputed' })
    expect(await drainFrom(scans('honest'), options)).toMatchObject({
      kind: 'agreed',
      set: { agreement: { operators: { voters: 6, threshold: 2 } } },
    })
  })

  test('needs as many votes as the strictest read that the mirror answers', async () => {
    const trust = { thresholds: { lookupAnsEntryByName: '2f+1', getAcsSnapshotAtV1: 1 } } as const
    const outcome = await drainFrom(scansThat('honest', 'honest', 'honest', 'honest'), { trust })
    expect(outcome).toMatchObject({ kind: 'agreed', set: { agreement: { threshold: 3, asked: 4 } } })
  })

  test.each([
    [4, 1],
    [13, 4],
  ])(
    'of %i scans, the first %i of which are silent or answer 429, takes less than a minute',
    async (n, f) => {
      for (const kind of ['stuck', 'limited'] as const) {
        const clock = new ManualClock(at + 120_000)
        const slow = new Set<number>()
        const isSlow = (index: number) => slow.has(index) || (slow.size < f && slow.add(index).has(index))
        const scans = scansThat(...Array<Behaviour>(n).fill('honest'))
        const outcome = await asTimePasses(clock, drainFrom(scans, { clock, [kind]: isSlow }))
        if (outcome.kind !== 'agreed') throw new Error(outcome.kind)
        expect(outcome.report.seconds, kind).toBeLessThan(60)
        expect(outcome.set.agreement.agreed.filter((name) => [...slow].map(svName).includes(name))).toEqual(
          [],
        )
      }
    },
  )

  test.each([false, true])(
    'is taken although the first scan is silent that is asked for the rows of the agreed set (patient: %s)',
    async (patient) => {
      const clock = new ManualClock(at + 120_000)
      const begun: number[] = []
      const outcome = await asTimePasses(
        clock,
        drainFrom(scansThat('honest', 'honest', 'honest', 'honest'), {
          clock,
          drain: { fanout: 'all', patient, deadlineMs: 20_000 },
          stuck: (index, { body = '' }) => {
            if (!body.includes('"after"')) begun.push(index)
            return begun.length === 5 && index === begun[4]
          },
        }),
      )
      if (outcome.kind !== 'agreed') throw new Error(outcome.kind)
      expect(begun).toHaveLength(6)
      expect(outcome.report.seconds).toBeLessThan(20)
    },
  )

  test('ends when its time is up', async () => {
    const clock = new ManualClock(at)
    const asked = Promise.withResolvers<void>()
    const draining = drainFrom(scansThat('honest', 'honest', 'honest', 'honest'), {
      clock,
      stuck: () => {
        asked.resolve()
        return true
      },
    })
    await asked.promise
    clock.advance(600_000)
    expect(await draining).toMatchObject({ kind: 'unreachable' })
  })

  test('rejects with the reason of its signal', async () => {
    const abort = new AbortController()
    const draining = drainFrom(scansThat('honest', 'honest', 'honest', 'honest'), {
      signal: abort.signal,
      asking: () => abort.abort(new Error('the daemon is closing')),
    })
    await expect(draining).rejects.toThrow('the daemon is closing')
  })
})
