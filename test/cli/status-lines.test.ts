import { expect, test } from 'vitest'
import type { DaemonMirror, DaemonStatus } from '../../src/cli/running-daemon.ts'
import { statusLines } from '../../src/cli/status-lines.ts'
import { countOf, thresholdOf } from '../../src/quorum/threshold.ts'

function statusWith(mirror: DaemonMirror | undefined): DaemonStatus {
  return {
    version: '0.1.0',
    network: 'mainnet',
    mode: 'bft',
    ready: true,
    uptimeSeconds: 60,
    protected: null,
    roster: null,
    thresholds: null,
    cache: { memory: { values: 0, absences: 0, maxBytes: 1_048_576 }, redis: 'none' },
    ...(mirror !== undefined && { mirror }),
    ledger: { driver: 'none' },
  }
}

const asOf = '2026-11-23T00:00:00.000Z'
const why = 'Two spot checks within an hour contradicted the mirror.'

test.each<{ mirror: DaemonMirror | undefined; said: readonly string[] }>([
  { mirror: undefined, said: [] },
  { mirror: { level: 'off', wanted: 'off' }, said: [] },
  {
    mirror: { level: 'stream', wanted: 'stream', asOf, degradedBecause: null },
    said: [`mirror     stream, as of ${asOf}`],
  },
  {
    mirror: { level: 'off', wanted: 'bindings', asOf: null, degradedBecause: why },
    said: [`mirror     OFF, and bindings is wanted: ${why}`],
  },
  {
    mirror: { level: 'stream', wanted: 'stream', asOf, unkeptBecause: 'Another process has it.' },
    said: [`mirror       stream, as of ${asOf}`, 'mirror.file  NOT written: Another process has it.'],
  },
])('status has a line about a mirror that is wanted: $mirror', ({ mirror, said }) => {
  expect(statusLines(statusWith(mirror), []).filter((line) => line.startsWith('mirror'))).toEqual(said)
})

test('status says why the mirror does not answer with some names', () => {
  const liveBecause = 'The clock of this daemon was set back.'
  const lines = statusLines(statusWith({ level: 'stream', wanted: 'stream', asOf, liveBecause }), [])
  const at = lines.findIndex((line) => line.startsWith('mirror'))
  expect(lines[at + 1]?.trim()).toBe(liveBecause)
})

test.each([
  [200, 'the next snapshot is drained at 2026-11-23T03:02:00.000Z, in 3m'],
  [0, 'the next snapshot is drained now'],
])(
  'status says when a mirror that answers nothing drains the next snapshot: %s s',
  (nextDrainSeconds, said) => {
    const nextDrain = '2026-11-23T03:02:00.000Z'
    const below = (level: string) => {
      const mirror = { level, wanted: 'stream', degradedBecause: why, nextDrain, nextDrainSeconds }
      const lines = statusLines(statusWith(mirror), [], 80)
      return lines[lines.findIndex((line) => line.startsWith('mirror')) + 1]?.trim()
    }
    expect(below('off')).toBe(said)
    expect(below('stream')).not.toContain('drained')
  },
)

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
    const status: DaemonStatus = {
      ...statusWith(undefined),
      protected: true,
      roster: { source: 'network', ageSeconds: 1, dso: 'DSO::1220', superValidators },
      thresholds: {
        general: { superValidators: countOf(threshold, n), operators: countOf('f+1', operators) },
      },
    }
    return statusLines(status, []).filter((line) => line.includes('alone'))
  }
  expect(told(['acme', 'acme', null, null], 3)).toEqual([
    expect.stringMatching(/^ +NOT against acme alone, which has a quorum$/),
  ])
  expect(told(['acme', null, null, null], 4)).toEqual([])
  expect(told(['acme', 'acme', 'acme', null, null, null, null], 5)).toEqual([])
})

test('status says why Redis cannot be used', () => {
  const { cache, ...rest } = statusWith(undefined)
  const lines = statusLines({ ...rest, cache: { ...cache, redis: 'down', redisBecause: 'WRONGPASS' } }, [])
  const at = lines.findIndex((line) => line.endsWith('Redis: down'))
  expect(lines[at + 1]?.trim()).toBe('WRONGPASS')
})
