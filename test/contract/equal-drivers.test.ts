import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { CantonError } from '../../src/errors/canton.ts'
import type { Elements, UpdateReads } from '../../src/ledger/update-service.ts'
import { LocalUpdates } from '../../src/ledger/updates/local-updates.ts'
import { checkpointTimes } from '../../src/ledger/visibility/checkpoints.ts'
import type {
  CumulativeFilter,
  EventFormat,
  Filters,
  UpdateFormat,
} from '../../src/ledger/visibility/format.ts'
import { mayReadAs, type ReadRights } from '../../src/ledger/visibility/rights.ts'
import type { Requested } from '../../src/ledger/wire/formats.ts'
import type { UpdateKey } from '../../src/ledger/wire/requests.ts'
import { openReads } from '../ledger/participant/open.ts'
import { isCheckpoint } from '../ledger/reads.ts'
import { someEvents, someLedger, someRights, someShape } from '../ledger/visibility/arbitrary.ts'
import { catalog, synchronizerId } from '../ledger/visibility/ledger.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { ledgerOf } from './memory-updates.ts'
import { mirrored, mirroredCatalog, offsetHere, offsetThere } from './mirror.ts'

/** Offsets in a question are offsets of the embedded ledger. */
type Question =
  | {
      readonly kind: 'updates'
      readonly begin: number
      readonly end: number
      readonly descending: boolean
      readonly format: Requested<UpdateFormat>
    }
  | { readonly kind: 'stream'; readonly begin: number; readonly format: Requested<UpdateFormat> }
  | {
      readonly kind: 'pages'
      readonly begin: number | undefined
      readonly end: number | undefined
      readonly size: number
      readonly descending: boolean
      readonly format: Requested<UpdateFormat> | undefined
      readonly token: 'sound' | 'of another request' | 'bytes'
    }
  | { readonly kind: 'lookup'; readonly key: UpdateKey; readonly format: Requested<UpdateFormat> | undefined }
  | { readonly kind: 'contracts'; readonly at: number; readonly events: EventFormat }
  | {
      readonly kind: 'contract-pages'
      readonly at: number | undefined
      readonly events: EventFormat | undefined
      readonly size: number
      readonly token: 'sound' | 'of another request' | 'bytes'
    }
  | {
      readonly kind: 'synchronizers'
      readonly party: string | undefined
      readonly participantId: string | undefined
    }
  | { readonly kind: 'state' }

/** A caller who asks the questions. If `isKnown` is false, the drivers do not know the caller's token. */
interface Asker {
  readonly isKnown: boolean
  readonly rights: ReadRights
  /**
   * Whether the caller may also act as the parties in `rights`. The right to act as a party includes the right to read
   * as that party.
   */
  readonly acts: boolean
}

const someAsker: fc.Arbitrary<Asker> = fc.record({
  isKnown: fc.integer({ min: 0, max: 19 }).map((one) => one > 0),
  rights: fc.oneof(
    someRights,
    fc.constant({ readAs: new Set(['a', 'b', 'c', 'd', 'stranger']), readAsAnyParty: true }),
  ),
  acts: fc.boolean(),
})

/** The parts of a question that are wrong. All other parts are valid. */
interface Flaws {
  readonly offsets: boolean
  readonly parties: boolean
  readonly references: boolean
  readonly rights: boolean
  readonly missing: boolean
  readonly size: boolean
}

const none: Flaws = {
  offsets: false,
  parties: false,
  references: false,
  rights: false,
  missing: false,
  size: false,
}
const someFlaws: fc.Arbitrary<Flaws> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(none) },
  {
    weight: 2,
    arbitrary: fc.record({
      offsets: fc.boolean(),
      parties: fc.boolean(),
      references: fc.boolean(),
      rights: fc.boolean(),
      missing: fc.boolean(),
      size: fc.boolean(),
    }),
  },
)

const someUpdates = fc.record({
  events: fc.option(someEvents, { nil: undefined, freq: 8 }),
  shape: someShape,
  reassignments: fc.option(someEvents, { nil: undefined }),
  topology: fc.option(fc.subarray(['a', 'b', 'c', 'stranger']), { nil: undefined }),
  missing: fc.constantFrom('format' as const, 'event_format' as const, 'transaction_shape' as const),
})
type Drawn = typeof someUpdates extends fc.Arbitrary<infer T> ? T : never

