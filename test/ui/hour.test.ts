import { describe, expect, test } from 'vitest'
import type { TrafficMinute } from '../../src/base/telemetry/traffic.ts'
import { trafficView } from '../../src/server/ui/views/hour.ts'
import { pageView } from '../../src/server/ui/views/page.ts'
import { model, textOf } from './samples.ts'

describe('The sums of the last hour', () => {
  test('give no share of the cache where no caller got an answer', () => {
    const minute = { ...(model().traffic[0] as TrafficMinute), hits: 1 }
    const shown = (answered: number) =>
      textOf(pageView(model({ place: { page: 'network' }, traffic: [{ ...minute, answered }] })))
    expect(shown(0)).toContain('Answers 0 Failed 0 From the cache –')
    expect(shown(3)).toContain('Answers 3 Failed 0 From the cache 33.3 %')
    expect(shown(0)).toContain('Look-ups on this page count only in the agreement.')
  })
})

test('The charts need no script: a line for what callers got, a dot for a lone minute, and a gap where nobody asked', () => {
  const idle = model().traffic[0] as TrafficMinute
  const of = (answered: number) => ({ ...idle, answered })
  const shown = trafficView({ traffic: [of(60), of(600), idle, of(300), idle] }).toString()
  const [chart = ''] = /<div class="chart">.*?<\/svg>/s.exec(shown) ?? []
  expect(textOf(chart as never)).toContain('Answers a second 5 answered · 1 min ago 10')
  expect(chart).toContain('d="M0 90L1 0M3 50h1"')
  expect(textOf(shown as never)).toContain('Time to the answer nobody asked in the last hour')
})
