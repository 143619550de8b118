import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { mintToken } from '../../src/cli/token.ts'
import { startDaemon } from '../../src/daemon.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { configOf, written } from '../config/config.ts'
import { ask } from '../localnet/ask.ts'
import { startStage } from '../support/daemon.ts'
import { ManualClock } from '../support/manual-clock.ts'

const settings = { 'http.port': 0, 'operations.port': 0 }
const anyParty = { filtersForAnyParty: { cumulative: [] } }
const updateFormat = {
  includeTransactions: { eventFormat: anyParty, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
}

test('with no ledger every path of the JSON Ledger API answers 501, as Canton would', async () => {
  await using stage = await startStage()
  for (const [method, path] of [
    ['POST', '/v2/updates'],
    ['POST', '/v2/updates/get-updates-page'],
    ['POST', '/v2/state/active-contracts'],
    ['GET', '/v2/state/ledger-end'],
    ['GET', '/v2/version'],
  ] as const) {
    const heard = await stage.get(path, { method, ...(method === 'POST' ? { body: '{}' } : {}) })
    expect(heard.status).toBe(501)
    expect(JSON.parse(heard.text)).toMatchObject({ code: 'NA', errorCategory: 14, grpcCodeValue: 12 })
  }
  expect(await stage.operations('/prune', { method: 'POST', body: '{"upTo":1}' })).toMatchObject({
    status: 501,
  })
})

test('after an operator has pruned the ledger, reads of pruned updates are refused', async () => {
  const config = configOf(written(settings))
  await using daemon = await startDaemon(config, { logger: silentLogger, clock: new ManualClock(Date.now()) })
  const headers = { authorization: `Bearer ${await tokenOf()}` }
  const post = async (path: string, body: object) => {
    const heard = await ask(daemon.http, path, { method: 'POST', body: JSON.stringify(body), headers })
    return { status: heard.status, json: JSON.parse(heard.text) }
  }
  const prune = async (body: string) => {
    const heard = await ask(daemon.operations, '/prune', { method: 'POST', body })
    return { status: heard.status, json: JSON.parse(heard.text) }
  }
  expect(await prune('{"upTo":2}')).toEqual({ status: 200, json: { prunedUpTo: 2 } })
  for (const body of ['', '{}', '{"upTo":0}', '{"upTo":"2"}'])
    expect(await prune(body)).toMatchObject({ status: 400 })

  const pruned = {
    status: 400,
    json: {
      code: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
      errorCategory: 9,
      grpcCodeValue: 9,
      context: { category: '9', definite_answer: 'false', earliest_offset: '2' },
    },
  }
  expect(await post('/v2/updates', { beginExclusive: 1, endInclusive: 3, updateFormat })).toMatchObject(
    pruned,
  )
  expect(await post('/v2/updates', { beginExclusive: 0, updateFormat })).toMatchObject(pruned)
  expect(await post('/v2/updates', { beginExclusive: 2, endInclusive: 3, updateFormat })).toMatchObject({
    status: 200,
  })
  const page = '/v2/updates/get-updates-page'
  expect(await post(page, { beginOffsetExclusive: 0, updateFormat })).toMatchObject(pruned)
  expect(await post(page, { updateFormat })).toMatchObject({
    status: 200,
    json: { lowestPageOffsetExclusive: 2 },
  })
  expect(
    await post('/v2/state/active-contracts', { activeAtOffset: 1, eventFormat: anyParty }),
  ).toMatchObject(pruned)
  expect(
    await post('/v2/state/active-contracts', { activeAtOffset: 2, eventFormat: anyParty }),
  ).toMatchObject({ status: 200 })
  expect(await post('/v2/updates/update-by-offset', { offset: 2, updateFormat })).toMatchObject({
    status: 404,
    json: { code: 'UPDATE_NOT_FOUND' },
  })
  const offsets = await ask(daemon.http, '/v2/state/latest-pruned-offsets', { headers })
  expect(JSON.parse(offsets.text)).toEqual({
    participantPrunedUpToInclusive: 2,
    allDivulgedContractsPrunedUpToInclusive: 2,
  })
})

test('the daemon prunes updates that are older than ledger.retain', async () => {
  const clock = new ManualClock(Date.now())
  const config = configOf(written({ ...settings, 'ledger.retain': '1h' }))
  await using daemon = await startDaemon(config, { logger: silentLogger, clock })
  const headers = { authorization: `Bearer ${await tokenOf()}` }
  const prunedUpTo = async () =>
    JSON.parse((await ask(daemon.http, '/v2/state/latest-pruned-offsets', { headers })).text)
      .participantPrunedUpToInclusive
  expect(await prunedUpTo()).toBe(0)
  const advance = { method: 'POST', body: '{"duration":"2h"}' }
  expect(await ask(daemon.localnet?.control ?? '', '/time/advance', advance)).toMatchObject({ status: 200 })
  expect(await ask(daemon.localnet?.control ?? '', '/time/advance', advance)).toMatchObject({ status: 200 })
  while ((await prunedUpTo()) === 0);
})

test('a daemon that stops says goodbye to its streams', async () => {
  const daemon = await startDaemon(configOf(written(settings)), { logger: silentLogger })
  const protocols = [`jwt.token.${await tokenOf()}`, 'daml.ws.auth']
  const ws = new WebSocket(`${daemon.http.replace('http', 'ws')}/v2/updates`, protocols)
  await once(ws, 'open')
  const first = once(ws, 'message')
  ws.send(JSON.stringify({ beginExclusive: 0, updateFormat }))
  await first
  const closed = once(ws, 'close')
  await daemon[Symbol.asyncDispose]()
  expect((await closed)[0]).toBe(1001)
})

async function tokenOf(): Promise<string> {
  return (await mintToken('ledger-api-user', configOf({}))) as string
}
