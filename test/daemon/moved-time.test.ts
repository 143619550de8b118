import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf, written } from '../config/config.ts'
import { ask } from '../localnet/ask.ts'
import { type Running, startEmbedded } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'

const folder = newFolder(afterAll)

test('the time of a localnet does not go back at a restart, although it was moved before', async () => {
  const settings = { 'ledger.file': join(folder, 'ledger.sqlite') }
  const token = await mintToken('alice', configOf(written(settings)))
  const timeOf = async ({ daemon }: Running<undefined>) =>
    Date.parse(JSON.parse((await ask(daemon.localnet?.control ?? '', '/time')).text).now)
  let moved: number
  {
    await using running = await startEmbedded(settings)
    const control = running.daemon.localnet?.control ?? ''
    await ask(control, '/time/advance', { method: 'POST', body: '{"duration":"60d"}' })
    moved = await timeOf(running)
    const headers = { authorization: `bearer ${token}`, 'content-type': 'application/json' }
    const tapped = await running.get('/v0/wallet/tap', { method: 'POST', headers, body: '{"amount":"1.0"}' })
    expect(tapped.status).toBe(200)
  }
  await using running = await startEmbedded(settings)
  expect(await timeOf(running)).toBeGreaterThanOrEqual(moved)
})
