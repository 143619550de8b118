import { describe, expect, test } from 'vitest'
import type { TrafficMinute } from '../../src/telemetry/traffic.ts'
import { pageView } from '../../src/ui/views/page.ts'
import { model, textOf } from './samples.ts'

describe('The sums of the last hour', () => {
  test('give no share of the cache where no caller got an answer', () => {
    const minute = { ...(model().traffic[0] as TrafficMinute), hits: 1 }
    const shown = (answered: number) =>
      textOf(pageView(model({ place: { page: 'network' }, traffic: [{ ...minute, answered }] })))
    expect(shown(0)).toContain('Answers 0 Failed 0 From the cache –')
    expect(shown(3)).toContain('Answers 3 Failed 0 From the cache 33.3 %')
    expect(shown(0)).toContain('Look-ups on this page are not counted.')
  })
})
