import { expect, test } from 'vitest'
import { createEvents } from '../../src/telemetry/events.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { logLines } from './log-lines.ts'

function planned(calls: readonly (readonly [nextDrain: string, hasNames: boolean])[]) {
  const log = logLines()
  const { mirror } = createEvents({
    metrics: createMetrics({ version: '1.2.3', reads: [] }),
    logger: log.logger,
    clock: new ManualClock(),
  })
  for (const call of calls) mirror.planned(...call)
  return log.lines().map(({ level, nextDrain, msg }) => ({ level, nextDrain, msg }))
}

const [start, second, third] = ['2026-11-24T00:00:00Z', '2026-11-24T00:00:15Z', '2026-11-24T00:00:45Z']
const starts = 'the mirror starts; it drains a snapshot at nextDrain'
const again = 'the mirror drained no snapshot; it tries again at nextDrain'

test('the log says at info when a mirror without names drains, at the start and after the first attempt', () => {
  expect(
    planned([
      [start, false],
      [second, false],
      [third, false],
    ]),
  ).toEqual([
    { level: 'info', nextDrain: start, msg: starts },
    { level: 'info', nextDrain: second, msg: again },
    { level: 'debug', nextDrain: third, msg: again },
  ])
})

test('the log says at debug when a mirror with names drains again', () => {
  expect(
    planned([
      [start, true],
      [second, true],
    ]),
  ).toEqual([
    { level: 'info', nextDrain: start, msg: starts },
    { level: 'debug', nextDrain: second, msg: again },
  ])
})

test('the log says why the mirror drained no snapshot', () => {
  const log = logLines()
  const { mirror } = createEvents({
    metrics: createMetrics({ version: '1.2.3', reads: [] }),
    logger: log.logger,
    clock: new ManualClock(),
  })
  mirror.planned(start, false)
  mirror.planned(second, false, 'Nobody has it.')
  expect(log.lines().at(-1)).toMatchObject({ nextDrain: second, why: 'Nobody has it.', msg: again })
})
