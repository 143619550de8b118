import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { IncomingBody } from '../../src/core/scan/node.body.ts'

const share = { slots: 8, bytes: 100 }

const source = { pause() {}, resume() {} }

class Body {
  readonly #body: IncomingBody

  constructor(budget: Budget, first = 10) {
    this.#body = new IncomingBody(budget, first, 1000, { whole() {}, failed() {} })
    expect(budget.request({ bytes: first, admitted() {} })).toBe('admitted')
  }

  get held(): number {
    return this.#body.held
  }

  get wanted(): number {
    return this.#body.wanted
  }

  growTo(bytes: number): void {
    this.#body.begin(source, 200, { 'content-length': String(bytes) })
  }

  end(bytes: number): void {
    this.#body.write(Buffer.alloc(bytes), source)
    this.#body.end()
  }

  release(): void {
    this.#body.release()
  }
}

function bodies(count: number, first?: number) {
  const budget = new Budget(share)
  return { budget, all: Array.from({ length: count }, () => new Body(budget, first)) as [Body, Body, Body] }
}

describe('the room of a body', () => {
  test('comes back to bodies in the order in which they outgrew their first room', () => {
    const { all } = bodies(3)
    const [holder, first, second] = all
    holder.growTo(60)
    first.growTo(20)
    second.growTo(20)
    second.growTo(30)
    first.growTo(21)
    expect([first.wanted, second.wanted]).toEqual([1, 10])
    holder.end(59)
    expect([first.wanted, second.wanted]).toEqual([0, 10])
    holder.release()
    expect([first.wanted, second.wanted]).toEqual([0, 0])
  })

  test('goes before that of asks that have not started', () => {
    const { budget, all } = bodies(2)
    all[0].growTo(90)
    all[1].growTo(20)
    expect(all[1].wanted).toBe(10)
    let admissions = 0
    const claim = { bytes: 1, admitted: () => admissions++ }
    expect(budget.request(claim)).toBe('waiting')
    all[0].end(85)
    expect([all[1].wanted, admissions]).toEqual([0, 0])
    all[0].release()
    expect(admissions).toBe(1)
  })

  test('of all bodies never exceeds the share by more than one, none waits in vain, and at the end it is all back', () => {
    const limit = 150
    const steps = fc.array(
      fc.record({
        do: fc.constantFrom(
          'ask' as const,
          'grow' as const,
          'end' as const,
          'release' as const,
          'abort' as const,
        ),
        which: fc.nat(20),
        by: fc.integer({ min: 1, max: 80 }),
      }),
      { maxLength: 200 },
    )
    fc.assert(
      fc.property(steps, (all) => {
        const budget = new Budget(share)
        const growing: Body[] = []
        const whole: Body[] = []
        const drawn = (from: Body[], which: number) => from.splice(which % Math.max(1, from.length), 1)[0]
        const hold = () => [...growing, ...whole].reduce((sum, { held }) => sum + held, 0)
        const look = () => {
          expect(budget.reservedBytes).toBe(hold())
          expect(budget.reservedBytes).toBeLessThanOrEqual(share.bytes + limit)
          expect(budget.paused).toBe(growing.filter((body) => body.wanted > 0).length)
          const isStuck = growing.length > 0 && growing.every((body) => body.wanted > 0)
          if (whole.length === 0) expect(isStuck).toBe(false)
        }
        for (const step of all) {
          if (step.do === 'ask' && budget.paused === 0 && budget.inFlight < 8 && budget.reservedBytes <= 90)
            growing.push(new Body(budget))
          const body = growing[step.which % Math.max(1, growing.length)]
          if (step.do === 'grow' && body?.wanted === 0) body.growTo(Math.min(limit, body.held + step.by))
          if (step.do === 'end' && body?.wanted === 0) {
            growing.splice(growing.indexOf(body), 1)
            whole.push(body)
            budget.freeSlot()
            body.end(Math.max(1, body.held - step.by))
          }
          if (step.do === 'release') drawn(whole, step.which)?.release()
          if (step.do === 'abort') {
            const aborted = drawn(growing, step.which)
            if (aborted !== undefined) budget.freeSlot()
            aborted?.release()
          }
          look()
        }
        for (const body of whole.splice(0)) body.release()
        while (growing.length > 0) {
          const next = growing.findIndex((body) => body.wanted === 0)
          expect(next).not.toBe(-1)
          growing.splice(next, 1)[0]?.release()
          budget.freeSlot()
          look()
        }
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0, paused: 0, waiting: 0 })
      }),
      { numRuns: 1000 },
    )
  })
})
