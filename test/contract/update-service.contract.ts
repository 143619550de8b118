import { describe, expect, test } from 'vitest'
import type { CantonError } from '../../src/errors/canton.ts'
import type { Elements, UpdateReads, UpdatesPage } from '../../src/ledger/update-service.ts'
import type { EventFormat, TransactionShape, UpdateFormat } from '../../src/ledger/visibility/format.ts'
import type { ReadRights } from '../../src/ledger/visibility/rights.ts'
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
import { ofInterface, ofTemplate } from '../ledger/visibility/ledger.ts'

export interface ReadsUnderTest extends AsyncDisposable {
  readonly reads: UpdateReads
  readonly party: string
  /** Adds this many updates, each of which creates one contract of `party`. */
  grow(count: number): Promise<void>
  /** Adds this many updates of which `party` sees nothing. */
  skip(count: number): Promise<void>
  as(rights: ReadRights): Promise<UpdateReads>
  readonly other: string
  /** Adds this many updates, each of which creates one contract of `other`. */
  growOther(count: number): Promise<void>
  create(): Promise<string>
  archive(contractId: string): Promise<void>
  allocate(): Promise<string>
}

const anybody: ReadRights = { readAs: new Set(), readAsAnyParty: true }
const stranger: ReadRights = { readAs: new Set(['stranger::1220']), readAsAnyParty: false }
const everything: EventFormat = {
  filtersByParty: new Map(),
  filtersForAnyParty: { cumulative: [] },
  verbose: false,
}

function transactionsOf(eventFormat: EventFormat, transactionShape: TransactionShape): UpdateFormat {
  return {
    includeTransactions: { eventFormat, transactionShape },
    includeReassignments: undefined,
    includeTopologyEvents: undefined,
  }
}

function topologyOf(...parties: readonly string[]): UpdateFormat {
  return {
    includeTransactions: undefined,
    includeReassignments: undefined,
    includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
  }
}

function filtering(party: string, ...cumulative: readonly ReturnType<typeof ofTemplate>[]): EventFormat {
  return { ...eventsOf(), filtersByParty: new Map([[party, { cumulative }]]) }
}

