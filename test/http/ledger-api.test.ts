import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { anyone, eventsOf, type LedgerDoors, openLedgerDoors, updatesOf } from './ledger-doors.ts'

let doors: LedgerDoors
let end: number
let alice: string
let bob: string

beforeAll(async () => {
  doors = await openLedgerDoors({ maxListElements: 5 })
  const { net } = doors
  const who = await net.user('alice')
  alice = who.party
  bob = (await net.user('bob')).party
  await net.register(who, 'alice')
  end = await net.ledger.end()
})
afterAll(() => doors[Symbol.asyncDispose]())

const everything = updatesOf(eventsOf())

async function offsetsOf(format: object): Promise<readonly number[]> {
  const { updates } = await doors.gets('POST /v2/updates/get-updates-page', {
    endOffsetInclusive: end,
    maxPageSize: 2000,
    updateFormat: format,
  })
  return updates.map(offsetOf)
}

// biome-ignore lint/suspicious/noExplicitAny: an update may be any variant
function offsetOf({ update }: { update: Record<string, any> }): number {
  return Object.values(update)[0].value.offset
}

describe('POST /v2/updates', () => {
  const ask = (body: object, query = '') => doors.asks(`POST /v2/updates${query}`, body, { as: anyone })

  test('a range is exclusive of its begin and inclusive of its end, in the order that is asked for', async () => {
    const [first = 0, second = 0, third = 0] = await offsetsOf(everything)
    const cases: readonly (readonly [asked: object, offsets: readonly number[]])[] = [
      [{ beginExclusive: first, endInclusive: third }, [second, third]],
      [{ beginExclusive: 0, endInclusive: third }, [first, second, third]],
      [{ beginExclusive: 0, endInclusive: third, descendingOrder: true }, [third, second, first]],
      [{ beginExclusive: end, endInclusive: end }, []],
      [{ beginExclusive: '0', endInclusive: `${first}`, anything: 'is ignored' }, [first]],
    ]
    for (const [asked, offsets] of cases) {
      const heard = await ask({ ...asked, updateFormat: everything })
      expect(heard).toMatchObject({ status: 200, type: 'application/json' })
      expect(heard.json.map(offsetOf)).toEqual(offsets)
    }
  })

  test('a limit up to the setting cuts, and one beyond it is ignored', async () => {
    const all = await offsetsOf(everything)
    const range = { beginExclusive: 0, endInclusive: end, updateFormat: everything }
    expect((await ask(range, '?limit=3')).json.map(offsetOf)).toEqual(all.slice(0, 3))
    expect((await ask(range, '?limit=5')).json.map(offsetOf)).toEqual(all.slice(0, 5))
    const five = { ...range, endInclusive: all[4] }
    expect((await ask(five, '?limit=1000')).json.map(offsetOf)).toEqual(all.slice(0, 5))
    expect(await ask(range, '?limit=0')).toMatchObject({ status: 200, text: '[]' })
  })

  test('JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: 413 where more elements exist than the setting', async () => {
    const range = { beginExclusive: 0, endInclusive: end, updateFormat: everything }
    for (const query of ['', '?limit=6', '?limit=1000'])
      expect(await ask(range, query)).toMatchObject({
        status: 413,
        type: 'application/json',
        json: {
          code: 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
          cause: expect.stringMatching(/\(6\).*\(5\)/),
          context: {},
          resources: [],
          errorCategory: 2,
          grpcCodeValue: 10,
          retryInfo: '1 second',
          definiteAnswer: false,
        },
      })
  })

  test('without an end it completes at the limit', async () => {
    const all = await offsetsOf(everything)
    const heard = await ask({ beginExclusive: 0, updateFormat: everything }, '?limit=2')
    expect(heard.json.map(offsetOf)).toEqual(all.slice(0, 2))
  })

  test('without an end it completes after the idle time-out, with what there was', async () => {
    await using live = await openLedgerDoors({ clock: systemClock })
    const { offset } = await live.gets('GET /v2/state/ledger-end')
    const asked = { beginExclusive: offset - 2, updateFormat: everything }
    const answer = await live.gets('POST /v2/updates?stream_idle_timeout_ms=300', asked)
    const updates = answer.filter(({ update }: { update: object }) => !('OffsetCheckpoint' in update))
    expect(updates.map(offsetOf)).toEqual([offset - 1, offset])
  })

  test('the older form stands for transactions in ACS_DELTA, reassignments and topology events', async () => {
    const filter = eventsOf(alice)
    const older = await doors.gets('POST /v2/updates?limit=5', {
      beginExclusive: 0,
      endInclusive: end,
      filter,
      verbose: true,
    })
    const format = {
      ...updatesOf(filter),
      includeReassignments: filter,
      includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: [alice] } },
    }
    const asked = { beginExclusive: 0, endInclusive: end, updateFormat: format }
    expect(older).toEqual(await doors.gets('POST /v2/updates?limit=5', asked))
    expect(JSON.stringify(older)).toContain('ParticipantAuthorizationAdded')
  })

  test('an update format of nothing gives nothing', async () => {
    const heard = await ask({ beginExclusive: 0, endInclusive: end, updateFormat: {} })
    expect(heard).toMatchObject({ status: 200, text: '[]' })
  })
})