const kinds = [
  'updates',
  'stream',
  'pages',
  'lookup',
  'contracts',
  'contract-pages',
  'synchronizers',
  'state',
] as const
const someDraft = fc.record({
  kind: fc.constantFrom(...kinds, 'updates', 'updates', 'pages', 'contracts', 'contract-pages'),
  flaws: someFlaws,
  format: someUpdates,
  /**
   * `flaws.offsets` selects one of the two numbers. The first is a share of the ledger's length, and gives a valid
   * offset. The second is an offset that may be invalid.
   */
  begin: fc.tuple(fc.double({ min: 0, max: 0.5, noNaN: true }), fc.integer({ min: -1, max: 10 })),
  end: fc.tuple(fc.double({ min: 0.5, max: 1, noNaN: true }), fc.integer({ min: -1, max: 10 })),
  isOpen: fc.tuple(fc.boolean(), fc.boolean()),
  isDescending: fc.boolean(),
  size: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 2001, 10_001)),
  badParty: fc.constantFrom('', 'a/b', 'x'.repeat(256)),
  by: fc.constantFrom('offset' as const, 'id' as const, 'hash' as const),
  token: fc.constantFrom('sound' as const, 'sound' as const, 'of another request' as const, 'bytes' as const),
  party: fc.constantFrom(undefined, 'a', 'b', 'stranger'),
  participantId: fc.constantFrom(undefined, undefined, 'other::1220ab', 'none'),
})
type Draft = typeof someDraft extends fc.Arbitrary<infer T> ? T : never

const nobody: EventFormat = { filtersByParty: new Map(), filtersForAnyParty: undefined, verbose: false }

function questionOf(draft: Draft, ledgerEnd: number, rights: ReadRights): Question {
  const { kind, flaws, isDescending: descending, token } = draft
  const at = ([share, odd]: readonly [number, number]) =>
    flaws.offsets ? odd : Math.round(share * ledgerEnd)
  const begin = at(draft.begin)
  const end = flaws.offsets ? at(draft.end) : Math.max(1, at(draft.end))
  const [isFromBegin, isToEnd] = draft.isOpen
  const [soundSize, oddSize] = draft.size
  const size = flaws.size ? oddSize : soundSize
  const format = formatOf(draft, rights)
  const events = eventsOf(draft.format.events ?? nobody, draft, rights) ?? nobody
  const isFormless = flaws.missing && draft.format.missing === 'format'
  switch (kind) {
    case 'updates':
      return { kind, begin, end, descending, format }
    case 'stream':
      return { kind, begin, format }
    case 'pages': {
      const open = { begin: isFromBegin ? undefined : begin, end: isToEnd ? undefined : end }
      return { kind, ...open, size, descending, format: isFormless ? undefined : format, token }
    }
    case 'lookup':
      return { kind, key: keyOf(draft, end), format: isFormless ? undefined : format }
    case 'contracts':
      return { kind, at: end, events }
    case 'contract-pages':
      return { kind, at: isToEnd ? undefined : end, events: isFormless ? undefined : events, size, token }
    case 'synchronizers':
      return {
        kind,
        party: flaws.parties && draft.badParty !== '' ? draft.badParty : draft.party,
        participantId: draft.participantId,
      }
    case 'state':
      return { kind }
  }
}

function keyOf({ by, flaws }: Draft, offset: number): UpdateKey {
  switch (by) {
    case 'offset':
      return { by, offset }
    case 'id':
      return { by, updateId: flaws.missing ? '' : flaws.size ? 'none' : updateId(offset) }
    case 'hash':
      return { by, transactionHash: Buffer.from(flaws.missing ? '' : 'hash') }
  }
}

function formatOf(draft: Draft, rights: ReadRights): Requested<UpdateFormat> {
  const { events, shape, reassignments, topology, missing }: Drawn = draft.format
  const { flaws } = draft
  const isBare = flaws.missing && missing === 'event_format'
  const transactions = isBare ? nobody : events && eventsOf(events, draft, rights)
  const isMissing = flaws.missing && transactions !== undefined && missing !== 'format'
  return {
    format: {
      includeTransactions: transactions && { eventFormat: transactions, transactionShape: shape },
      includeReassignments: reassignments && eventsOf(reassignments, draft, rights),
      includeTopologyEvents: topologyOf(topology, draft, rights),
    },
    missingField: isMissing ? missing : undefined,
  }
}

