import { expect, test } from 'vitest'
import { createEvents } from '../../src/base/telemetry/events.ts'
import { createMetrics } from '../../src/base/telemetry/metrics.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { logLines } from './log-lines.ts'

const [start, second, third] = ['2026-11-24T00:00:00Z', '2026-11-24T00:00:15Z', '2026-11-24T00:00:45Z']
const starts = 'the mirror starts; it drains a snapshot at nextDrain'
const again = 'the mirror drained no snapshot; it tries again at nextDrain'
const why = 'Nobody has it.'

test.each([
  [false, 'info', 'debug'],
  [true, 'debug', 'debug'],
])('the log says when and why a mirror drains again, and whether that is news: %s', (hasNames, ...levels) => {
  const { logger, lines } = logLines()
  const metrics = createMetrics({ version: '1.2.3', reads: [] })
  const { mirror } = createEvents({ metrics, logger, clock: new ManualClock() })
  mirror.planned(start, hasNames)
  mirror.planned(second, hasNames, why)
  mirror.planned(third, hasNames, why)
  expect(lines()).toMatchObject([
    { level: 'info', nextDrain: start, msg: starts },
    { level: levels[0], nextDrain: second, why, msg: again },
    { level: levels[1], nextDrain: third, why, msg: again },
  ])
})