export interface Abilities {
  /** Whether the service supports pages and descending order. Participants support them from Canton 3.5 on. */
  readonly pages: boolean
}

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

    const readAll = async (reads: UpdateReads, format: UpdateFormat) =>
      all(
        reads.updates(
          {
            beginExclusive: 0,
            endInclusive: Math.max(1, (await reads.ledgerEnd()).offset),
            descendingOrder: false,
            updateFormat: requested(format),
          },
          signal,
        ),
      )
    // biome-ignore lint/suspicious/noExplicitAny: events are any JSON
    const eventsIn = (elements: readonly { readonly text: string }[]): any[] =>
      elements.flatMap(({ text }) => JSON.parse(text).update.Transaction.value.events)

    test('as any party deliver the updates of everybody', async () => {
      await using under = await open()
      const begin = await endOf(under)
      await under.grow(130)
      await under.growOther(130)
      const reads = await under.as(anybody)
      for (const shape of ['ACS_DELTA', 'LEDGER_EFFECTS'] as const) {
        const seen = offsets(await readAll(reads, transactionsOf(everything, shape)))
        expect(seen.filter((offset) => offset > begin)).toEqual(range(begin + 1, begin + 260))
      }
      const at = { activeAtOffset: begin + 260, streamContinuationToken: Buffer.alloc(0) }
      const active = await all(reads.activeContracts({ ...at, eventFormat: everything }, signal))
      expect(active).toHaveLength(260)
    })

    test('of one party among those that the reader may read as leave out the others', async () => {
      await using under = await open()
      const { party, other } = under
      const begin = await endOf(under)
      await under.grow(2)
      await under.growOther(3)
      const reads = await under.as({ readAs: new Set([party, other]), readAsAnyParty: false })
      const seenBy = async (...parties: readonly string[]) =>
        offsets(await readAll(reads, formatOf(...parties))).filter((offset) => offset > begin)
      expect(await seenBy(party)).toEqual(range(begin + 1, begin + 2))
      expect(await seenBy(other)).toEqual(range(begin + 3, begin + 5))
      expect(await seenBy(party, other)).toEqual(range(begin + 1, begin + 5))
    })

    test('tell of an archived contract by the shape that is asked for', async () => {
      await using under = await open()
      const { party, reads } = under
      const contractId = await under.create()
      await under.archive(contractId)
      const [, archived] = eventsIn(await readAll(reads, transactionsOf(eventsOf(party), 'ACS_DELTA')))
      expect(archived).toMatchObject({ ArchivedEvent: { contractId, witnessParties: [party] } })
      const [, exercised] = eventsIn(await readAll(reads, transactionsOf(eventsOf(party), 'LEDGER_EFFECTS')))
      expect(exercised).toMatchObject({
        ExercisedEvent: { contractId, consuming: true, witnessParties: [party], acsDelta: true },
      })
      const at = { activeAtOffset: await endOf(under), streamContinuationToken: Buffer.alloc(0) }
      expect(await all(reads.activeContracts({ ...at, eventFormat: eventsOf(party) }, signal))).toEqual([])
    })

    test('show of each template and interface only what its filter selects', async () => {
      await using under = await open()
      const { party, reads } = under
      await under.grow(2)
      const seenBy = async (filter: ReturnType<typeof ofTemplate>) =>
        eventsIn(await readAll(reads, transactionsOf(filtering(party, filter), 'ACS_DELTA')))
      const entry = '#splice-amulet-name-service:Splice.Ans:AnsEntry'
      expect(await seenBy(ofTemplate(entry))).toMatchObject(
        Array(2).fill({ CreatedEvent: { createdEventBlob: '' } }),
      )
      expect(await seenBy(ofTemplate(entry, true))).toMatchObject(
        Array(2).fill({ CreatedEvent: { createdEventBlob: expect.stringMatching(/./) } }),
      )
      expect(await seenBy(ofTemplate('#splice-amulet-name-service:Splice.Ans:AnsEntryContext'))).toEqual([])
      const holding = '#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding'
      expect(await seenBy(ofInterface(holding, true))).toEqual([])
    })

    test.each([
      ['a package', ofTemplate('#nobodys:Splice.Ans:AnsEntry'), 'PACKAGE_NAMES_NOT_FOUND'],
      [
        'a template',
        ofTemplate('#splice-amulet-name-service:Splice.Ans:Nothing'),
        'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      ],
      [
        'an interface',
        ofInterface('#splice-amulet-name-service:Splice.Ans:AnsEntry'),
        'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      ],
    ] as const)('for %s that the ledger does not know are refused', async (_, filter, code) => {
      await using under = await open()
      const { party, reads } = under
      await under.grow(1)
      const events = filtering(party, filter)
      const refused = { status: 404, code, errorCategory: 11 }
      expect(await refusalOf(readAll(reads, transactionsOf(events, 'ACS_DELTA')))).toMatchObject(refused)
      const request = { activeAtOffset: 0, eventFormat: events, streamContinuationToken: Buffer.alloc(0) }
      expect(await refusalOf(all(reads.activeContracts(request, signal)))).toMatchObject(refused)
    })

    test('of the topology tell that a party is hosted', async () => {
      await using under = await open()
      const allocated = await under.allocate()
      const reads = await under.as(anybody)
      for (const parties of [[allocated], []]) {
        const [last] = (await readAll(reads, topologyOf(...parties))).slice(-1)
        expect(JSON.parse(last?.text ?? '')).toMatchObject({
          update: {
            TopologyTransaction: {
              value: {
                events: [{ event: { ParticipantAuthorizationAdded: { value: { partyId: allocated } } } }],
              },
            },
          },
        })
      }
      expect(await readAll(reads, topologyOf('nobody::1220'))).toEqual([])
    })

    test('that the rights do not cover are refused before anything else is looked at', async () => {
      await using under = await open()
      const { party } = under
      await under.grow(1)
      const reads = await under.as(stranger)
      const refused = { status: 403, code: 'NA', grpcCodeValue: 7 }
      for (const format of [
        formatOf(party),
        transactionsOf(everything, 'ACS_DELTA'),
        topologyOf(party),
        topologyOf(),
        { ...formatOf(), includeTransactions: undefined, includeReassignments: eventsOf(party) },
        transactionsOf(filtering(party, ofTemplate(`${'a'.repeat(64)}:Splice.Ans:AnsEntry`)), 'ACS_DELTA'),
      ]) {
        const updateFormat = requested(format)
        for (const begin of [-1, 0, 999_999]) {
          const request = { beginExclusive: begin, endInclusive: 1, descendingOrder: false, updateFormat }
          expect(await refusalOf(all(reads.updates(request, signal)))).toMatchObject(refused)
        }
        const key = { by: 'offset', offset: 0 } as const
        expect(await refusalOf(reads.update({ key, updateFormat }))).toMatchObject(refused)
      }
      for (const eventFormat of [eventsOf(party), everything]) {
        const request = { activeAtOffset: -1, eventFormat, streamContinuationToken: Buffer.alloc(0) }
        expect(await refusalOf(all(reads.activeContracts(request, signal)))).toMatchObject(refused)
      }
      expect(await refusalOf(reads.synchronizers({ ...nowhere, party }))).toMatchObject(refused)
      expect(await reads.synchronizers(nowhere)).toHaveLength(1)
    })

    test('without a format are refused, whatever the rights', async () => {
      await using under = await open()
      const reads = await under.as({ readAs: new Set(), readAsAnyParty: false })
      expect(await reads.ledgerEnd()).toMatchObject({ offset: await endOf(under) })
      const key = { by: 'offset', offset: 1 } as const
      expect(await refusalOf(reads.update({ key, updateFormat: undefined }))).toMatchObject({
        status: 400,
        code: 'MISSING_FIELD',
        context: { field_name: 'update_format' },
      })
    })

    const nowhere = { party: undefined, participantId: undefined, identityProviderId: undefined }

    test('say where the ledger is connected to, and where a party is hosted', async () => {
      await using under = await open()
      const allocated = await under.allocate()
      const reads = await under.as(anybody)
      const [unspecified] = await reads.synchronizers(nowhere)
      expect(unspecified).toMatchObject({
        synchronizerAlias: 'global',
        synchronizerId: expect.stringMatching(/::1220/),
        permission: 'PARTICIPANT_PERMISSION_UNSPECIFIED',
      })
      expect(await reads.synchronizers({ ...nowhere, party: allocated })).toEqual([
        { ...unspecified, permission: 'PARTICIPANT_PERMISSION_SUBMISSION' },
      ])
      expect(await reads.synchronizers({ ...nowhere, party: 'nobody::1220' })).toEqual([])
      for (const wrong of [{ party: 'a/b' }, { participantId: 'PAR' }])
        expect(await refusalOf(reads.synchronizers({ ...nowhere, ...wrong }))).toMatchObject({
          status: 400,
          code: 'INVALID_FIELD',
        })
    })

    const whereThereArePages = pages ? test : () => {}

    whereThereArePages('give active contracts in pages, whose size may change', async () => {
      await using under = await open()
      const { reads, party } = under
      await under.grow(7)
      const at = await endOf(under)
      const everyContract = {
        activeAtOffset: undefined,
        eventFormat: eventsOf(party),
        pageToken: Buffer.alloc(0),
      }
      const pageOf = async (request: Parameters<UpdateReads['contractsPage']>[0]) => {
        const page = await reads.contractsPage(request, signal)
        let text = ''
        for await (const some of page.contracts) text += `${text === '' ? '' : ','}${some}`
        const contracts = JSON.parse(`[${text}]`) as {
          readonly contractEntry: {
            readonly JsActiveContract: { readonly createdEvent: { readonly offset: number } }
          }
        }[]
        const placed = contracts.map(
          ({ contractEntry }) => contractEntry.JsActiveContract.createdEvent.offset,
        )
        return { at: page.activeAtOffset, placed, next: page.nextPageToken() }
      }
      const first = await pageOf({ ...everyContract, maxPageSize: 3 })
      expect(first).toMatchObject({ at, placed: range(at - 6, at - 4), next: expect.any(String) })
      // Contracts are added before the next page is read. The next page must still show the state of the first page.
      await under.grow(2)
      const pageToken = Buffer.from(first.next ?? '', 'base64')
      for (const activeAtOffset of [undefined, at])
        expect(await pageOf({ ...everyContract, activeAtOffset, maxPageSize: 9, pageToken })).toEqual({
          at,
          placed: range(at - 3, at),
          next: null,
        })
      for (const wrong of [
        { pageToken, activeAtOffset: at + 1 },
        { pageToken, eventFormat: { ...eventsOf(party), verbose: true } },
        { pageToken: Buffer.from('nobody gave this') },
      ])
        expect(await refusalOf(pageOf({ ...everyContract, maxPageSize: 3, ...wrong }))).toMatchObject({
          status: 400,
          code: 'INVALID_ACS_PAGE_TOKEN',
        })
      for (const [wrong, code] of [
        [{ maxPageSize: 0 }, 'INVALID_ARGUMENT'],
        [{ maxPageSize: 10_001 }, 'INVALID_ARGUMENT'],
        [{ eventFormat: undefined }, 'MISSING_FIELD'],
        [{ activeAtOffset: -1 }, 'NEGATIVE_OFFSET'],
        [{ activeAtOffset: at + 99 }, 'OFFSET_AFTER_LEDGER_END'],
      ] as const)
        expect(await refusalOf(pageOf({ ...everyContract, maxPageSize: 3, ...wrong }))).toMatchObject({
          status: 400,
          code,
        })
    })

    whereThereArePages('take no page token of another request', async () => {
      await using under = await open()
      const { reads, party } = under
      await under.grow(5)
      const request = {
        beginOffsetExclusive: undefined,
        endOffsetInclusive: undefined,
        maxPageSize: 2,
        updateFormat: requested(formatOf(party)),
        descendingOrder: false,
        pageToken: Buffer.alloc(0),
      }
      const page = await reads.page(request, signal)
      for await (const some of page.updates) expect(some.length).toBeGreaterThan(0)
      const pageToken = Buffer.from(page.bounds().nextPageToken ?? '', 'base64')
      const goOn = (other: object) => refusalOf(reads.page({ ...request, pageToken, ...other }, signal))
      for (const other of [
        { maxPageSize: 3 },
        { descendingOrder: true },
        { beginOffsetExclusive: 0 },
        { updateFormat: requested(transactionsOf(eventsOf(party), 'LEDGER_EFFECTS')) },
      ])
        expect(await goOn(other)).toMatchObject({ status: 400, code: 'INVALID_UPDATES_PAGE_TOKEN' })
      expect(await goOn({ pageToken: Buffer.from('nobody gave this') })).toMatchObject({
        status: 400,
        code: 'INVALID_FIELD',
        context: { field_name: 'page_token' },
      })
    })

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
