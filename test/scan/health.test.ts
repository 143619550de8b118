import { describe, expect, test } from 'vitest'
import { Health } from '../../src/scan/health.ts'
import { ManualClock } from '../support/manual-clock.ts'

function times(count: number, run: () => void): void {
  for (let done = 0; done < count; done++) run()
}

describe('health chooses by availability and latency', () => {
  test('is unknown before the first ask, then what the last one showed', () => {
    const health = new Health(new ManualClock())
    expect(health.reachable).toBeUndefined()
    health.failed()
    expect(health.reachable).toBe(false)
    health.answered(5)
    expect(health.reachable).toBe(true)
  })

  test('one that never answers keeps a small weight, and gets its own back', () => {
    const health = new Health(new ManualClock())
    times(50, () => health.failed())
    expect(health.weight(10)).toBeGreaterThan(0)
    expect(health.weight(10)).toBeLessThan(0.05)
    times(50, () => health.answered(10))
    expect(health.weight(10)).toBeGreaterThan(0.95)
  })

  test('a slow one is asked less often than the others, but not less than half as often', () => {
    const slow = new Health(new ManualClock())
    times(50, () => slow.answered(1_000))
    expect(slow.weight(10)).toBeGreaterThanOrEqual(0.5)
    expect(slow.weight(10)).toBeLessThan(1)
  })

  test('an answer is overdue by how long this node usually takes, within bounds', () => {
    const fast = new Health(new ManualClock())
    const steady = new Health(new ManualClock())
    times(100, () => fast.answered(1))
    times(100, () => steady.answered(100))
    expect(fast.overdueMs).toBe(20)
    expect(steady.overdueMs).toBeGreaterThanOrEqual(150)
    expect(steady.overdueMs).toBeLessThan(200)
    times(100, () => steady.answered(60_000))
    expect(steady.overdueMs).toBe(2_000)
  })

  test('knows how long nobody asked', () => {
    const clock = new ManualClock()
    const health = new Health(clock)
    clock.advance(7_000)
    expect(health.idleMs).toBe(7_000)
    health.asked()
    expect(health.idleMs).toBe(0)
  })
})
