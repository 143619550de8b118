import { describe, expect, test } from 'vitest'
import { SpliceError } from '../../src/base/errors/splice.ts'
import { type HistoryDeps, historyOf } from '../../src/server/ui/name-timeline.ts'

const day = 86_400_000
const now = Date.parse('2026-03-01T00:00:00.000Z')
const at = (days: number) => new Date(now + days * day).toISOString()
const rules = {
  ans_rules_update: {
    contract: {
      payload: {
        config: {
          entryLifetime: { microseconds: String(90 * day * 1000) },
          renewalDuration: { microseconds: String(30 * day * 1000) },
        },
      },
    },
  },
}

function deps(given: Partial<HistoryDeps> = {}): HistoryDeps {
  return { agreed: async () => rules, past: undefined, networkMs: () => now, ...given }
}

describe('The history of a name', () => {
  test('follows from its end and from the agreed rules where no ledger is at hand', async () => {
    expect(await historyOf('a.cns', { expires_at: at(40) }, deps())).toEqual([
      { what: 'begun', at: at(-50) },
      { what: 'renewable', at: at(10) },
      { what: 'expires', at: at(40) },
    ])
  })

  test('is what the ledger of this process recorded, where there is one', async () => {
    const past = async (name: string) => [
      { what: 'registered', at: at(-50) } as const,
      { what: 'renewed', at: at(name === 'a.cns' ? -5 : -1) } as const,
    ]
    expect(
      (await historyOf('a.cns', { expires_at: at(40) }, deps({ past }))).map(({ what }) => what),
    ).toEqual(['registered', 'renewed', 'renewable', 'expires'])
    expect(await historyOf('a.cns', undefined, deps({ past }))).toEqual(await past('a.cns'))
  })

  test('tells an entry that is over from one that will be', async () => {
    const history = await historyOf('a.cns', { expires_at: at(-1) }, deps())
    expect(history.at(-1)).toEqual({ what: 'expired', at: at(-1) })
  })

  test('is shorter where the rules are not agreed on, or say something else', async () => {
    const disputed = async () => {
      throw new SpliceError('noRosterYet', {})
    }
    for (const agreed of [disputed, async () => undefined, async () => ({ ans_rules_update: null })])
      expect(await historyOf('a.cns', { expires_at: at(40) }, deps({ agreed }))).toEqual([
        { what: 'expires', at: at(40) },
      ])
  })

  test('is empty for a name without an end, such as that of the DSO', async () => {
    expect(await historyOf('dso.cns', { expires_at: null }, deps())).toEqual([])
  })
})
