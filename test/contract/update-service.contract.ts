import { describe, expect, test } from 'vitest'
import type { CantonError } from '../../src/errors/canton.ts'
import type { Elements, UpdateReads, UpdatesPage } from '../../src/ledger/update-service.ts'
import {
  all,
  eventsOf,
  first,
  formatOf,
  isCheckpoint,
  offsets,
  offsetsIn,
  range,
  requested,
} from '../ledger/reads.ts'

export interface ReadsUnderTest extends AsyncDisposable {
  /** Those of somebody who may read as `party`. */
  readonly reads: UpdateReads
  readonly party: string
  /** Adds so many updates, each creating one contract of the party. */
  grow(count: number): Promise<void>
  /** Adds updates that the party sees nothing of. */
  skip(count: number): Promise<void>
}

export interface Abilities {
  /** Descending order and pages: of participants from Canton 3.5 on. */
  readonly pages: boolean
}

/** What every ledger promises whose updates are read through the JSON Ledger API. */
export function updateServiceContract(
  name: string,
  open: () => Promise<ReadsUnderTest>,
  { pages }: Abilities,
): void {
  describe(`reads of ${name}`, () => {
    const { signal } = new AbortController()
    const read = (
      { reads, party }: ReadsUnderTest,
      beginExclusive: number,
      endInclusive: number | undefined,
      descendingOrder = false,
    ): Promise<Elements> =>
      reads.updates(
        { beginExclusive, endInclusive, descendingOrder, updateFormat: requested(formatOf(party)) },
        signal,
      )
    /** The error's body, as a caller gets it. */
    const refusalOf = async (asked: Promise<unknown>) => {
      const error = await asked.then(
        () => expect.fail('it was answered'),
        (thrown: CantonError) => thrown,
      )
      return { status: error.status, ...error.body('0'.repeat(32)) }
    }
    const endOf = async ({ reads }: ReadsUnderTest) => (await reads.ledgerEnd()).offset

    test('with an end deliver each update once, in order, and are over after it', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(450)
      expect(await endOf(under)).toBe(begin + 450)
      expect(offsets(await all(read(under, begin, begin + 450)))).toEqual(range(begin + 1, begin + 450))
      expect(offsets(await all(read(under, begin + 10, begin + 20)))).toEqual(range(begin + 11, begin + 20))
      expect(await all(read(under, begin + 20, begin + 20))).toEqual([])
      expect(await under.reads.prunedUpTo()).toBe(0)
    })

    test('leave out what the reader sees nothing of', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(2)
      await under.skip(5)
      await under.grow(1)
      await under.skip(2)
      expect(offsets(await all(read(under, begin, begin + 10)))).toEqual([1, 2, 8].map((n) => begin + n))
      expect(await all(read(under, begin + 2, begin + 7))).toEqual([])
    })

    test('give every update in the words of the JSON Ledger API', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(1)
      const [element] = await all(read(under, begin, begin + 1))
      const created = { offset: begin + 1, nodeId: 0, packageName: 'splice-amulet-name-service' }
      expect(JSON.parse(element?.text ?? '')).toMatchObject({
        update: { Transaction: { value: { offset: begin + 1, events: [{ CreatedEvent: created }] } } },
      })
    })

    test('beyond the end of the ledger are refused', async () => {
      await using under = await open()
      await under.grow(1)
      const end = await endOf(under)
      for (const [begin, until] of [
        [0, end + 1],
        [end + 1, end + 1],
        [end + 1, undefined],
      ] as const) {
        const refused = await refusalOf(read(under, begin, until).then((elements) => first(1, elements)))
        expect(refused).toMatchObject({ status: 400, code: 'OFFSET_AFTER_LEDGER_END', errorCategory: 12 })
      }
    })

    test.each([
      ['a begin below 0', -1, 1, false, 'NEGATIVE_OFFSET'],
      ['an end that is not above 0', 0, 0, false, 'NON_POSITIVE_OFFSET'],
      ['an end before the begin', 2, 1, false, 'OFFSET_OUT_OF_RANGE'],
      ['a descending order without an end', 0, undefined, true, 'DESCENDING_ORDER_MISSING_END'],
    ] as const)('with %s are refused alike', async (_, begin, end, isDescending, code) => {
      await using under = await open()
      await under.grow(2)
      const refused = await refusalOf(all(read(under, begin, end, isDescending)))
      expect(refused).toMatchObject({ status: 400, code })
    })

    test('without filters, or by package id, are refused alike', async () => {
      await using under = await open()
      const { reads, party } = under
      const templateId = {
        package: { by: 'id', value: 'a'.repeat(64) },
        entity: 'Splice.Ans:AnsEntry',
      } as const
      const byId = { cumulative: [{ kind: 'template', templateId, includeCreatedEventBlob: false }] } as const
      for (const [events, code] of [
        [eventsOf(), 'INVALID_ARGUMENT'],
        [{ ...eventsOf(), filtersByParty: new Map([[party, byId]]) }, 'INVALID_FIELD'],
      ] as const) {
        const format = {
          ...formatOf(),
          includeTransactions: { eventFormat: events, transactionShape: 'ACS_DELTA' },
        } as const
        const updateFormat = requested(format)
        const request = { beginExclusive: 0, endInclusive: undefined, descendingOrder: false, updateFormat }
        expect(await refusalOf(reads.updates(request, signal))).toMatchObject({ status: 400, code })
      }
    })

    test('without an end go on with what is committed later', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(300)
      const seen: number[] = []
      for await (const batch of await read(under, begin, undefined)) {
        const before = seen.length
        seen.push(...offsets(batch.filter((element) => !isCheckpoint(element))))
        if (before < 300 && seen.length >= 300) await under.grow(10)
        if (seen.length >= 310) break
      }
      expect(seen).toEqual(range(begin + 1, begin + 310))
    })

    test('find an update by its offset and by its id', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(3)
      const { reads, party } = under
      const updateFormat = requested(formatOf(party))
      const second = await reads.update({ key: { by: 'offset', offset: begin + 2 }, updateFormat })
      const { updateId } = JSON.parse(second.text).update.Transaction.value
      expect(second.offset).toBe(begin + 2)
      expect((await reads.update({ key: { by: 'id', updateId }, updateFormat })).text).toBe(second.text)
      const unknown = [
        [{ by: 'offset', offset: begin + 9 }, ['OFFSET', String(begin + 9)]],
        [{ by: 'id', updateId: `1220${'f'.repeat(64)}` }, ['UPDATE_ID', `1220${'f'.repeat(64)}`]],
      ] as const
      for (const [key, resource] of unknown) {
        expect(await refusalOf(reads.update({ key, updateFormat }))).toMatchObject({
          status: 404,
          code: 'UPDATE_NOT_FOUND',
          resources: [resource],
        })
      }
      expect(await refusalOf(reads.update({ key: { by: 'offset', offset: 0 }, updateFormat }))).toMatchObject(
        {
          status: 400,
          code: 'NON_POSITIVE_OFFSET',
        },
      )
    })

    test('list the contracts that are active at an offset', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(250)
      const { reads, party } = under
      const request = {
        activeAtOffset: begin + 240,
        eventFormat: eventsOf(party),
        streamContinuationToken: Buffer.alloc(0),
      }
      const active = await all(reads.activeContracts(request, signal))
      const at = active.map(({ text }) => JSON.parse(text).contractEntry.JsActiveContract.createdEvent.offset)
      expect(at.sort((a, b) => a - b)).toEqual(range(begin + 1, begin + 240))
    })

    const whereThereArePages = pages ? test : () => {}

    whereThereArePages('in descending order deliver each update once', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(450)
      const read450 = await all(read(under, begin + 5, begin + 444, true))
      expect(offsets(read450)).toEqual(range(begin + 6, begin + 444).reverse())
    })

    whereThereArePages('in pages lead through everything, in both orders', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(25)
      const { reads, party } = under
      for (const descendingOrder of [false, true]) {
        const seen: number[] = []
        let pageToken = Buffer.alloc(0)
        do {
          const page: UpdatesPage = await reads.page(
            {
              beginOffsetExclusive: begin,
              endOffsetInclusive: begin + 25,
              maxPageSize: 10,
              updateFormat: requested(formatOf(party)),
              descendingOrder,
              pageToken,
            },
            signal,
          )
          for await (const some of page.updates) seen.push(...offsetsIn(some))
          pageToken = Buffer.from(page.bounds().nextPageToken ?? '', 'base64')
        } while (pageToken.length > 0)
        const everything = range(begin + 1, begin + 25)
        expect(seen).toEqual(descendingOrder ? everything.reverse() : everything)
      }
    })
  })
}