function eventsOf(
  events: EventFormat,
  { flaws, badParty }: Draft,
  rights: ReadRights,
): EventFormat | undefined {
  const sound = ({ cumulative }: Filters): Filters => ({
    cumulative: flaws.references ? cumulative : cumulative.filter(isKnown),
  })
  const { filtersByParty, filtersForAnyParty: any, verbose } = events
  const byParty = [...filtersByParty]
    .filter(([party]) => flaws.rights || mayReadAs(rights, party))
    .map(([party, filters]) => [party, sound(filters)] as const)
  if (flaws.parties) byParty.push([badParty, { cumulative: [] }])
  const isAny = any !== undefined && (flaws.rights || rights.readAsAnyParty)
  if (byParty.length === 0 && !isAny && !flaws.references) return undefined
  return { filtersByParty: new Map(byParty), filtersForAnyParty: isAny ? sound(any) : undefined, verbose }
}

function topologyOf(
  topology: readonly string[] | undefined,
  { flaws, badParty }: Draft,
  rights: ReadRights,
): UpdateFormat['includeTopologyEvents'] {
  if (topology === undefined) return undefined
  const parties = topology.filter((party) => flaws.rights || mayReadAs(rights, party))
  if (flaws.parties) parties.push(badParty)
  // Without a party, the format would select the topology events of all parties.
  if (parties.length === 0 && !flaws.rights && !rights.readAsAnyParty) return undefined
  return { includeParticipantAuthorizationEvents: { parties } }
}

function isKnown(filter: CumulativeFilter): boolean {
  if (filter.kind !== 'template' && filter.kind !== 'interface') return true
  const reference = filter.kind === 'template' ? filter.templateId : filter.interfaceId
  return reference.package.by === 'name' && reference.package.value !== 'none'
}

const updateId = (offset: number) => `1220${offset.toString(16).padStart(64, '0')}`

interface Driver {
  readonly reads: UpdateReads
  /** Converts an offset of the embedded ledger to an offset of the driver's ledger. */
  readonly there: (offset: number) => number
  /** Makes the ledger send a checkpoint on the streams that are open. */
  readonly urge: () => void
}

/**
 * Puts a question to one driver. Resolves with the answer, or with the error that a caller gets.
 * @param most the end of the embedded ledger.
 */
async function put(question: Question, { reads, there, urge }: Driver, most: number): Promise<unknown> {
  const life = new AbortController()
  const { signal } = life
  const maybe = (offset: number | undefined) => (offset === undefined ? undefined : there(offset))
  try {
    switch (question.kind) {
      case 'updates': {
        const { begin, end, descending: descendingOrder, format: updateFormat } = question
        return await texts(
          reads.updates(
            { beginExclusive: there(begin), endInclusive: there(end), descendingOrder, updateFormat },
            signal,
          ),
        )
      }
      case 'stream': {
        const { begin, format: updateFormat } = question
        const request = { beginExclusive: there(begin), descendingOrder: false, updateFormat }
        const elements = await reads.updates({ ...request, endInclusive: undefined }, signal)
        return await upToCheckpoint(elements, there(most), urge)
      }
      case 'pages':
        return await pages(question, reads, maybe, signal)
      case 'lookup': {
        const { key, format: updateFormat } = question
        const asked = key.by === 'offset' ? { ...key, offset: there(key.offset) } : key
        return JSON.parse((await reads.update({ key: asked, updateFormat })).text)
      }
      case 'contracts': {
        const { at, events: eventFormat } = question
        const request = { activeAtOffset: there(at), eventFormat, streamContinuationToken: Buffer.alloc(0) }
        const all = await texts(reads.activeContracts(request, signal))
        const [, second] = all
        if (second === undefined) return all
        // Asks again with the token of the first element. The second answer must begin after that element.
        const token = Buffer.from(String((all[0] as Token).streamContinuationToken), 'base64')
        return [
          all,
          await texts(reads.activeContracts({ ...request, streamContinuationToken: token }, signal)),
        ]
      }
      case 'contract-pages':
        return await contractPages(question, reads, maybe, signal)
      case 'synchronizers': {
        const { party, participantId } = question
        const found = await reads.synchronizers({ party, participantId, identityProviderId: undefined })
        return found.map(({ synchronizerAlias, permission }) => ({ synchronizerAlias, permission }))
      }
      case 'state':
        return { offset: (await reads.ledgerEnd()).offset, lowest: await reads.prunedUpTo() }
    }
  } catch (error) {
    return refusal(error)
  } finally {
    life.abort(new Error('asked and answered'))
  }
}

