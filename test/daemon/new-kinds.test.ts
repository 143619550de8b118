import { expect, test } from 'vitest'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { mounts } from '../../src/server/http/routes/mounts.ts'
import { moveBetweenSnapshots } from '../mirror/between-snapshots.ts'
import { startEmbedded, startLiveStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { questionsTo } from '../support/every-question.ts'
import { askDaemon, askNode, common, newestRelease } from './every-fault.ts'
import { nothingKept } from './questions.ts'

const scanMounts = mounts.filter(
  ({ surface, template }) => surface === 'scan' && /^\/(?:api|registry)\//.test(template),
)

/** Reads whose answers have one of the new kinds. */
const withKinds: readonly ReadId[] = [
  'getUpdateHistoryV2',
  'getUpdateByIdV2',
  'getUpdateByHash',
  'getUpdateHistoryV1',
  'getUpdateByIdV1',
  'getUpdatesBefore',
  'getEventHistory',
  'getEventById',
  'getTransferFactory',
]

test('an answer that all scans of a newer release give alike is served as it came, with all the kinds they added', async () => {
  await using stage = await startLiveStage({
    superValidators: 4,
    config: { ...newestRelease, ...nothingKept },
  })
  const questions = questionsTo(stage.localnet)
  const before = new Map<string, unknown>()
  for (const { read } of scanMounts)
    before.set(read.id, (await askNode(stage, 'sv-1', read, questions[read.id as ReadId])).value)
  await stage.fault(stage.names, 'new-kinds')
  const changed: string[] = []
  for (const mount of scanMounts) {
    const { id } = mount.read
    const truth = await askNode(stage, 'sv-1', mount.read, questions[id as ReadId])
    if (JSON.stringify(truth.value) !== JSON.stringify(before.get(id))) changed.push(id)
    const { status, text } = await askDaemon(stage, mount, questions[id as ReadId])
    const served = truth.value === undefined ? { error: 'No migration is scheduled.' } : truth.value
    expect({ id, status, value: common(JSON.parse(text)) }).toEqual({
      id,
      status: truth.status,
      value: common(served),
    })
  }
  expect(changed).toEqual(expect.arrayContaining([...withKinds]))
  expect((await stage.report('/evidence')).cases).toEqual([])
}, 60_000)

test('while scans of a release know a kind that others do not, the page ends before it and says so', async () => {
  await using stage = await startLiveStage({
    superValidators: 4,
    config: { ...nothingKept, 'scanClient.threshold': '2f+1' },
  })
  const known = stage.localnet.truth
    .annals()
    .updates.slice(0, 4)
    .map(({ body }) => body)
  const page = { method: 'POST', body: '{"page_size":5}' }
  await stage.fault(['sv-1', 'sv-2'], { kind: 'new-kinds', events: false })
  const { status, headers, text } = await stage.get('/api/scan/v2/updates', page)
  expect({ status, found: JSON.parse(text).transactions }).toEqual({ status: 200, found: known })
  expect(headers['x-bft-quorum']).toContain('complete=?0')
})

test('a mirror does not follow an update of a kind that it does not know, and says why', async () => {
  await using running = await startEmbedded({
    'localnet.superValidators': 4,
    'mirror.level': 'stream',
    'mirror.pollInterval': '100ms',
  })
  const { localnet, names } = running.daemon
  const mirror = async () => (await running.report('/status')).mirror
  await moveBetweenSnapshots(localnet?.control)
  await eventually(async () => (await mirror()).level === 'stream')
  for (const { name } of localnet?.superValidators ?? [])
    await localnet?.setFault(name, { kind: 'new-kinds' })
  await names?.register('alice', { name: 'alice.unverified.cns', url: '', description: '' })
  await eventually(async () => (await mirror()).level !== 'stream')
  expect(JSON.stringify(await mirror())).toContain('of a kind that this release does not know')
  expect((await running.get('/v0/ans-entries/by-name/alice.unverified.cns')).status).toBe(200)
}, 60_000)
