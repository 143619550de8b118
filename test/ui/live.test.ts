import { createGunzip } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Live, type PageParts } from '../../src/server/ui/live.ts'
import { ManualClock } from '../support/manual-clock.ts'

const nothing: PageParts = { parts: {}, lists: {} }
const row = (id: string, text = id) => ({ id, html: `<li id="${id}">${text}</li>` })

function started(shown: Partial<PageParts> = {}) {
  const clock = new ManualClock()
  const page: { now: PageParts } = { now: { ...nothing, ...shown } }
  const live = new Live({ clock, networkMs: () => 7, parts: () => page.now })
  const show = (changed: Partial<PageParts>) => {
    page.now = { ...page.now, ...changed }
    clock.advance(1_000)
  }
  return { clock, live, show }
}

function reader(live: Live) {
  const stream = live.listen('a')
  if (stream === undefined) throw new Error('nobody may listen')
  const source = stream.getReader()
  const text = async () => Buffer.from((await source.read()).value ?? []).toString()
  return {
    text,
    next: async () => JSON.parse((await text()).replace(/^.*?data: /s, '')),
    cancel: () => source.cancel(),
    isDone: async () => (await source.read()).done,
  }
}

describe('An open page', () => {
  test('hears the whole content first, and then only the parts that change', async () => {
    const { live, show } = started({ parts: { a: '<p>1</p>', b: '<p>1</p>' } })
    const page = reader(live)
    expect(await page.text()).toBe(
      `retry: 2000\n\ndata: ${JSON.stringify({ now: 7, machine: Date.parse('2026-01-01T00:00:00.000Z'), parts: { a: '<p>1</p>', b: '<p>1</p>' } })}\n\n`,
    )
    show({ parts: { a: '<p>1</p>', b: '<p>2</p>' } })
    expect(await page.next()).toEqual({ now: 7, machine: expect.any(Number), parts: { b: '<p>2</p>' } })
    expect((await reader(live).next()).parts).toEqual({ a: '<p>1</p>', b: '<p>2</p>' })
  })

  test('hears of a list only the rows that changed, and the order if that changed', async () => {
    const { live, show } = started({ lists: { list: [row('x'), row('y')] } })
    const page = reader(live)
    expect(await page.next()).toEqual({
      now: 7,
      machine: expect.any(Number),
      lists: { list: ['x', 'y'] },
      rows: { x: row('x').html, y: row('y').html },
    })
    show({ lists: { list: [row('x'), row('y', 'new')] } })
    expect(await page.next()).toEqual({
      now: 7,
      machine: expect.any(Number),
      rows: { y: row('y', 'new').html },
    })
    show({ lists: { list: [row('z'), row('x')] } })
    expect(await page.next()).toEqual({
      now: 7,
      machine: expect.any(Number),
      lists: { list: ['z', 'x'] },
      rows: { z: row('z').html },
    })
  })

  test('hears a heartbeat every five seconds while nothing changes', async () => {
    const { clock, live } = started()
    const page = reader(live)
    await page.next()
    clock.advance(5_000)
    expect(await page.next()).toEqual({ now: 7, machine: expect.any(Number) })
  })

  test('gets each event compressed at once, and a repeated text in a few bytes', async () => {
    const words = Array.from({ length: 300 }, (_, index) => (index * 7919).toString(36)).join(' ')
    const { live, show } = started({ parts: { a: `${words} 1` } })
    const source = (live.listen('a', true) as ReadableStream<Uint8Array>).getReader()
    const gunzip = createGunzip()
    const heard: string[] = []
    gunzip.on('data', (chunk) => heard.push(String(chunk)))
    let bytes = 0
    const hear = async (text: string) => {
      bytes = 0
      while (!heard.join('').includes(text)) {
        const { value } = await source.read()
        bytes += value?.length ?? 0
        await new Promise((resolve) => gunzip.write(value, resolve))
      }
    }
    await hear(`${words} 1`)
    show({ parts: { a: `${words} 2` } })
    await hear(`${words} 2`)
    expect(bytes).toBeLessThan(60)
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
    expect(live.listen('a')).toBeUndefined()
    await pages[0]?.cancel()
    expect(live.listen('a')).toBeDefined()
  })

  test('gives its place to another client if its own has many', async () => {
    const { live } = started()
    const pages = Array.from({ length: 100 }, () => reader(live))
    for (let other = 0; other < 50; other++) expect(live.listen('b')).toBeDefined()
    expect(live.listen('b')).toBeUndefined()
    expect(live.listeners).toBe(100)
    await pages[0]?.text()
    expect(await pages[99]?.text()).toContain('data: ')
    expect(await pages[99]?.isDone()).toBe(true)
  })

  test('is disconnected if it does not read', () => {
    const { clock, live, show } = started()
    live.listen('a')
    for (let change = 0; change < 20; change++) show({ parts: { a: String(change) } })
    expect(live.listeners).toBe(0)
    expect(clock.waiting).toBe(0)
  })

  test.each([false, true])(
    'is disconnected when the daemon stops, and cannot reconnect (compressed: %s)',
    async (zipped) => {
      const { clock, live } = started()
      const stream = live.listen('a', zipped)?.getReader()
      live[Symbol.dispose]()
      while (!(await stream?.read())?.done);
      expect(live.listen('a', zipped)).toBeUndefined()
      expect(clock.waiting).toBe(0)
    },
  )
})
