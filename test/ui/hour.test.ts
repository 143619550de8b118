import { describe, expect, test } from 'vitest'
import type { TrafficMinute } from '../../src/base/telemetry/traffic.ts'
import { heatRows, trafficView } from '../../src/server/ui/views/hour.ts'
import { pageView } from '../../src/server/ui/views/page.ts'
import { unmarked } from '../../src/server/ui/views/pending.ts'
import { member, model, textOf } from './samples.ts'

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

test('A super validator that is being checked has a mark in its latest minute, whatever its votes were before', () => {
  const agreeing = (name: string) => {
    const { hour } = member(name)
    return member(name, {
      hour: {
        ...hour,
        minutes: hour.minutes.map((votes) => ({ ...votes, dissent: 0, agree: 1, abstain: 0, fault: 0 })),
      },
    })
  }
  const shown = (pending: readonly string[]) =>
    heatRows([agreeing('sv-1'), agreeing('sv-2')], {
      ...unmarked,
      pending: new Map(pending.map((name) => [name, 1])),
    }).map(({ html }) => textOf(html as never))
  const checked = '1 minute abstained, is or could not be checked, or differed for less than a minute'
  expect(shown(['sv-2'])[1]).toContain(checked)
  expect(shown(['sv-2'])[0]).not.toContain(checked)
  expect(shown([])[1]).not.toContain(checked)
})
