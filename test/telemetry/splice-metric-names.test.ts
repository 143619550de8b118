import { expect, test } from 'vitest'
import { createEvents } from '../../src/telemetry/create-events.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { parseExposition, sampleValue } from './exposition-text.ts'

const byName = 'lookupAnsEntryByName'
const prefix = 'splice_validator_scan_'

function given(spliceNames = true) {
  const metrics = createMetrics({ version: '1.2.3', reads: [byName, 'getAmuletRules'], spliceNames })
  const events = createEvents({ metrics, logger: silentLogger, clock: new ManualClock() })
  const families = async (accept?: string) => parseExposition((await metrics.scrape(accept)).body)
  return {
    events,
    families,
    value: async (name: string, labels: Record<string, string>) =>
      sampleValue(await families(), prefix + name, labels),
  }
}

test("Splice's names are absent unless they are wanted", async () => {
  const { families } = given(false)
  expect([...(await families()).keys()].filter((name) => name.startsWith('splice_'))).toEqual([])
})

test("Splice's five metrics have the names and kinds that its reporter writes", async () => {
  const { families } = given()
  const found = [...(await families()).values()].filter(({ name }) => name.startsWith('splice_'))
  expect(found.map(({ name, type }) => [name, type])).toEqual([
    [`${prefix}per_connection_latency_duration_seconds`, 'histogram'],
    [`${prefix}per_connection_calls_total`, 'counter'],
    [`${prefix}bft_read_latency_duration_seconds`, 'histogram'],
    [`${prefix}bft_calls_total`, 'counter'],
    [`${prefix}bft_per_connection_consensus_total`, 'counter'],
  ])
  const open = await families('application/openmetrics-text')
  expect(open.get(`${prefix}bft_calls`)?.type).toBe('counter')
})

test('calls and latencies name the host and the request', async () => {
  const { events, value } = given()
  const sv = events.forSuperValidator('Digital-Asset-1', 'scan.sv-1.example.org')
  sv.asked('value', 0.03, byName)
  sv.asked('refusal', 0.03, byName)
  sv.asked('timeout', 5, 'getAmuletRules')
  sv.asked('value', 0.03)

  const connection = { scan_connection: 'scan.sv-1.example.org', request: byName }
  expect(await value('per_connection_calls_total', { ...connection, outcome: 'ok' })).toBe(2)
  const latency = 'per_connection_latency_duration_seconds'
  expect(await value(`${latency}_count`, connection)).toBe(2)
  expect(await value(`${latency}_bucket`, { ...connection, le: '0.025' })).toBe(0)
  expect(await value(`${latency}_bucket`, { ...connection, le: '0.05' })).toBe(2)
  const rules = { scan_connection: 'scan.sv-1.example.org', request: 'getAmuletRulesWithState' }
  expect(await value('per_connection_calls_total', { ...rules, outcome: 'timeout' })).toBe(1)
})

test('two super validators on one host are one connection', async () => {
  const { events, families, value } = given()
  events.forSuperValidator('sv-1', 'scan.example.org').asked('value', 0.03, byName)
  events.forSuperValidator('sv-2', 'scan.example.org').asked('value', 0.3, byName)
  const connection = { scan_connection: 'scan.example.org', request: byName }
  expect(await value('per_connection_calls_total', { ...connection, outcome: 'ok' })).toBe(2)
  expect(await value('per_connection_latency_duration_seconds_count', connection)).toBe(2)
  expect((await families()).get(`${prefix}per_connection_calls_total`)?.samples).toHaveLength(1)
})

test("reads have Splice's outcomes, and one latency whatever they came to", async () => {
  const { events, value } = given()
  events.readSettled(byName, 'agreed', 0.06)
  events.readSettled(byName, 'disputed', 0.6)
  events.readSettled(byName, 'undecided', 12)
  events.readSettled(byName, 'unreachable', 16)

  const calls = (outcome: string) => value('bft_calls_total', { request: byName, outcome })
  expect([await calls('ok'), await calls('consensus_not_reached'), await calls('not_enough_scans')]).toEqual([
    1, 2, 1,
  ])
  const latency = (le: string) => value('bft_read_latency_duration_seconds_bucket', { request: byName, le })
  expect(await Promise.all(['0.05', '0.075', '0.5', '0.75', '10', '+Inf'].map(latency))).toEqual([
    0, 1, 1, 2, 2, 4,
  ])
  expect(await value('bft_read_latency_duration_seconds_sum', { request: byName })).toBeCloseTo(28.66)
})

test('neither lag nor a split among honest super validators is a disagreement', async () => {
  const { events, families, value } = given()
  const sv = events.forSuperValidator('sv-1')
  for (const vote of ['agree', 'dissent', 'lag', 'split', 'abstain', 'fault'] as const) sv.voted(byName, vote)
  const consensus = { scan_connection: 'sv-1', request: byName }
  const name = 'bft_per_connection_consensus_total'
  expect(await value(name, { ...consensus, consensus: 'agree' })).toBe(1)
  expect(await value(name, { ...consensus, consensus: 'disagree', success: 'true' })).toBe(1)
  expect(await value(name, { ...consensus, consensus: 'disagree', success: 'false' })).toBe(2)
  expect((await families()).get(prefix + name)?.samples).toHaveLength(3)
})

test("super validators that left the roster disappear from Splice's metrics", async () => {
  const { events, families } = given()
  const sv = events.forSuperValidator('sv-1', 'scan.sv-1.example.org')
  sv.asked('value', 0.03, byName)
  sv.voted(byName, 'agree')
  events.rosterTaken({
    members: [{ name: 'sv-2', host: 'scan.sv-2.example.org' }],
    superValidators: { threshold: 1, reachable: 1 },
    reachableMembers: 1,
    protected: false,
    singleSeed: false,
    unmatchedOperators: [],
  })
  const connections = [...(await families()).values()].flatMap(({ samples }) =>
    samples.flatMap(({ labels }) => labels['scan_connection'] ?? []),
  )
  expect(connections).toEqual([])
})
