import { expect, test } from 'vitest'
import { countOf, thresholdOf } from '../../src/base/lib/threshold.ts'
import type { DaemonStatus } from '../../src/cli/running-daemon.ts'
import { statusLines } from '../../src/cli/status.ts'

const of = { values: 0, absences: 0, maxBytes: 1_048_576 }
const base = {
  version: '0.1.0',
  network: 'mainnet',
  mode: 'bft',
  ready: true,
  uptimeSeconds: 60,
  protected: null,
  seeds: [],
  roster: null,
  thresholds: null,
  reads: { minutes: 5, settled: 0, notAgreed: 0 },
  cache: { memory: of, redis: 'none' },
  mirror: { level: 'off', wanted: 'off' },
  ledger: { driver: 'none' },
  log: null,
}

function linesOf(over: object, width?: number): readonly string[] {
  return statusLines({ ...base, ...over } as unknown as DaemonStatus, [], {
    url: 'http://127.0.0.1:9464',
    width,
  })
}

const asOf = '2026-11-23T00:00:00.000Z'
const why = 'Two spot checks within an hour contradicted the mirror.'
const nextDrain = '2026-11-23T03:02:00.000Z'
const well = {
  level: 'stream',
  wanted: 'stream',
  asOf,
  degradedBecause: null,
  unkeptBecause: null,
  liveBecause: null,
  nextDrain,
  nextDrainSeconds: 200,
}
const off = { ...well, level: 'off', asOf: null, degradedBecause: why }

test.each<[mirror: object, said: readonly string[]]>([
  [base.mirror, []],
  [well, [`mirror     stream, as of ${asOf}`]],
  [
    off,
    [
      `mirror     OFF, and stream is wanted: ${why}`,
      `           the next snapshot is drained at ${nextDrain}, in 3m`,
    ],
  ],
  [
    { ...off, nextDrainSeconds: 0 },
    [`mirror     OFF, and stream is wanted: ${why}`, '           the next snapshot is drained now'],
  ],
  [
    { ...well, liveBecause: 'The clock was set back.' },
    [`mirror     stream, as of ${asOf}`, '           The clock was set back.'],
  ],
  [
    { ...well, unkeptBecause: 'Another process has it.' },
    [`mirror       stream, as of ${asOf}`, 'mirror.file  NOT written: Another process has it.'],
  ],
])('status has lines about a mirror that is wanted: %j', (mirror, said) => {
  const lines = linesOf({ mirror })
  const at = lines.findIndex((line) => line.startsWith('mirror'))
  expect(at < 0 ? [] : lines.slice(at, -1)).toEqual(said)
})

test('status says which operator has a quorum of its own', () => {
  const told = (owners: readonly (string | null)[], operators: number) => {
    const n = owners.length
    const threshold = thresholdOf('f+1', n)
    const superValidators = owners.map((operator, index) => ({
      names: [`sv-${index}`],
      operator,
      url: null,
      reachable: true,
      replySeconds: null,
      place: null,
      pause: null,
    }))
    const general = { superValidators: countOf(threshold, n), operators: countOf('f+1', operators) }
    const roster = { source: 'network', ageSeconds: 1, dso: 'DSO::1220', superValidators }
    return linesOf({ roster, thresholds: { general } }).filter((line) => line.includes('alone'))
  }
  expect(told(['acme', 'acme', null, null], 3)).toEqual([
    expect.stringMatching(/^ +NOT against acme alone, which has a quorum$/),
  ])
  expect(told(['acme', null, null, null], 4)).toEqual([])
  expect(told(['acme', 'acme', 'acme', null, null, null, null], 5)).toEqual([])
})

test('status gives no time of a reply beside a super validator that is out of reach', () => {
  const member = { operator: null, url: null, replySeconds: 0.2, place: null, pause: null }
  const superValidators = [
    { ...member, names: ['sv-1'], reachable: true },
    { ...member, names: ['sv-2'], reachable: false },
  ]
  const roster = { source: 'network', ageSeconds: 1, dso: 'DSO::1220', superValidators }
  const lines = linesOf({ roster, thresholds: { general: { superValidators: countOf(1, 2) } } })
  expect(lines.find((line) => line.startsWith('sv-1'))).toContain('200 ms')
  expect(lines.find((line) => line.startsWith('sv-2'))).not.toContain('200 ms')
})

test('status says why Redis cannot be used', () => {
  const lines = linesOf({ cache: { memory: of, redis: 'down', redisBecause: 'WRONGPASS' } })
  const at = lines.findIndex((line) => line.endsWith('Redis: down'))
  expect(lines[at + 1]?.trim()).toBe('WRONGPASS')
})
