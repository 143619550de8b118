import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Continuity, continuityOf, isContinuous } from '../../src/mirror/continuity.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'

interface Vector {
  readonly at: string
  readonly before: readonly MirroredEntry[]
  readonly after: readonly MirroredEntry[]
  /** The contract ids of the entries. `renewed` has pairs of the old id and the new id. */
  readonly expect: {
    readonly kept: readonly string[]
    readonly renewed: readonly (readonly [string, string])[]
    readonly added: readonly string[]
    readonly expired: readonly string[]
    readonly withdrawn: readonly string[]
    readonly taken: boolean
  }
}

const folder = join(import.meta.dirname, '../vectors/mirror/continuity')

describe('From one snapshot to the next,', () => {
  for (const file of readdirSync(folder).sort()) {
    test(file.replace('.json', ''), () => {
      const vector = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Vector
      const found = continuityOf(vector.before, vector.after, Date.parse(vector.at))
      expect(inShort(found)).toEqual(vector.expect)
    })
  }

  test('every entry before is kept, renewed, expired or withdrawn, and every entry after kept, a renewal or added', () => {
    fc.assert(
      fc.property(entries, entries, fc.integer({ min: 0, max: 6 }), (before, after, hour) => {
        const found = continuityOf(before, after, Date.UTC(2026, 0, 1, hour))
        const { kept, renewed, added, expired, withdrawn } = found
        const left = [...kept, ...renewed.map(({ from }) => from), ...expired, ...withdrawn]
        expect(idsOf(left)).toEqual(idsOf(before))
        expect(idsOf([...kept, ...renewed.map(({ to }) => to), ...added])).toEqual(idsOf(after))
        for (const { from, to } of renewed) {
          expect({ ...to, contract_id: '', expires_at: '' }).toEqual({
            ...from,
            contract_id: '',
            expires_at: '',
          })
          expect(Date.parse(to.expires_at)).toBeGreaterThan(Date.parse(from.expires_at))
        }
      }),
    )
  })

  test('an entry that never ends before its expiry is never called withdrawn', () => {
    fc.assert(
      fc.property(
        entries,
        fc.array(fc.nat({ max: 2 })),
        fc.integer({ min: 0, max: 6 }),
        (before, fates, hour) => {
          const at = Date.UTC(2026, 0, 1, hour)
          const after = before.flatMap((entry, index) => {
            const later = new Date(Date.parse(entry.expires_at) + 3_600_000)
              .toISOString()
              .replace('.000Z', 'Z')
            if (fates[index] === 1)
              return [{ ...entry, contract_id: `${entry.contract_id}+`, expires_at: later }]
            return fates[index] === 2 && Date.parse(entry.expires_at) < at ? [] : [entry]
          })
          expect(continuityOf(before, after, at).withdrawn).toEqual([])
        },
      ),
    )
  })
})

const entries = fc.uniqueArray(
  fc.record({
    contract_id: fc.stringMatching(/^00[0-9a-c]{1,2}$/),
    user: fc.constantFrom('alice::1220aa', 'bob::1220bb'),
    name: fc.constantFrom('a.cns', 'b.cns'),
    url: fc.constant(''),
    description: fc.constantFrom('', 'text'),
    expires_at: fc.integer({ min: 0, max: 6 }).map((hour) => `2026-01-01T0${hour}:00:00Z`),
  }),
  { selector: ({ contract_id: id }) => id, maxLength: 12 },
)

function inShort(found: Continuity): Vector['expect'] {
  return {
    kept: idsOf(found.kept),
    renewed: found.renewed.map(({ from, to }) => [from.contract_id, to.contract_id] as const).sort(),
    added: idsOf(found.added),
    expired: idsOf(found.expired),
    withdrawn: idsOf(found.withdrawn),
    taken: isContinuous(found),
  }
}

function idsOf(list: readonly MirroredEntry[]): readonly string[] {
  return list.map(({ contract_id: id }) => id).sort()
}
