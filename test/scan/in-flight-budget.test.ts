import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget, Budgets, type Claim, shareOf } from '../../src/core/scan/in-flight-budget.ts'

class Ask implements Claim {
  readonly bytes: number
  admissions = 0

  constructor(bytes: number) {
    this.bytes = bytes
  }

  admitted(): void {
    this.admissions++
  }
}

describe('a budget', () => {
  test('lets those behind through when a waiting ask is withdrawn', () => {
    const budget = new Budget({ slots: 10, bytes: 100 })
    budget.request(new Ask(50))
    const [large, small] = [new Ask(80), new Ask(10)]
    budget.request(large)
    budget.request(small)
    budget.withdraw(large)
    expect([large.admissions, small.admissions]).toEqual([0, 1])
    expect(budget).toMatchObject({ reservedBytes: 60, waiting: 0 })
  })

  test('a larger share admits at once, a smaller one as asks end', () => {
    const budget = new Budget({ slots: 1, bytes: 100 })
    const [first, second, third] = [new Ask(10), new Ask(10), new Ask(10)]
    for (const ask of [first, second, third]) budget.request(ask)
    budget.resize({ slots: 2, bytes: 100 })
    expect([second.admissions, third.admissions]).toEqual([1, 0])
    budget.resize({ slots: 1, bytes: 100 })
    budget.freeSlot()
    expect(third.admissions).toBe(0)
    budget.freeSlot()
    expect(third.admissions).toBe(1)
  })

  test('an ask that ends while it is admitted makes way for the next', () => {
    const budget = new Budget({ slots: 1, bytes: 100 })
    const order: string[] = []
    const brief: Claim = {
      bytes: 10,
      admitted() {
        order.push('brief')
        budget.freeBytes(10)
        budget.freeSlot()
      },
    }
    const last: Claim = { bytes: 10, admitted: () => order.push('last') }
    budget.request(new Ask(10))
    budget.request(brief)
    budget.request(last)
    budget.freeSlot()
    expect(order).toEqual(['brief', 'last'])
    expect(budget).toMatchObject({ inFlight: 1, waiting: 0 })
  })

  test('never holds more than its share, one ask that is larger aside, and always serves in order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.oneof(fc.record({ ask: fc.integer({ min: 1, max: 150 }) }), fc.constant('end' as const))),
        (slots, steps) => {
          const budget = new Budget({ slots, bytes: 100 })
          const line: Ask[] = []
          const running: Ask[] = []
          for (const step of steps) {
            if (step === 'end') {
              const ended = running.shift()
              if (ended === undefined) continue
              budget.freeBytes(ended.bytes)
              budget.freeSlot()
            } else {
              const ask = new Ask(step.ask)
              const outcome = budget.request(ask)
              if (outcome === 'admitted') running.push(ask)
              if (outcome === 'waiting') line.push(ask)
            }
            while (line[0]?.admissions === 1) running.push(...line.splice(0, 1))
            expect(line.every(({ admissions }) => admissions === 0)).toBe(true)
            expect(budget.inFlight).toBe(running.length)
            expect(budget.inFlight).toBeLessThanOrEqual(slots)
            expect(budget.reservedBytes).toBe(running.reduce((sum, { bytes }) => sum + bytes, 0))
            expect(budget.reservedBytes <= 100 || running.length === 1).toBe(true)
            expect(budget.waiting).toBe(line.length)
            expect(running.length > 0 || line.length === 0).toBe(true)
          }
        },
      ),
    )
  })
})

describe('a share', () => {
  test.each([
    [{ maxInFlight: 512, maxBufferedBytes: 268_435_456 }, 13, { slots: 39, bytes: 20_648_881 }],
    [{ maxInFlight: 512, maxBufferedBytes: 268_435_456 }, 1, { slots: 512, bytes: 268_435_456 }],
    [{ maxInFlight: 512, maxBufferedBytes: 268_435_456 }, 0, { slots: 512, bytes: 268_435_456 }],
    [{ maxInFlight: 4, maxBufferedBytes: 8 }, 13, { slots: 1, bytes: 1 }],
  ])('of %o for each of %i voters is %o', (total, voters, share) => {
    expect(shareOf(total, voters)).toEqual(share)
  })
})

describe('the budgets of all nodes', () => {
  const total = { maxInFlight: 8, maxBufferedBytes: 800 }

  test('have equal shares of the whole, also those opened later', () => {
    const budgets = new Budgets(total)
    const first = budgets.open()
    expect(first.share).toEqual({ slots: 8, bytes: 800 })
    budgets.divide(4)
    const second = budgets.open()
    expect([first.share, second.share]).toEqual(Array(2).fill({ slots: 2, bytes: 200 }))
  })

  test('admit asks that waited when fewer nodes share the whole', () => {
    const budgets = new Budgets(total)
    budgets.divide(8)
    const budget = budgets.open()
    const [first, second] = [new Ask(10), new Ask(10)]
    budget.request(first)
    budget.request(second)
    budgets.divide(4)
    expect(second.admissions).toBe(1)
  })
})
