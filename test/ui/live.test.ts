import { describe, expect, test } from 'vitest'
import { Live, type PageParts } from '../../src/ui/live.ts'
import { ManualClock } from '../support/manual-clock.ts'

function started() {
  const clock = new ManualClock()
  const shown: { now: PageParts } = { now: { a: '<p>1</p>', b: '<p>1</p>' } }
  const live = new Live({ clock, parts: () => shown.now })
  return { clock, shown, live }
}

function reader(live: Live) {
  const stream = live.listen()
  if (stream === undefined) throw new Error('nobody may listen')
  const source = stream.getReader()
  return {
    next: async () => Buffer.from((await source.read()).value ?? []).toString(),
    cancel: () => source.cancel(),
    isDone: async () => (await source.read()).done,
  }
}

const event = (parts: PageParts) => `data: ${JSON.stringify(parts)}\n\n`

describe('Who keeps the page open', () => {
  test('is told everything at first, and then what changes', async () => {
    const { clock, shown, live } = started()
    const page = reader(live)
    expect(await page.next()).toBe(`retry: 2000\n\n${event({ a: '<p>1</p>', b: '<p>1</p>' })}`)
    shown.now = { a: '<p>1</p>', b: '<p>2</p>' }
    clock.advance(1_000)
    expect(await page.next()).toBe(event({ b: '<p>2</p>' }))
    const later = reader(live)
    expect(await later.next()).toContain(event(shown.now))
  })

  test('hears a heartbeat while nothing changes', async () => {
    const { clock, live } = started()
    const page = reader(live)
    await page.next()
    clock.advance(15_000)
    expect(await page.next()).toBe(': still here\n\n')
  })

  test('costs nothing once it is closed', async () => {
    const { clock, live } = started()
    const page = reader(live)
    expect(clock.waiting).toBe(1)
    await page.cancel()
    expect(live.listeners).toBe(0)
    expect(clock.waiting).toBe(0)
  })

  test('is one of a hundred at most', async () => {
    const { live } = started()
    const pages = Array.from({ length: 100 }, () => reader(live))
    expect(live.listen()).toBeUndefined()
    await pages[0]?.cancel()
    expect(live.listen()).toBeDefined()
  })

  test('is let go where it does not read', () => {
    const { clock, shown, live } = started()
    live.listen()
    for (let change = 0; change < 20; change++) {
      shown.now = { a: String(change) }
      clock.advance(1_000)
    }
    expect(live.listeners).toBe(0)
    expect(clock.waiting).toBe(0)
  })

  test('is let go when the daemon stops, and nobody comes after', async () => {
    const { clock, live } = started()
    const page = reader(live)
    await page.next()
    live[Symbol.dispose]()
    expect(await page.isDone()).toBe(true)
    expect(live.listen()).toBeUndefined()
    expect(clock.waiting).toBe(0)
  })
})
