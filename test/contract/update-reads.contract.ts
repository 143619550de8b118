import { describe, expect, test } from 'vitest'
import type { Reader, StreamElement, UpdateReads } from '../../src/ledger/update-reads.ts'
import { all, eventsOf, first, formatOf, offsets, range } from '../ledger/participant/open.ts'

export interface ReadsUnderTest extends AsyncDisposable {
  readonly reads: UpdateReads
  /** May read as `party`. */
  readonly reader: Reader
  readonly party: string
  /** Adds so many updates to a ledger that was empty, each creating one contract of the party. */
  grow(count: number): Promise<void>
  /** Adds updates that the party sees nothing of. */
  skip(count: number): Promise<void>
}

export interface Abilities {
  /** Descending order and pages: from Canton 3.5 on. */
  readonly pages: boolean
}

/** What every ledger promises whose updates are read through the JSON Ledger API. */
export function updateReadsContract(
  name: string,
  open: () => Promise<ReadsUnderTest>,
  { pages }: Abilities,
): void {
  describe(`reads of ${name}`, () => {
    const { signal } = new AbortController()
    const bounded = (
      { reads, reader, party }: ReadsUnderTest,
      beginExclusive: number,
      endInclusive: number | undefined,
      descending = false,
    ) => reads.stream({ beginExclusive, endInclusive, descending, format: formatOf(party) }, reader, signal)

    test('tell an empty ledger', async () => {
      await using under = await open()
      const { reads, reader } = under
      expect(await reads.end(reader, signal)).toMatchObject({ offset: 0 })
      expect(await reads.pruned(reader, signal)).toEqual({
        participantPrunedUpToInclusive: 0,
        allDivulgedContractsPrunedUpToInclusive: 0,
      })
      expect(await all(bounded(under, 0, 0))).toEqual([])
      expect(JSON.parse(await reads.version(signal))).toMatchObject({ version: expect.any(String) })
    })

    test('with an end deliver each update once, in order, and are over after it', async () => {
      await using under = await open()
      await under.grow(450)
      expect((await under.reads.end(under.reader, signal)).offset).toBe(450)
      expect(offsets(await all(bounded(under, 0, 450)))).toEqual(range(1, 450))
      expect(offsets(await all(bounded(under, 10, 20)))).toEqual(range(11, 20))
      expect(await all(bounded(under, 20, 20))).toEqual([])
    })

    test('leave out what the reader sees nothing of', async () => {
      await using under = await open()
      await under.grow(2)
      await under.skip(5)
      await under.grow(1)
      await under.skip(2)
      expect(offsets(await all(bounded(under, 0, 10)))).toEqual([1, 2, 8])
      expect(await all(bounded(under, 2, 7))).toEqual([])
    })

    test('give every update in the words of the JSON Ledger API', async () => {
      await using under = await open()
      await under.grow(1)
      const [element] = (await all(bounded(under, 0, 1))) as [StreamElement]
      expect(JSON.parse(element.json)).toMatchObject({
        update: {
          Transaction: { value: { offset: 1, events: [{ CreatedEvent: { offset: 1, nodeId: 0 } }] } },
        },
      })
    })

    test('beyond the end of the ledger are refused', async () => {
      await using under = await open()
      await under.grow(1)
      for (const [begin, end] of [
        [0, 2],
        [2, 2],
        [2, undefined],
      ] as const) {
        await expect(first(1, bounded(under, begin, end))).rejects.toMatchObject({
          name: 'LedgerRefusal',
          status: 400,
          error: { code: 'OFFSET_AFTER_LEDGER_END', errorCategory: 12 },
        })
      }
      await expect(all(bounded(under, 1, 0))).rejects.toMatchObject({
        name: 'LedgerRefusal',
        error: { code: 'OFFSET_OUT_OF_RANGE' },
      })
    })

    test('without an end go on with what is committed later', async () => {
      await using under = await open()
      await under.grow(300)
      const seen: number[] = []
      for await (const batch of bounded(under, 0, undefined)) {
        const before = seen.length
        seen.push(...offsets(batch.filter(({ kind }) => kind === 'update')))
        if (before < 300 && seen.length >= 300) await under.grow(10)
        if (seen.length >= 310) break
      }
      expect(seen).toEqual(range(1, 310))
    })

    test('without an end are over when their signal aborts, with its reason', async () => {
      await using under = await open()
      await under.grow(1)
      const leaving = new AbortController()
      const { reads, reader, party } = under
      const request = {
        beginExclusive: 0,
        endInclusive: undefined,
        descending: false,
        format: formatOf(party),
      }
      const iterator = reads.stream(request, reader, leaving.signal)[Symbol.asyncIterator]()
      expect(offsets((await iterator.next()).value)).toEqual([1])
      const next = iterator.next()
      leaving.abort(new Error('the reader left'))
      await expect(next).rejects.toThrow('the reader left')
    })

    test('find an update by its offset and by its id', async () => {
      await using under = await open()
      await under.grow(3)
      const { reads, reader, party } = under
      const format = formatOf(party)
      const second = await reads.find({ by: 'offset', offset: 2 }, format, reader, signal)
      const { updateId } = JSON.parse(second?.json ?? '').update.Transaction.value
      expect(second?.offset).toBe(2)
      expect(await reads.find({ by: 'update-id', updateId }, format, reader, signal)).toEqual(second)
      expect(await reads.find({ by: 'offset', offset: 9 }, format, reader, signal)).toBeUndefined()
      const unknown = { by: 'update-id', updateId: `1220${'f'.repeat(64)}` } as const
      expect(await reads.find(unknown, format, reader, signal)).toBeUndefined()
    })

    test('list the contracts that are active at an offset', async () => {
      await using under = await open()
      await under.grow(250)
      const { reads, reader, party } = under
      const request = { activeAtOffset: 240, format: eventsOf(party), streamContinuationToken: undefined }
      const active = await all(reads.activeContracts(request, reader, signal))
      const at = active.map((json) => JSON.parse(json).contractEntry.JsActiveContract.createdEvent.offset)
      expect(at.sort((a, b) => a - b)).toEqual(range(1, 240))
    })

    test.runIf(pages)('in descending order deliver each update once', async () => {
      await using under = await open()
      await under.grow(450)
      expect(offsets(await all(bounded(under, 5, 444, true)))).toEqual(range(6, 444).reverse())
    })

    test.runIf(pages)('in pages lead through everything, in both orders', async () => {
      await using under = await open()
      await under.grow(25)
      const { reads, reader, party } = under
      for (const descending of [false, true]) {
        const seen: number[] = []
        let pageToken: string | undefined
        do {
          const page = await reads.page(
            {
              beginOffsetExclusive: 0,
              endOffsetInclusive: 25,
              maxPageSize: 10,
              format: formatOf(party),
              descending,
              pageToken,
            },
            reader,
            signal,
          )
          seen.push(...offsets(page.updates))
          pageToken = page.nextPageToken
        } while (pageToken !== undefined)
        expect(seen).toEqual(descending ? range(1, 25).reverse() : range(1, 25))
      }
    })
  })
}
