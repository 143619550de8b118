import { expect, test } from 'vitest'
import { LedgerApi } from '../../../src/registry/ledger/api/ledger-api.ts'
import { decode } from '../../../src/registry/ledger/api/relaxed.ts'
import { pageBody } from '../../../src/registry/ledger/api/requests.ts'
import { openNetwork } from '../../automation/network.ts'
import { longestBlockMs } from '../../support/longest-block.ts'
import { temporaryFolder } from './open.ts'

test('neither registrations nor pages of all updates block the event loop for 50 ms', async () => {
  await using folder = await temporaryFolder()
  await using net = await openNetwork({ file: folder.file })
  const { ledger, clock } = net
  let round = 0
  const registering = await longestBlockMs(async () => {
    const names = Array.from({ length: 40 }, (_, at) => `name-${round}-${at}`)
    round++
    await Promise.all(names.map(async (name) => net.pay(await net.user(name), name)))
    await net.automation.runUntilIdle()
  })
  expect(registering).toBeLessThan(50)

  const reader = { kind: 'reader', userId: 'reader', party: undefined, readsAnyParty: true } as const
  const access = async () => ({ ...reader, expiresAt: undefined })
  using updates = new LedgerApi({}, { ledger, clock, tokenClock: clock, access })
  const reads = await updates.open('')
  const eventFormat = { filtersForAnyParty: { cumulative: [] } }
  const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  const request = JSON.stringify({ updateFormat: { includeTransactions }, maxPageSize: 2_000 })
  const readAll = async () => {
    for await (const part of await reads.page(decode(pageBody, request))) expect(part).not.toBe('')
  }
  expect(await longestBlockMs(() => Promise.all(Array.from({ length: 8 }, readAll)))).toBeLessThan(50)
})
