import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpliceError } from '../../src/base/errors/splice.ts'
import { tolerated } from '../../src/base/lib/threshold.ts'
import type { HeldUpOutcome } from '../../src/base/telemetry/label-values.ts'
import { FloorTable } from '../../src/core/guard/floors.ts'
import { RollbackGuard } from '../../src/core/guard/rollback-guard.ts'
import { lookupAnsEntryByName } from '../../src/core/reads/ans.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { wireReads } from '../support/wired-reads.ts'

const name = 'alice.unverified.cns'
const absent = -1

type Says = number | 'absent' | 'silent'

interface Round {
  /** The number of versions that each group of honest super validators advances. All members of a group lag alike. */
  readonly steps: readonly number[]
  readonly lies: readonly Says[]
}

function responseOf(says: Says): ScanResponse {
  if (says === 'silent') return { kind: 'fault', fault: 'reset', detail: 'made up' }
  const said =
    says === 'absent' || says < 0
      ? { status: 404, body: { error: `No ans entry found for name: ${name}` } }
      : { status: 200, body: { entry: entryOf(says) } }
  const body = Buffer.from(JSON.stringify(said.body))
  return { kind: 'response', status: said.status, body, release: () => {}, resent: false } as ScanResponse
}

function entryOf(version: number) {
  const expires_at = new Date(Date.UTC(2027, 0, 1 + version)).toISOString()
  return { contract_id: `00${version}`, user: 'alice::1220ab', name, url: '', description: '', expires_at }
}

function versionIn(body: Buffer): number {
  const { entry } = JSON.parse(body.toString())
  return Number(entry.contract_id.slice(2))
}

async function nameAsked(says: () => readonly Says[], seed: number) {
  const n = says().length
  const names = Array.from({ length: n }, (_, nth) => `sv-${String(nth + 1).padStart(2, '0')}`)
  const heldUp: HeldUpOutcome[] = []
  const floors: FloorTable[] = []
  const reads = wireReads({
    names,
    rule: 'f+1',
    fanout: 'economical',
    seed,
    guard: (clock) => {
      const table = FloorTable.inMemory({ clock })
      floors.push(table)
      return new RollbackGuard({ network: 'remote' }, { floors: table, clock })
    },
    events: { heldUp: (_, outcome) => heldUp.push(outcome) },
    ask: async (asked) => responseOf(says()[names.indexOf(asked)] ?? 'silent'),
  })
  return { reads, heldUp, table: floors[0] as FloorTable }
}

async function served(reads: Awaited<ReturnType<typeof nameAsked>>['reads']): Promise<number | undefined> {
  try {
    const answer = await reads.answer(lookupAnsEntryByName, { name })
    return answer.kind === 'value' ? versionIn(answer.body) : absent
  } catch (error) {
    if (error instanceof SpliceError && error.status === 502) return undefined
    throw error
  }
}

describe.each([4, 13])('of %i super validators', (n) => {
  const f = tolerated(n)
  const groups = 2
  const lie = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom<Says>('absent', 'silent'))
  const round = fc.record<Round>({
    steps: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: groups, maxLength: groups }),
    lies: fc.array(lie, { minLength: f, maxLength: f }),
  })

  test('whatever liars and laggards say, no answer is older than one before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 8 }), fc.nat(), async (rounds, seed) => {
        const honest: number[] = Array.from({ length: n - f }, () => absent)
        let lies: readonly Says[] = Array.from({ length: f }, () => 'silent')
        const { reads } = await nameAsked(() => [...lies, ...honest], seed)
        let newest = absent
        for (const { steps, lies: next } of rounds) {
          lies = next
          for (const nth of honest.keys()) honest[nth] = (honest[nth] ?? 0) + (steps[nth % groups] ?? 0)
          const version = await served(reads)
          if (version === undefined) continue
          expect(version).toBeGreaterThanOrEqual(newest)
          expect(version, 'one honest super validator has it').toBeLessThanOrEqual(Math.max(...honest))
          newest = version
        }
      }),
      { numRuns: 40 },
    )
  })

  test('f liars that agree on a later entry do not move the floor', async () => {
    const lies = Array.from({ length: f }, () => 9)
    const honest = Array.from({ length: n - f }, () => 1)
    for (let seed = 0; seed < 8; seed++) {
      const { reads, heldUp, table } = await nameAsked(() => [...lies, ...honest], seed)
      for (let round = 0; round < 3; round++) expect(await served(reads)).toBe(1)
      expect(heldUp).toEqual([])
      const versions = [...table.entries()].map(([, { version }]) => version)
      expect(versions).toEqual(['2027-01-02T00:00:00.000000000'])
    }
  })

  test('where a quorum lags after a newer answer, asking all finds the newer one again', async () => {
    const outcomes: HeldUpOutcome[] = []
    for (let seed = 0; seed < 12; seed++) {
      let says: Says[] = Array(n).fill(5)
      const { reads, heldUp } = await nameAsked(() => says, seed)
      expect(await served(reads)).toBe(5)
      says = says.map((_, nth) => ((nth + seed) % n < f + 1 ? 5 : 4))
      for (let round = 0; round < 3; round++) expect(await served(reads)).toBe(5)
      outcomes.push(...heldUp)
    }
    expect(new Set(outcomes)).toEqual(new Set(['newer']))
  })

  test('a name that is withdrawn is absent at the second time that all say so, ten seconds later', async () => {
    let says: Says[] = Array(n).fill(3)
    const { reads, heldUp } = await nameAsked(() => says, 1)
    expect(await served(reads)).toBe(3)
    says = says.map((_, nth) => (nth < f ? 'silent' : 'absent'))
    expect(await served(reads)).toBeUndefined()
    reads.clock.advance(9_000)
    expect(await served(reads)).toBeUndefined()
    reads.clock.advance(1_000)
    expect(await served(reads)).toBe(absent)
    expect(heldUp).toEqual(['behind', 'behind', 'withdrawn'])
    expect(reads.evidence.cases().map(({ rule }) => rule)).toContainEqual(
      expect.stringMatching(/^withdrawn:/),
    )
    expect(await served(reads)).toBe(absent)
  })

  test('a name is not withdrawn while fewer than all but f say so', async () => {
    let says: Says[] = Array(n).fill(3)
    const { reads, heldUp } = await nameAsked(() => says, 1)
    expect(await served(reads)).toBe(3)
    says = says.map((_, nth) => (nth < f + 1 ? 'silent' : 'absent'))
    for (let round = 0; round < 3; round++) {
      expect(await served(reads)).toBeUndefined()
      reads.clock.advance(20_000)
    }
    expect(heldUp).toEqual(['behind', 'behind', 'behind'])
  })
})
