import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ScanNode } from '../../src/core/scan/node.ts'
import { type DoctorOptions, runDoctor } from '../../src/doctor/doctor.ts'
import type { ScanAccess } from '../../src/doctor/examine.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { connected, dso, synchronizer } from './observations.ts'

const totalMs = 14_000

const options: DoctorOptions = {
  network: 'remote',
  requestTimeoutMs: 2_500,
  maxResponseBytes: 1_048_576,
  allowHttp: false,
  allowPrivate: false,
  egressAddresses: [],
  seedUrls: ['https://seed-1.example.org', 'https://seed-2.example.org'],
  discover: true,
  minimumVoters: 1,
  scanType: 'bft',
  svNames: [],
  threshold: 'f+1',
  thresholds: {},
  operators: {},
}

/** Scans at which each step of an examination succeeds after a share of its time-out. */
class SlowAccess implements ScanAccess {
  readonly clock = new ManualClock()
  readonly inspected: string[] = []
  readonly #share: (url: string) => number

  constructor(share: (url: string) => number) {
    this.#share = share
  }

  #wait(url: string, ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms * this.#share(url), resolve))
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms)
    // Each step of an examination begins in a microtask that the earlier step has queued.
    for (let turn = 0; turn < 30; turn++) await Promise.resolve()
  }

  async inspect(
    { url }: Parameters<ScanAccess['inspect']>[0],
    limits: Parameters<ScanAccess['inspect']>[1],
  ): ReturnType<ScanAccess['inspect']> {
    this.inspected.push(url)
    await this.#wait(url, limits.dnsMs)
    await this.#wait(url, limits.tcpMs)
    await this.#wait(url, limits.tlsMs)
    return connected
  }

  open(url: string): ScanNode {
    return {
      url,
      isConnected: true,
      warm() {},
      ask: async ({ path, timeoutMs }) => {
        await this.#wait(url, timeoutMs)
        const body = Buffer.from(JSON.stringify(answers[path] ?? {}))
        return { kind: 'response', status: 200, body, release() {} }
      },
      async [Symbol.asyncDispose]() {},
    }
  }
}

const contract = {
  template_id: 'ab:Splice.AmuletRules:AmuletRules',
  contract_id: '00ab',
  payload: {
    configSchedule: { initialValue: { decentralizedSynchronizer: { activeSynchronizer: synchronizer } } },
  },
  created_event_blob: '',
  created_at: '2026-01-01T00:00:00Z',
}
const scans = [1, 2, 3].map((nth) => ({ svName: `sv-${nth}`, publicUrl: `https://scan-${nth}.example.org` }))
const answers: Readonly<Record<string, unknown>> = {
  '/api/scan/version': { version: '0.7.5' },
  '/api/scan/v0/dso-party-id': { dso_party_id: dso },
  '/api/scan/v0/amulet-rules': { amulet_rules_update: { contract, domain_id: synchronizer } },
  '/api/scan/v0/scans': { scans: [{ domainId: synchronizer, scans }] },
  '/api/scan/v0/migrations/last': { migration_id: 0 },
}

test('an examination ends in time, however slow the scans are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (share) => {
      const access = new SlowAccess(() => share)
      const { clock } = access
      const begin = clock.now()
      let isDone = false
      const report = runDoctor(options, { clock, access })
      void report.then(() => {
        isDone = true
      })
      while (!isDone) {
        await access.advance(25)
        expect(clock.now() - begin).toBeLessThan(totalMs + 1_000)
      }
      const { superValidators, roster } = await report
      expect(roster).toMatchObject({ source: 'agreed', toldBy: 2 })
      expect(superValidators.map(({ names }) => names[0])).toEqual(['sv-1', 'sv-2', 'sv-3'])
      expect(access.inspected.toSorted()).toEqual([
        ...scans.map(({ publicUrl }) => publicUrl),
        ...options.seedUrls,
      ])
    }),
    { numRuns: 20 },
  )
})

test('an examination that is stopped waits for no scan any longer than for the step that has begun', async () => {
  const access = new SlowAccess(() => 1)
  const { clock } = access
  const stopped = new AbortController()
  let isDone = false
  const report = runDoctor(options, { clock, access, signal: stopped.signal })
  void report.then(() => {
    isDone = true
  })
  await access.advance(100)
  stopped.abort()
  await access.advance(2_000)
  expect(isDone).toBe(false)
  for (let step = 0; step < 100 && !isDone; step++) await access.advance(1)
  expect(isDone).toBe(true)
})

test('a scan to which no connection can even be tried is reported, and all others are examined', async () => {
  const access = new SlowAccess(() => 0)
  const odd = new Set([options.seedUrls[0], scans[0]?.publicUrl])
  const seedUrls = [...options.seedUrls, 'https://seed-3.example.org', 'https://seed-4.example.org']
  const report = runDoctor(
    { ...options, seedUrls },
    {
      clock: access.clock,
      access: {
        inspect: async (target, limits) => {
          if (odd.has(target.url)) throw new Error('this host is odd')
          return access.inspect(target, limits)
        },
        open: (url) => {
          if (url === scans[1]?.publicUrl) throw new Error('this URL is odd')
          return access.open(url)
        },
      },
    },
  )
  for (let step = 0; step < 40; step++) await access.advance(1)
  const { roster, superValidators } = await report
  expect(roster).toMatchObject({ source: 'agreed', toldBy: 3 })
  expect(superValidators.map(({ steps }) => steps.tcp)).toMatchObject([
    { outcome: 'failed', word: 'error', detail: expect.stringContaining('this host is odd') },
    { outcome: 'failed', word: 'error', detail: expect.stringContaining('this URL is odd') },
    { outcome: 'ok' },
  ])
})

test('super validators that f+1 seeds name are examined without waiting for slow seeds', async () => {
  const access = new SlowAccess((url) => (url.includes('seed-2') ? 1 : 0))
  const report = runDoctor(options, { clock: access.clock, access })
  for (let step = 0; step < 20; step++) await access.advance(1)
  expect(access.inspected.toSorted()).toEqual([
    ...scans.map(({ publicUrl }) => publicUrl),
    ...options.seedUrls,
  ])
  for (let step = 0; step < 20; step++) await access.advance(1_000)
  expect((await report).roster.toldBy).toBe(2)
})
