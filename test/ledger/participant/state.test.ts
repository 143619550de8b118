import { describe, expect, test } from 'vitest'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import type { ContractsPageRequest } from '../../../src/ledger/wire/requests.ts'
import type { HttpFault } from '../../support/fake-participant/faults.ts'
import { eventsOf, range } from '../reads.ts'
import { type Opened, openReads } from './open.ts'

const path = '/v2/state/active-contracts-page'

async function pageOf({ reads, party, signal }: Opened, request: Partial<ContractsPageRequest> = {}) {
  const page = await reads.contractsPage(
    {
      activeAtOffset: undefined,
      eventFormat: eventsOf(party),
      maxPageSize: undefined,
      pageToken: Buffer.alloc(0),
      ...request,
    },
    signal,
  )
  let text = ''
  for await (const some of page.contracts) text += `${text === '' ? '' : ','}${some}`
  const contracts = JSON.parse(`[${text}]`) as {
    contractEntry: { JsActiveContract: { createdEvent: { offset: number } } }
  }[]
  return {
    at: page.activeAtOffset,
    placed: contracts.map(({ contractEntry }) => contractEntry.JsActiveContract.createdEvent.offset),
    next: page.nextPageToken(),
  }
}

const unavailable = { kind: 'notRunning', status: 503, cause: expect.any(LedgerUnavailable) }
// biome-ignore lint/suspicious/noExplicitAny: what a participant sends is any JSON
const changing = (change: (page: any) => unknown): HttpFault => ({ kind: 'body', change })

const nonsense: readonly (readonly [string, HttpFault])[] = [
  ['answers garbage', { kind: 'text', text: 'so sorry' }],
  ['answers 503', { kind: 'status', status: 503 }],
  ['dies in the middle of its answer', { kind: 'half' }],
  ['sends no list', changing((page) => ({ ...page, activeContracts: {} }))],
  ['sends another snapshot than asked for', changing((page) => ({ ...page, activeAtOffset: 3 }))],
  ['sends contracts of later on', changing((page) => ({ ...page, activeAtOffset: 1 }))],
  [
    'sends more contracts than asked for',
    changing((page) => ({ ...page, activeContracts: Array(9).fill(page.activeContracts[0]) })),
  ],
  ['sends an element that is no contract', changing((page) => ({ ...page, activeContracts: [{}] }))],
]

describe('a page of active contracts, where the participant', () => {
  test.each(nonsense)('%s once, is read all the same', async (_, fault) => {
    await using opened = await openReads()
    opened.fake.grow(opened.party, 5)
    opened.fake.fail(path, fault)
    const page = await pageOf(opened, { activeAtOffset: 5, maxPageSize: 4 })
    expect(page).toMatchObject({ at: 5, placed: range(1, 4) })
  })

  test.each(nonsense)('%s every time, ends with a clear error', async (_, fault) => {
    await using opened = await openReads()
    opened.fake.grow(opened.party, 5)
    opened.fake.fail(path, fault, 99)
    await expect(pageOf(opened, { activeAtOffset: 5, maxPageSize: 4 })).rejects.toMatchObject(unavailable)
    expect(opened.fake.asked(path)).toBe(4)
  })

  test('has contracts of many bytes, is made of fewer contracts', async () => {
    await using opened = await openReads({ maxBytes: 100_000 })
    opened.fake.grow(opened.party, 60, 'x'.repeat(10_000))
    const seen: number[] = []
    let pageToken: Buffer = Buffer.alloc(0)
    for (;;) {
      const page = await pageOf(opened, { maxPageSize: 40, pageToken })
      seen.push(...page.placed)
      if (page.next === null) break
      pageToken = Buffer.from(page.next, 'base64')
    }
    expect(seen).toEqual(range(1, 60))
  })

  test('has one contract that is larger than may be held, ends with a clear error', async () => {
    await using opened = await openReads({ maxBytes: 100_000 })
    opened.fake.grow(opened.party, 1, 'x'.repeat(200_000))
    await expect(pageOf(opened)).rejects.toMatchObject(unavailable)
  })

  test('is of 3.4, is refused as unsupported', async () => {
    await using opened = await openReads({ version: '3.4' })
    await expect(pageOf(opened)).rejects.toMatchObject({
      kind: 'relayed',
      status: 501,
      cause: { error: { code: 'UNSUPPORTED_OPERATION' } },
    })
  })

  test('was pruned behind the snapshot, is refused in its words', async () => {
    await using opened = await openReads()
    opened.fake.grow(opened.party, 5)
    const { next } = await pageOf(opened, { maxPageSize: 2, activeAtOffset: 4 })
    opened.fake.pruned = 5
    await expect(pageOf(opened, { pageToken: Buffer.from(next ?? '', 'base64') })).rejects.toMatchObject({
      kind: 'relayed',
      cause: { error: { code: 'PARTICIPANT_PRUNED_DATA_ACCESSED', context: { earliest_offset: '5' } } },
    })
  })

  test('has switched the user off, is refused before anything else', async () => {
    await using opened = await openReads()
    opened.fake.deactivate('token-of-alice')
    const refused = {
      kind: 'relayed',
      status: 403,
      cause: { error: { context: { ledger_api_error: 'invalid token' } } },
    }
    await expect(pageOf(opened)).rejects.toMatchObject(refused)
    await expect(pageOf(opened, { activeAtOffset: -1 })).rejects.toMatchObject(refused)
  })
})

describe('the synchronizers of a participant', () => {
  const path = '/v2/state/connected-synchronizers'
  const nowhere = { party: undefined, participantId: undefined, identityProviderId: undefined }

  test('are asked for with what the caller asks for', async () => {
    await using opened = await openReads()
    const { fake, reads, party } = opened
    fake.allocate(party)
    await reads.synchronizers({ party, participantId: 'other::1220', identityProviderId: 'idp' })
    const { path: asked = '' } = fake.requests.at(-1) ?? {}
    expect(Object.fromEntries(new URLSearchParams(asked.split('?')[1]))).toEqual({
      party,
      participantId: 'other::1220',
      identityProviderId: 'idp',
    })
  })

  test('without a permission have none that is specified', async () => {
    await using opened = await openReads()
    const synchronizer = { synchronizerAlias: 'mine', synchronizerId: 'a::1220' }
    opened.fake.fail(path, { kind: 'text', text: JSON.stringify({ connectedSynchronizers: [synchronizer] }) })
    expect(await opened.reads.synchronizers(nowhere)).toEqual([
      { ...synchronizer, permission: 'PARTICIPANT_PERMISSION_UNSPECIFIED' },
    ])
  })

  test('that are no list are nonsense', async () => {
    await using opened = await openReads()
    opened.fake.fail(path, { kind: 'text', text: '{"connectedSynchronizers":[7]}' }, 99)
    await expect(opened.reads.synchronizers(nowhere)).rejects.toMatchObject(unavailable)
  })
})
