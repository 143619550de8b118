import { expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf } from '../config/config.ts'
import { startEmbedded, startLiveStage } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'

test('a call of the ledger API without a token leaves one line in the log, without the content of the call', async () => {
  await using stage = await startEmbedded()
  const ask = (authorization?: string) =>
    fetch(`${stage.daemon.http}/v2/state/ledger-end`, authorization ? { headers: { authorization } } : {})
  const statuses = [await ask(), await ask(), await ask('Basic aHVudGVyMg==')].map(({ status }) => status)
  expect(statuses).toEqual([401, 401, 401])
  const refused = stage.lines().filter(({ cause }) => cause !== undefined)
  expect(refused).toMatchObject([
    { level: 'info', cause: 'no token', msg: 'a call of the ledger API without a usable token was refused' },
  ])
  expect(JSON.stringify(stage.lines())).not.toContain('aHVudGVyMg')
})

test('calls of a ledger that cannot be read are one line a minute, whoever makes them', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  await using stage = await startLiveStage({
    config: { 'ledger.driver': 'participant', 'ledger.url': url },
  })
  const authorization = `Bearer ${await mintToken('alice', configOf({}))}`
  const call = () => stage.get('/v2/state/ledger-end', { headers: { authorization } })
  const answers = await Promise.all([call(), call(), call(), call(), call()])
  expect(answers.map(({ status }) => status)).toEqual([502, 502, 502, 502, 502])
  const lines = stage.lines().filter(({ msg }) => msg === 'the ledger could not be read')
  expect(lines).toMatchObject([
    {
      level: 'error',
      err: { message: expect.stringContaining('ECONNREFUSED') },
      requestId: expect.any(String),
    },
  ])
})
