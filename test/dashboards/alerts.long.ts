import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Faults, NodeFaultKind } from '../../src/localnet/faults.ts'
import { type AlertReceiver, receiveAlerts } from './alert-receiver.ts'
import { filledIn, marks, queries, rules, rulesFile } from './files.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'
import { shortened } from './shortened.ts'

let alerts: AlertReceiver
let fleet: Fleet
let prometheus: Prometheus

beforeAll(async () => {
  alerts = await receiveAlerts()
  fleet = await startFleet()
  prometheus = await startPrometheus({
    jobs: fleet.jobs,
    rules: shortened(rulesFile),
    interval: '1s',
    alertmanager: alerts.url,
  })
}, 60_000)

afterAll(async () => {
  await prometheus?.[Symbol.asyncDispose]()
  await fleet?.[Symbol.asyncDispose]()
  await alerts?.[Symbol.asyncDispose]()
})

async function fault(names: readonly string[], kind: NodeFaultKind): Promise<void> {
  for (const name of names) await fleet.faulty.daemon.localnet?.setFault(name, { kind } as Faults)
}

test('alerts fire for a liar, a lone voice, a daemon without a roster, a full disk, newer scans and packages, a mirror and a rollback guard without their files', async () => {
  await fault(['sv-1'], 'lie')
  await Promise.all([
    alerts.fired({ alertname: 'ScanProxySuperValidatorDisagrees', job: 'faulty', sv: 'sv-1' }),
    alerts.fired({ alertname: 'ScanProxyNotProtected', job: 'alone' }),
    alerts.fired({ alertname: 'ScanProxyNoRoster', job: 'lost' }),
    alerts.fired({ alertname: 'ScanProxyLedgerWritesFail', job: 'full' }),
    alerts.fired({ alertname: 'ScanProxyMirrorFileNotWritten', job: 'faulty' }),
    alerts.fired({ alertname: 'ScanProxyFloorFileNotWritten', job: 'alone' }),
    alerts.fired({ alertname: 'ScanProxyMirrorPackageUnknown', job: 'newer' }),
    alerts.fired({ alertname: 'ScanProxyNewerSplice', job: 'newer' }),
  ])
})

test('the expression of every panel, and of the marks of alerts, returns a series', async () => {
  let without = [...queries, ...marks].map(({ where, expr }) => ({ where, expr: filledIn(expr) }))
  const withoutSeries = async () => {
    const counts = await Promise.all(without.map(({ expr }) => prometheus.countOf(expr)))
    without = without.filter((_, index) => counts[index] === 0)
    return without
  }
  await expect.poll(withoutSeries, { timeout: 30_000, interval: 500 }).toEqual([])
})

test('an alert fires for a mirror whose names disappear before they expire', async () => {
  const { world, truth } = fleet.mirrored.localnet
  const seen = () => prometheus.countOf('scan_proxy_mirror_entries{job="mirrored"} > 0')
  await expect.poll(seen, { timeout: 30_000, interval: 500 }).toBe(1)
  for (const entry of truth.entries('', 1_000))
    if (entry.name.endsWith('.unverified.cns')) world.put({ ...entry, expiresAt: 0 })
  await Promise.all(
    ['ScanProxyMirrorContradicted', 'ScanProxyMirrorNotServing'].map((alertname) =>
      alerts.fired({ alertname, job: 'mirrored' }),
    ),
  )
})

test('alerts fire for an unreachable Redis and for unreachable super validators', async () => {
  await fleet.redis.stop()
  await fault(['sv-2', 'sv-3'], 'refuse')
  await alerts.fired({ alertname: 'ScanProxyQuorumMarginLow', job: 'faulty' })
  await fault(['sv-4'], 'refuse')
  await Promise.all(
    [
      'ScanProxyRedisDown',
      'ScanProxyQuorumLost',
      'ScanProxyReadErrorsFast',
      'ScanProxyReadErrorsSlow',
      'ScanProxyRosterNotRefreshed',
    ].map((alertname) => alerts.fired({ alertname, job: 'faulty' })),
  )
})

test('no alert fires for a healthy daemon, and only the right ones for the others', () => {
  const told = (job: string) => [
    ...new Set(alerts.seen.filter((labels) => labels['job'] === job).map((labels) => labels['alertname'])),
  ]
  expect(told('well')).toEqual([])
  expect(told('lost')).toEqual(['ScanProxyNoRoster'])
  expect(told('full')).toEqual(['ScanProxyLedgerWritesFail'])
  expect(told('alone').toSorted()).toEqual([
    'ScanProxyFloorFileNotWritten',
    'ScanProxyNotProtected',
    'ScanProxyQuorumMarginLow',
  ])
})

test('an alert fires when the last daemon is gone, and every alert has fired once', async () => {
  const before = alerts.seen.map((labels) => labels['alertname'])
  alerts.forget()
  await fleet[Symbol.asyncDispose]()
  const gone = ['ScanProxyAbsent', 'ScanProxyDown']
  await Promise.all(gone.map((alertname) => alerts.fired({ alertname })))
  const told = new Set([...before, ...gone])
  expect(rules.flatMap(({ alert }) => alert ?? []).filter((name) => !told.has(name))).toEqual([])
})
