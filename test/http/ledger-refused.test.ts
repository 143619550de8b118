import { expect, test } from 'vitest'
import { startEmbedded } from '../support/daemon.ts'

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
