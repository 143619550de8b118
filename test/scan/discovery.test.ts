import { expect, test } from 'vitest'
import { silentLogger } from '../../src/base/telemetry/logger.ts'
import { openReadPathAlone } from '../../src/core/scan/open.ts'
import { configOf } from '../config/config.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { Scans } from '../support/scans.ts'

test('after an unforeseen error, the daemon asks again who the super validators are', async () => {
  await using scans = await Scans.listen('a', 'b', 'c', 'd')
  const clock = new ManualClock()
  const refreshes: string[] = []
  let isBroken = true
  const events = {
    scanAsked: () => {
      if (isBroken) throw new Error('out of order')
    },
    rosterRefreshed: (outcome: string, why = '') => void refreshes.push(`${outcome}: ${why}`),
  }
  const scanClient = { seedUrls: scans.urls, allowHttp: true, allowPrivate: true }
  const options = configOf({ network: 'remote', scanClient })
  await using path = await openReadPathAlone(options, { logger: silentLogger, clock, events })
  expect(path.discovery.roster).toBeUndefined()
  expect(refreshes).toEqual(['failed: an unforeseen error: Error: out of order'])
  isBroken = false
  await eventually(async () => {
    clock.advance(1_000)
    return path.discovery.roster !== undefined
  })
  expect(path.discovery.roster?.size).toBe(4)
})