describe('POST /v2/updates/get-updates-page', () => {
  const ask = (body: object) => doors.asks('POST /v2/updates/get-updates-page', body, { as: anyone })

  async function pages(asked: object) {
    const all = []
    for (let pageToken: string | null | undefined; pageToken !== null; ) {
      const heard = await ask(pageToken === undefined ? asked : { ...asked, pageToken })
      expect(heard.status).toBe(200)
      all.push(heard.json)
      pageToken = heard.json.nextPageToken
    }
    return all
  }

  test.each([false, true])(
    'pages follow on each other without gap or repeat (descending: %s)',
    async (descendingOrder) => {
      const offsets = await offsetsOf(everything)
      const asked = {
        beginOffsetExclusive: 0,
        endOffsetInclusive: end,
        maxPageSize: 3,
        descendingOrder,
        updateFormat: everything,
      }
      const all = await pages(asked)
      const read = all.flatMap(({ updates }) => updates.map(offsetOf))
      expect(read).toEqual(descendingOrder ? offsets.toReversed() : offsets)
      const inOrder = descendingOrder ? all.toReversed() : all
      expect(inOrder[0].lowestPageOffsetExclusive).toBe(0)
      expect(inOrder.at(-1).highestPageOffsetInclusive).toBe(end)
      for (const [index, { lowestPageOffsetExclusive }] of inOrder.entries())
        if (index > 0) expect(lowestPageOffsetExclusive).toBe(inOrder[index - 1].highestPageOffsetInclusive)
    },
  )

  test.each([false, true])(
    'a token whose offset was changed to one outside of the range is refused (descending: %s)',
    async (descendingOrder) => {
      const asked = {
        beginOffsetExclusive: 1,
        endOffsetInclusive: end - 1,
        maxPageSize: 1,
        descendingOrder,
        updateFormat: everything,
      }
      const { json } = await ask(asked)
      const at = (offset: unknown) => {
        const [request] = JSON.parse(Buffer.from(json.nextPageToken, 'base64').toString())
        const token = Buffer.from(JSON.stringify([request, ...(offset === undefined ? [] : [offset])]))
        return ask({ ...asked, pageToken: token.toString('base64') })
      }
      for (const offset of [0, end, -1, 1.5, 2 ** 53, '2', null, undefined])
        expect(await at(offset)).toMatchObject({ status: 400, json: { code: 'INVALID_UPDATES_PAGE_TOKEN' } })
      for (const offset of [1, end - 1]) expect(await at(offset)).toMatchObject({ status: 200 })
    },
  )

  test('after a begin that the ledger has not come to, no page has an earlier update', async () => {
    const asked = { beginOffsetExclusive: end + 100, updateFormat: everything }
    const { json } = await ask(asked)
    const next = await ask({ ...asked, pageToken: json.nextPageToken })
    expect(next).toMatchObject({ status: 200, json: { updates: [], lowestPageOffsetExclusive: end + 100 } })
  })

  test('ascending without an end, there is always a token, which tails the ledger', async () => {
    const asked = { beginOffsetExclusive: end, updateFormat: everything }
    const { json } = await ask(asked)
    expect(json).toMatchObject({ updates: [], nextPageToken: expect.any(String) })
    const { json: next } = await ask({ ...asked, pageToken: json.nextPageToken })
    expect(next).toMatchObject({ updates: [], lowestPageOffsetExclusive: json.highestPageOffsetInclusive })
  })
})

test('a continuation token goes on with the active contracts, of which there are none at the beginning', async () => {
  const asked = { activeAtOffset: end, eventFormat: eventsOf(alice) }
  const all = await doors.gets('POST /v2/state/active-contracts', asked)
  expect(all.length).toBeGreaterThan(1)
  const { streamContinuationToken } = all[0]
  expect(await doors.gets('POST /v2/state/active-contracts', { ...asked, streamContinuationToken })).toEqual(
    all.slice(1),
  )
  expect(await doors.gets('POST /v2/state/active-contracts', { ...asked, activeAtOffset: 0 })).toEqual([])
})

test('the end of the ledger, the pruned offset and the version are served', async () => {
  expect(await doors.gets('GET /v2/state/ledger-end')).toEqual({
    offset: end,
    synchronizerTimes: [
      { synchronizerId: doors.net.ledger.synchronizerId, recordTime: expect.stringMatching(/Z$/) },
    ],
  })
  expect(await doors.gets('GET /v2/state/latest-pruned-offsets')).toEqual({
    participantPrunedUpToInclusive: 0,
    allDivulgedContractsPrunedUpToInclusive: 0,
  })
  expect(await doors.asks('GET /v2/version')).toMatchObject({ status: 200, json: { version: '3.6.0' } })
})

test('a user reads as the party that it has', async () => {
  const range = { beginExclusive: 0, endInclusive: end }
  const own = await doors.asks(
    'POST /v2/updates?limit=5',
    { ...range, updateFormat: updatesOf(eventsOf(alice)) },
    { as: 'alice' },
  )
  expect(own).toMatchObject({ status: 200 })
  expect(own.json.length).toBeGreaterThan(0)
  const others = { ...range, updateFormat: updatesOf(eventsOf(alice, bob)) }
  expect(await doors.asks('POST /v2/updates', others, { as: 'alice' })).toMatchObject({ status: 403 })
})
