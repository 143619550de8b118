import { describe, expect, test } from 'vitest'
import type { TrafficMinute } from '../../src/telemetry/traffic.ts'
import { heatRows } from '../../src/ui/views/hour.ts'
import { pageView } from '../../src/ui/views/page.ts'
import { pendingIn } from '../../src/ui/views/pending.ts'
import { disagreement, member, model, textOf } from './samples.ts'

describe('The sums of the last hour', () => {
  test('give no share of the cache where no caller got an answer', () => {
    const minute = { ...(model().traffic[0] as TrafficMinute), hits: 1 }
    const shown = (answered: number) => textOf(pageView(model({ traffic: [{ ...minute, answered }] })))
    expect(shown(0)).toContain('Answers 0 Failed 0 From the cache –')
    expect(shown(3)).toContain('Answers 3 Failed 0 From the cache 33.3 %')
    expect(shown(0)).toContain('Look-ups on this page are not counted.')
  })
})

test('The heat map marks a contradiction that is being checked in the minute of its vote', () => {
  const { hour } = member('sv-3')
  const idle = { ...hour.votes, agree: 0, dissent: 0 }
  const members = [member('sv-3', { hour: { ...hour, minutes: [idle, idle, idle] } })]
  const now = Date.parse('2026-01-01T12:00:00.000Z')
  const cells = (at: string) => {
    const pending = pendingIn([disagreement({ at })], now)
    return /level-pending" d="M(\d)/.exec(
      heatRows(members, { pending, lastBeyondFAt: undefined })[0]?.html ?? '',
    )?.[1]
  }
  expect(cells('2026-01-01T12:00:00.000Z')).toBe('2')
  expect(cells('2026-01-01T12:00:20.000Z')).toBe('2')
  expect(cells('2026-01-01T11:59:59.999Z')).toBe('1')
  expect(cells('2026-01-01T11:59:00.000Z')).toBe('1')
  expect(cells('2026-01-01T11:58:59.000Z')).toBe('0')
})