function refusal(error: unknown) {
  if (!(error instanceof CantonError)) throw error
  const { code, grpcCodeValue, errorCategory } = error.body('')
  return { refused: { status: error.status, code, grpcCodeValue, errorCategory } }
}

interface Token {
  readonly streamContinuationToken: unknown
}

const mostPages = 12

async function pages(
  question: Extract<Question, { kind: 'pages' }>,
  reads: UpdateReads,
  there: (offset: number | undefined) => number | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const { begin, end, size, descending: descendingOrder, format: updateFormat, token } = question
  const read: unknown[] = []
  let request = {
    beginOffsetExclusive: there(begin),
    endOffsetInclusive: there(end),
    maxPageSize: size,
    updateFormat,
    descendingOrder,
    pageToken: Buffer.alloc(0),
  }
  for (let page = 0; page < mostPages; page++) {
    const { updates, bounds } = await reads.page(request, signal)
    let text = ''
    for await (const some of updates) text += `${text === '' ? '' : ','}${Buffer.from(some as string)}`
    const { lowestPageOffsetExclusive: lowest, highestPageOffsetInclusive: highest, nextPageToken } = bounds()
    const all = JSON.parse(`[${text}]`)
    read.push({ all, lowest, highest, goesOn: nextPageToken !== null })
    if (nextPageToken === null || (all.length === 0 && page > 0)) break
    request = {
      ...request,
      pageToken: token === 'bytes' ? Buffer.from('?') : Buffer.from(nextPageToken, 'base64'),
    }
    if (token === 'of another request') request = { ...request, maxPageSize: size + 1 }
  }
  return read
}

async function contractPages(
  question: Extract<Question, { kind: 'contract-pages' }>,
  reads: UpdateReads,
  there: (offset: number | undefined) => number | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const { at, events, size, token } = question
  const read: unknown[] = []
  let eventFormat = events
  let pageToken = Buffer.alloc(0)
  for (let page = 0; page < mostPages; page++) {
    // Every page asks for another size, because the API permits different sizes.
    const request = { activeAtOffset: there(at), eventFormat, maxPageSize: size + page, pageToken }
    const answer = await reads.contractsPage(request, signal)
    let text = ''
    for await (const some of answer.contracts) text += `${text === '' ? '' : ','}${some}`
    const next = answer.nextPageToken()
    read.push({ all: JSON.parse(`[${text}]`), offset: answer.activeAtOffset, goesOn: next !== null })
    if (next === null) break
    pageToken = token === 'bytes' ? Buffer.from('?') : Buffer.from(next, 'base64')
    if (token === 'of another request' && eventFormat !== undefined)
      eventFormat = { ...eventFormat, verbose: !eventFormat.verbose }
  }
  return read
}

async function texts(elements: Elements | Promise<Elements>): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for await (const some of await elements) all.push(...some.map(({ text }) => JSON.parse(text)))
  return all
}

/**
 * Reads a stream that never ends, up to the checkpoint of the ledger's end, before which all updates have come.
 * Resolves with the updates.
 */
async function upToCheckpoint(
  elements: Elements,
  ledgerEnd: number,
  urge: () => void,
): Promise<readonly unknown[]> {
  const all: unknown[] = []
  const read = async () => {
    for await (const some of elements)
      for (const element of some) {
        if (!isCheckpoint(element)) all.push(JSON.parse(element.text))
        else if (element.offset >= ledgerEnd) return all
      }
    throw new Error(`the stream ended after ${all.length}`)
  }
  let isOver = false
  const reading = read().finally(() => {
    isOver = true
  })
  reading.catch(() => {})
  await eventually(() => {
    urge()
    return isOver
  })
  return reading
}

