import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/lib/random.ts'
import { electorateOf } from '../../src/core/quorum/electorate.ts'
import { Connection } from '../../src/core/scan/connections.ts'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import type { ScanNode } from '../../src/core/scan/node.ts'
import { type PeerCriteria, Selection } from '../../src/core/scan/peer-selection.ts'
import { RateLimit, type RateLimitOptions } from '../../src/core/scan/rate-limit.ts'
import { ManualClock } from '../support/manual-clock.ts'

const lookups: PeerCriteria = { kind: 'small', ingress: 'scan', holding: undefined }

/**
 * Makes one scan for each time. Each scan has answered ten times, after that many milliseconds. Undefined makes a scan
 * that has never answered.
 */
function scansThatTook(times: readonly (number | undefined)[], rateLimit: RateLimitOptions = {}) {
  const clock = new ManualClock()
  const connections = times.map((ms) => {
    const budget = new Budget({ slots: 8, bytes: 1 << 20 })
    const connection = new Connection({} as ScanNode, budget, new RateLimit(rateLimit, clock), { clock })
    for (let reply = 0; ms !== undefined && reply < 10; reply++) connection.health.answered(ms, 'small')
    return connection
  })
  const voters = times.map((_, at) => ({ names: [`sv-${at}`], operator: `sv-${at}` }))
  const electorate = electorateOf(voters, 'f+1')
  const selection = new Selection(connections, clock)
  const choose = () => selection.choose(electorate, lookups, seededRandom(1))
  return { clock, connections, selection, choose, order: () => choose().order.join('') }
}

describe('whom to ask first', () => {
  test('are those that replied soonest, then those of whom nothing was heard, then those that fail', () => {
    const { connections, order } = scansThatTook([30, undefined, 10, 100, 60])
    connections[0]?.health.failed()
    expect(order()).toBe('24310')
  })

  test('are not those that have been silent for longer than others take', () => {
    const { clock, connections, order } = scansThatTook([10, 30, 60, 100])
    connections[0]?.health.late(clock.now())
    clock.advance(45)
    expect(order()).toBe('1023')
    clock.advance(100)
    expect(order()).toBe('1230')
    connections[0]?.health.answered(145, 'small')
    expect(order()).toBe('0123')
  })

  test('are not those whose turn is still to come', () => {
    const { clock, connections, order } = scansThatTook([10, 30, 60, 100], { asksPerSecond: 10 })
    for (let ask = 0; ask < 10; ask++) connections[0]?.rateLimit.tryTake('scan')
    expect(order()).toBe('1230')
    clock.advance(999)
    expect(order()).toBe('1230')
    clock.advance(1)
    expect(order()).toBe('0123')
  })
})

describe('a spare', () => {
  test('is asked where replies take 20 ms or longer', () => {
    expect(scansThatTook([1, 2, 3, 4]).choose().spare).toBe(false)
    expect(scansThatTook([1, 19, 40, 80]).choose().spare).toBe(false)
    expect(scansThatTook([1, 20, 40, 80]).choose().spare).toBe(true)
  })

  test('is not asked of one that has used three quarters of its limit', () => {
    const { connections, choose } = scansThatTook([50, 80, 120, 200], { asksPerSecond: 12 })
    for (let ask = 0; ask < 8; ask++) connections[2]?.rateLimit.tryTake('scan')
    expect(choose().spare).toBe(true)
    connections[2]?.rateLimit.tryTake('scan')
    expect(choose().spare).toBe(false)
  })

  test('is not asked where there is nobody left', () => {
    expect(scansThatTook([50]).choose()).toEqual({ order: [0], spare: false })
  })

  test('is not asked because nothing is known yet', () => {
    expect(scansThatTook([undefined, undefined, undefined, undefined]).choose().spare).toBe(false)
  })
})

test('every scan has a place in the order, and the time after which it is late', () => {
  const { connections, selection } = scansThatTook([30, undefined, 10])
  connections[0]?.health.answered(34, 'small')
  expect(selection.standings()).toEqual([
    { place: 2, expectedMs: 30, lateMs: 34 },
    { place: 3, expectedMs: undefined, lateMs: 250 },
    { place: 1, expectedMs: 10, lateMs: 10 },
  ])
  expect(new Selection([undefined], new ManualClock()).standings()).toEqual([undefined])
})
