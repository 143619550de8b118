import { describe, expect, test } from 'vitest'
import type { Fault, NodeFaultKind } from '../../src/localnet/faults.ts'
import { readIds } from '../../src/localnet/reads.ts'
import { advanceBy, type Stage, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { byName, nothingKept } from './questions.ts'

const config = { ...nothingKept, 'scanClient.fanout': 'all', 'scanClient.probeInterval': '5s' }
const refusing: readonly NodeFaultKind[] = ['forbidden', 'html', 'unknown-path', 'redirect', 'error']

const readiness = async (stage: Stage) => (await stage.operations('/readyz?quorum')).status
const ask = async (stage: Stage) => (await stage.get(byName('dso.cns'))).status
const margin = async (stage: Stage) =>
  (await stage.metrics()).value('scan_proxy_quorum_margin', { count: 'super_validators' })

describe.each(refusing)('Super validators with the fault %s', (kind) => {
  test('are unreachable as soon as a read or a probe shows it, until they answer again', async () => {
    await using stage = await startStage({ config })
    expect(await readiness(stage)).toBe(200)
    await stage.fault(stage.names.slice(1), kind)
    expect(await ask(stage)).toBeGreaterThanOrEqual(500)
    await advanceBy(stage, 2)
    expect([await readiness(stage), await margin(stage)]).toEqual([503, -1])
    await stage.fault(stage.names, undefined)
    expect(await ask(stage)).toBe(200)
    await advanceBy(stage, 8)
    expect([await readiness(stage), await margin(stage)]).toEqual([200, 2])
  })

  test('are unreachable after some seconds even if nobody reads, and stay so however often they are probed', async () => {
    await using stage = await startStage({ config })
    await stage.fault(stage.names.slice(1), kind)
    await advanceBy(stage, 8)
    expect(await readiness(stage)).toBe(503)
    for (let second = 0; second < 12; second++) {
      await advanceBy(stage, 1)
      expect(await readiness(stage)).toBe(503)
    }
  })
})

test('Super validators that are healed on a localnet, one or all, are probed at once', async () => {
  await using stage = await startStage({ config: { ...config, 'scanClient.probeInterval': '1h' } })
  await stage.fault(stage.names, 'reset')
  expect(await ask(stage)).toBe(502)
  await advanceBy(stage, 300)
  expect(await margin(stage)).toBe(-2)
  await stage.fault(stage.names.slice(0, 1), undefined)
  await eventually(async () => (await margin(stage)) === -1)
  const all = await fetch(`${stage.localnet.control}/faults`, { method: 'DELETE' })
  expect(all.status).toBe(200)
  await eventually(async () => (await margin(stage)) === 2)
})

test('A super validator that answers its version and refuses all reads is not reachable', async () => {
  await using stage = await startStage({ config })
  await stage.fault(stage.names.slice(1), {
    kind: 'forbidden',
    only: readIds.filter((id) => id !== 'version'),
  })
  await advanceBy(stage, 8)
  expect(await readiness(stage)).toBe(503)
})

test.each<NodeFaultKind>(['misshapen', 'unknown-path', 'deny', 'lie', 'error'])(
  'The fault %s of one read alone makes nobody unreachable',
  async (kind) => {
    await using stage = await startStage({ config })
    await stage.fault(stage.names.slice(1), { kind, only: ['by-name'] } as Fault)
    for (let second = 0; second < 8; second++) {
      await ask(stage)
      await advanceBy(stage, 1)
      expect(await readiness(stage)).toBe(200)
    }
  },
)

test('A read that a super validator answers with its own absence of a path is followed by a probe within a second', async () => {
  await using stage = await startStage({ config: { ...config, 'scanClient.probeInterval': '1h' } })
  await stage.fault(stage.names.slice(1), 'unknown-path')
  for (let second = 0; second < 3; second++) {
    await ask(stage)
    await advanceBy(stage, 1)
  }
  expect(await readiness(stage)).toBe(503)
})

test('A question on which every scan fails inside makes nobody unreachable, however often a caller asks it', async () => {
  await using stage = await startStage({ config })
  const { dso_party_id: dso } = JSON.parse((await stage.get('/api/scan/v0/dso-party-id')).text)
  for (let second = 0; second < 8; second++) {
    const path = `/api/scan/v0/domains/d${second}/parties/${encodeURIComponent(dso)}/participant-id`
    expect((await stage.get(path)).status).toBe(502)
    expect(await readiness(stage)).toBe(200)
    await advanceBy(stage, 1)
  }
})

test('A question that no scan understands, and refuses in plain text, makes nobody unreachable', async () => {
  await using stage = await startStage({ config })
  const beforeTime = '/api/scan/v0/state/acs/snapshot-timestamp?before=0000-01-01T00:00:00Z&migration_id=0'
  for (let second = 0; second < 8; second++) {
    expect((await stage.get(beforeTime)).status).toBe(502)
    expect(await readiness(stage)).toBe(200)
    await advanceBy(stage, 1)
  }
})

test('A dissenter that fails inside when it is asked the same again stays reachable', async () => {
  await using stage = await startStage({ config })
  const [sv = ''] = stage.names
  await stage.fault([sv], { kind: 'lie', only: ['by-name'] })
  expect(await ask(stage)).toBe(200)
  await stage.fault([sv], { kind: 'error', only: ['by-name'] })
  const asks = stage.localnet.asks(sv)
  for (let second = 0; second < 60; second++) {
    await advanceBy(stage, 1)
    expect(await margin(stage)).toBe(2)
  }
  expect(stage.localnet.asks(sv)).toBeGreaterThan(asks)
})