/**
 * Makes the answers of the drivers comparable: converts offsets to those of the embedded ledger, and leaves out values
 * that differ from driver to driver.
 */
function plain(answer: unknown, here: (offset: number) => number): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => {
      if (['offset', 'lowest', 'highest'].includes(key)) return here(value as number)
      if (key === 'witnessParties') return [...(value as readonly string[])].sort()
      return key === 'streamContinuationToken' ? undefined : value
    }),
  )
}

const seen = new Map<string, number>()
/** Every run must produce each of these error codes. */
const codes = [
  'NA',
  'INVALID_ARGUMENT',
  'INVALID_FIELD',
  'MISSING_FIELD',
  'OFFSET_AFTER_LEDGER_END',
  'PARTICIPANT_PRUNED_DATA_ACCESSED',
  'UPDATE_NOT_FOUND',
]

test('over any ledger and for any reader, both drivers give the same updates, or refuse with the same error', async () => {
  const some = fc.record({
    log: someLedger,
    pruned: fc.integer({ min: 0, max: 4 }),
    asker: someAsker,
    drafts: fc.array(someDraft, { minLength: 4, maxLength: 8 }),
  })
  await fc.assert(
    fc.asyncProperty(some, async ({ log, pruned: upTo, asker, drafts }) => {
      const pruned = upTo > 2 ? Math.min(upTo - 2, log.length) : 0
      await using opened = await openReads({ catalog: mirroredCatalog })
      const { fake } = opened
      for (const update of log) fake.add(mirrored(update))
      fake.pruned = offsetThere(pruned)
      const { readAs, readAsAnyParty } = asker.rights
      const parties = [...readAs]
      const rights = asker.acts
        ? { actAs: parties, actAsAnyParty: readAsAnyParty }
        : { readAs: parties, readAsAnyParty }
      if (asker.isKnown) fake.user('token', 'asker', '', rights)
      const clock = new ManualClock()
      using local = new LocalUpdates(
        { ledgerId: 'participant::1220', synchronizerId },
        {
          ledger: ledgerOf(log, pruned, catalog),
          catalog,
          clock,
          tokenClock: clock,
          access: async () =>
            asker.isKnown
              ? { kind: 'reader', userId: 'asker', rights: asker.rights, expiresAt: undefined }
              : { kind: 'unauthenticated' },
        },
      )
      if (!asker.isKnown) {
        const expected = await local.open('token').catch(refusal)
        expect(await opened.updates.open('token').catch(refusal)).toEqual(expected)
        expect(expected).toMatchObject({ refused: { status: 401 } })
        return
      }
      const same = (offset: number) => offset
      const embedded: Driver = {
        reads: await local.open('token'),
        there: same,
        urge: () => clock.advance(checkpointTimes.startMs),
      }
      const participant: Driver = {
        reads: await opened.updates.open('token'),
        there: offsetThere,
        urge: () => fake.checkpoint(),
      }
      const isMoved = log.some(({ kind }) => kind === 'reassignment')
      for (const draft of drafts) {
        const question = questionOf(draft, log.length, asker.rights)
        // The drivers differ here on purpose. A participant lists an assigned contract as active. The embedded ledger
        // has one synchronizer only, and never lists an assigned contract.
        if (isMoved && (question.kind === 'contracts' || question.kind === 'contract-pages')) continue
        const expected = plain(await put(question, embedded, log.length), same)
        const answer = plain(await put(question, participant, log.length), offsetHere)
        expect({ question, answer }).toEqual({ question, answer: expected })
        const code = (expected as { refused?: { code: string } }).refused?.code ?? 'answered'
        for (const label of [code, `${question.kind} ${code}`]) seen.set(label, (seen.get(label) ?? 0) + 1)
      }
    }),
    { numRuns: 150 },
  )
}, 60_000)

afterAll(() => {
  for (const kind of kinds) expect(seen.get(`${kind} answered`) ?? 0, kind).toBeGreaterThan(0)
  for (const code of codes) expect(seen.get(code) ?? 0, code).toBeGreaterThan(0)
})
