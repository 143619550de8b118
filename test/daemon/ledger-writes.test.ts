import { expect, test } from 'vitest'
import { Caller } from '../support/caller.ts'
import { startEmbedded } from '../support/daemon.ts'

test('writes to the ledger are counted by outcome', async () => {
  await using running = await startEmbedded()
  const alice = await Caller.of('alice')
  const writes = async (outcome: string) =>
    (await running.metrics()).value('scan_proxy_ledger_writes_total', { outcome })
  const { http } = running.daemon
  expect(await writes('committed')).toBeGreaterThan(0)
  for (const outcome of ['duplicate', 'refused', 'unavailable', 'failed'])
    expect(await writes(outcome)).toBe(0)

  await alice.get(http, 'GET /v0/wallet/user-status')
  const before = await writes('committed')
  await alice.tap(http, '0.5', 'the same')
  expect(await writes('committed')).toBe(before + 1)
  await alice.tap(http, '0.5', 'the same')
  expect(await writes('duplicate')).toBe(1)
  const { subscriptionRequestCid } = await alice.ask(http, 'alice.unverified.cns')
  const accept = `POST /v0/wallet/subscription-requests/${subscriptionRequestCid}/accept`
  expect((await alice.call(http, accept)).status).toBe(400)
  expect(await writes('refused')).toBe(1)
  expect(await writes('committed')).toBe(before + 2)
})
