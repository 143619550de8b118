import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { expect } from 'vitest'
import type { transportFaults } from '../../../src/localnet/faults/transport.ts'
import { ask, failure } from '../ask.ts'
import { alice, type FaultCases } from './faulty-localnet.ts'

export const transportCases: FaultCases<(typeof transportFaults)[number]> = {
  async reset({ faulty, set }) {
    await set({ kind: 'reset' })
    expect(await failure(ask(faulty, alice))).toBe('ECONNRESET')
    await set({ kind: 'reset', after: 'half' })
    const heard = await ask(faulty, alice).catch((error: NodeJS.ErrnoException) => error)
    if (heard instanceof Error) expect(heard.code).toBe('ECONNRESET')
    else expect(heard.whole).toBe(false)
  },

  async delay({ clock, faulty, set, honest, isPending }) {
    await set({ kind: 'delay', ms: 2000 })
    const waits = clock.nextTimer()
    const answer = ask(faulty, alice)
    await waits
    clock.advance(1999)
    expect(await isPending(answer)).toBe(true)
    clock.advance(1)
    expect((await answer).text).toBe((await honest(alice)).text)

    await set({ kind: 'delay', ms: 2000, stalls: 1, stallMs: 500 })
    const waitsLonger = clock.nextTimer()
    const stalled = ask(faulty, alice)
    await waitsLonger
    clock.advance(2499)
    expect(await isPending(stalled)).toBe(true)
    clock.advance(1)
    await stalled
  },

  async truncate({ faulty, set, honest }) {
    const { body } = await honest(alice)
    for (const framing of ['length', 'chunked'] as const) {
      await set({ kind: 'truncate', framing })
      const heard = await ask(faulty, alice)
      expect([heard.status, heard.whole]).toEqual([200, false])
      expect('content-length' in heard.headers).toBe(framing === 'length')
      expect(body.subarray(0, heard.body.length)).toEqual(heard.body)
      expect(heard.body.length).toBeLessThan(body.length)
    }
    expect((await ask(faulty, '/api/scan/livez')).whole).toBe(false)
  },

  async huge({ faulty, set, expectHonestValue }) {
    await set({ kind: 'huge', bytes: 1_000_001 })
    const padded = await ask(faulty, alice)
    expect(padded.headers['content-length']).toBe('1000001')
    expect([padded.whole, padded.body.length]).toEqual([true, 1_000_001])
    await expectHonestValue(alice)
    await set({ kind: 'huge', framing: 'chunked' })
    const part = await ask(faulty, alice, { enough: 1_000_000 })
    expect(part.headers).not.toHaveProperty('content-length')
    expect(part.whole).toBe(false)
    await set({ kind: 'huge' })
    expect((await ask(faulty, alice, { enough: 1 })).headers['content-length']).toBe(String(32 * 1024 ** 2))
  },

  async 'gzip-bomb'({ faulty, set, honest }) {
    await set({ kind: 'gzip-bomb', bytes: 40_000_000 })
    const heard = await ask(faulty, alice)
    expect(heard.headers['content-encoding']).toBe('gzip')
    expect(heard.body.length).toBeLessThan(100_000)
    let [length, start] = [0, '']
    for await (const part of Readable.from([heard.body]).pipe(createGunzip())) {
      if (length === 0) start = part.toString().trimEnd()
      length += part.length
    }
    expect(start).toBe((await honest(alice)).text)
    expect(length).toBeGreaterThanOrEqual(40_000_000)
  },
}
