import { expect, test } from 'vitest'
import { LocalUpdates } from '../../../src/ledger/updates/local-updates.ts'
import { spliceCatalog } from '../../../src/ledger/visibility/catalog.splice.ts'
import { pageRequest } from '../../../src/ledger/wire/requests.ts'
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

  const rights = { readAs: new Set<string>(), readAsAnyParty: true }
  const access = async () => ({ kind: 'reader', userId: 'reader', rights, expiresAt: undefined }) as const
  const ids = { ledgerId: ledger.participantId, synchronizerId: ledger.synchronizerId }
  using updates = new LocalUpdates(ids, { ledger, catalog: spliceCatalog, clock, tokenClock: clock, access })
  const reads = await updates.open('')
  const eventFormat = { filtersForAnyParty: { cumulative: [] } }
  const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  const request = JSON.stringify({ updateFormat: { includeTransactions }, maxPageSize: 2_000 })
  const readAll = async () => {
    const page = await reads.page(pageRequest(request), new AbortController().signal)
    for await (const part of page.updates) expect(part).not.toBe('')
  }
  expect(await longestBlockMs(() => Promise.all(Array.from({ length: 8 }, readAll)))).toBeLessThan(50)
})
