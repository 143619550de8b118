import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { silentLogger } from '../../src/base/telemetry/logger.ts'
import { mintToken } from '../../src/cli/token.ts'
import { startDaemon } from '../../src/daemon.ts'
import { configOf, written } from '../config/config.ts'
import { startStage } from '../support/daemon.ts'

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
