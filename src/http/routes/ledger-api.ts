import { z } from 'zod'
import { CantonError, type CantonErrorKind, PlainError, type PlainErrorKind } from '../../errors/canton.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import type {
  ContractsPage,
  Element,
  UpdateReads,
  UpdateService,
  UpdatesPage,
} from '../../ledger/update-service.ts'
import {
  activeContractsBody,
  activeContractsRequest,
  byHashBody,
  byHashRequest,
  byIdBody,
  byIdRequest,
  byOffsetBody,
  byOffsetRequest,
  contractsPageBody,
  contractsPageRequest,
  pageBody,
  pageRequest,
  type UpdateRequest,
  updatesBody,
  updatesRequest,
} from '../../ledger/wire/requests.ts'
import { synchronizerTimesJson } from '../../ledger/wire/responses.ts'
import { CallerLeft } from '../../lib/body-bytes.ts'
import type { Clock } from '../../lib/clock.ts'
import { requiredBearer } from '../bearer.ts'
import { collect, timeoutMs, within } from '../collect.ts'
import { readText } from '../ledger-body.ts'
import type { Part, Parts } from '../parts.ts'
import { requestIdOf, targetOf } from '../request.ts'
import type { RouteContext } from './route.ts'

/** The body of a 200: a JSON text, as a whole or in parts. */
export type LedgerApiAnswer = string | Parts

export interface LedgerApiRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The name of the route in metrics. */
  readonly id: string
  readonly summary: string
  readonly takes?: z.ZodType
  readonly gives: z.ZodType
  /** The names of the query parameters that are integers. */
  readonly query: readonly string[]
  /** The names of the query parameters that are texts. */
  readonly textQuery: readonly string[]
  /** Whether the path also serves a WebSocket, which clients open with GET. */
  readonly isStream: boolean
  readonly refusals: readonly CantonErrorKind[]
  readonly plainRefusals: readonly PlainErrorKind[]
  /** Answers a request. Rejects with `CantonError` or `PlainError` if the request is refused. */
  handler(c: RouteContext): Promise<LedgerApiAnswer>
}

export interface LedgerApiOptions {
  /** The maximum number of elements in a list. A longer list is an error. */
  readonly maxListElements: number
  /** The version in the answer of `/v2/version`; the ledger's version by default. */
  readonly version?: string | undefined
}

export interface LedgerApiDeps {
  readonly service: UpdateService
  readonly clock: Clock
}

/**
 * If a request for updates has no `endInclusive`, its list is complete after this many milliseconds without a new
 * update. Callers can set another time in `stream_idle_timeout_ms`.
 */
const defaultIdleMs = 500

type Described = Omit<LedgerApiRoute, 'handler' | 'query' | 'textQuery' | 'isStream' | 'plainRefusals'> &
  Partial<Pick<LedgerApiRoute, 'query' | 'textQuery' | 'isStream'>>
type Handle = (reads: UpdateReads, c: RouteContext) => Promise<LedgerApiAnswer>

const element = z.object({ update: z.record(z.string(), z.unknown()) })
const secured = ['unauthenticated', 'unknownUser', 'permissionDenied', 'notRunning', 'internal'] as const
const ofForm = ['bothForms', 'verboseBesideFormat', 'noForm'] as const
const ofEvents = [
  'noFilters',
  'invalidParty',
  'packageIdInFilter',
  'unknownPackageNames',
  'unknownTemplates',
  'unknownInterfaces',
] as const
const ofFormat = [...ofEvents, 'invalidTopologyParty', 'missingField'] as const
const ofRange = ['negativeOffset', 'nonPositiveOffset', 'offsetAfterLedgerEnd', 'pruned'] as const

const updatesPath: Described = {
  method: 'POST',
  path: '/v2/updates',
  id: 'postUpdates',
  summary: 'The updates of a range, or those that come until none does for a while; by GET as a WebSocket.',
  takes: updatesBody,
  gives: z.array(element),
  query: ['limit', 'stream_idle_timeout_ms'],
  isStream: true,
  refusals: [
    ...secured,
    ...ofForm,
    ...ofRange,
    'descendingWithoutEnd',
    'offsetOutOfRange',
    ...ofFormat,
    'accessTokenExpired',
    'overloaded',
    'tooManyElements',
  ],
}

const pagePath: Described = {
  method: 'POST',
  path: '/v2/updates/get-updates-page',
  id: 'getUpdatesPage',
  summary: 'The updates of a range, a page at a time.',
  takes: pageBody,
  gives: z.object({
    updates: z.array(element),
    lowestPageOffsetExclusive: z.int(),
    highestPageOffsetInclusive: z.int(),
    nextPageToken: z.string().nullable(),
  }),
  refusals: [
    ...secured,
    ...ofRange,
    'invalidPageSize',
    'pageEndsBeforeBegin',
    ...ofFormat,
    'undecodablePageToken',
    'invalidPageToken',
    'accessTokenExpired',
  ],
}

const contractsPath: Described = {
  method: 'POST',
  path: '/v2/state/active-contracts',
  id: 'postActiveContracts',
  summary: 'The contracts that are active after an update; by GET as a WebSocket.',
  takes: activeContractsBody,
  gives: z.array(
    z.object({
      workflowId: z.string(),
      contractEntry: z.record(z.string(), z.unknown()),
      streamContinuationToken: z.string(),
    }),
  ),
  query: ['limit', 'stream_idle_timeout_ms'],
  isStream: true,
  refusals: [
    ...secured,
    ...ofForm,
    'negativeOffset',
    'offsetAfterLedgerEnd',
    'pruned',
    ...ofEvents,
    'invalidContinuationToken',
    'accessTokenExpired',
    'tooManyElements',
  ],
}

const contractsPagePath: Described = {
  method: 'POST',
  path: '/v2/state/active-contracts-page',
  id: 'postActiveContractsPage',
  summary: 'The contracts that are active after an update, a page at a time.',
  takes: contractsPageBody,
  gives: z.object({
    activeContracts: contractsPath.gives,
    activeAtOffset: z.int(),
    nextPageToken: z.string().nullable(),
  }),
  refusals: [
    ...secured,
    'missingField',
    'negativeOffset',
    'offsetAfterLedgerEnd',
    'invalidPageSize',
    ...ofEvents,
    'invalidContractsPageToken',
    'pruned',
    'accessTokenExpired',
  ],
}

const synchronizersPath: Described = {
  method: 'GET',
  path: '/v2/state/connected-synchronizers',
  id: 'getConnectedSynchronizers',
  summary: 'The synchronizers that the ledger is on, or that a party is hosted on.',
  gives: z.object({
    connectedSynchronizers: z.array(
      z.object({ synchronizerAlias: z.string(), synchronizerId: z.string(), permission: z.string() }),
    ),
  }),
  textQuery: ['party', 'participantId', 'identityProviderId'],
  refusals: [...secured, 'invalidField'],
}

const endPath: Described = {
  method: 'GET',
  path: '/v2/state/ledger-end',
  id: 'getLedgerEnd',
  summary: 'The offset of the last update.',
  gives: z.object({
    offset: z.int(),
    synchronizerTimes: z.array(z.object({ synchronizerId: z.string(), recordTime: z.string() })),
  }),
  refusals: secured,
}

const prunedPath: Described = {
  method: 'GET',
  path: '/v2/state/latest-pruned-offsets',
  id: 'getLatestPrunedOffsets',
  summary: 'The offset up to which updates were pruned.',
  gives: z.object({
    participantPrunedUpToInclusive: z.int(),
    allDivulgedContractsPrunedUpToInclusive: z.int(),
  }),
  refusals: secured,
}

const versionPath: Described = {
  method: 'GET',
  path: '/v2/version',
  id: 'getLedgerApiVersion',
  summary: 'The version of the Ledger API.',
  gives: z.object({ version: z.string(), features: z.object({}).loose() }),
  refusals: ['notRunning', 'internal'],
}

const lookups: readonly (Described & { readonly read: (body: string) => UpdateRequest })[] = (
  [
    ['offset', byOffsetBody, byOffsetRequest, ['nonPositiveOffset']],
    ['id', byIdBody, byIdRequest, ['invalidUpdateId']],
    ['hash', byHashBody, byHashRequest, []],
  ] as const
).map(([key, takes, read, refusals]) => ({
  method: 'POST',
  path: `/v2/updates/update-by-${key}`,
  id: `updateBy${key.charAt(0).toUpperCase()}${key.slice(1)}`,
  summary: `One update, by its ${key}.`,
  takes,
  gives: element,
  refusals: [...secured, ...ofFormat, ...refusals, 'updateNotFound'],
  read,
}))

/** Returns the routes of the JSON Ledger API, which read updates and state from a ledger. */
export function ledgerApiRoutes(
  { maxListElements: most, version }: LedgerApiOptions,
  { service, clock }: LedgerApiDeps,
): readonly LedgerApiRoute[] {
  /**
   * Waits for an answer, at most `timeoutMs`. After that it rejects with `timedOut`, so that the caller gets an error
   * before the server closes the idle connection.
   */
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    const given = await within(answer, timeoutMs, clock)
    if (given === undefined) throw new PlainError('timedOut')
    return given
  }
  const read = (described: Described, handle: Handle) =>
    route(described, (c) => {
      const { headers } = c.env.incoming
      return inTime(
        service.open(requiredBearer(headers), requestIdOf(headers)).then((reads) => handle(reads, c)),
      )
    })
  return [
    read(updatesPath, async (reads, c) => {
      const limit = integerOf(c, 'limit')
      const idleMs = integerOf(c, 'stream_idle_timeout_ms')
      const request = updatesRequest(await readText(c.env.incoming))
      const isOpen = request.endInclusive === undefined
      const { signal, stop } = stopper(c)
      const elements = await reads.updates(request, signal)
      const collecting = { limit, most, idleMs: idleMs ?? (isOpen ? defaultIdleMs : undefined) }
      return listText(await collect(elements, collecting, clock, stop))
    }),
    read(contractsPath, async (reads, c) => {
      const limit = integerOf(c, 'limit')
      const idleMs = integerOf(c, 'stream_idle_timeout_ms')
      const request = activeContractsRequest(await readText(c.env.incoming))
      const { signal, stop } = stopper(c)
      const elements = await reads.activeContracts(request, signal)
      return listText(await collect(elements, { limit, most, idleMs }, clock, stop))
    }),
    read(pagePath, async (reads, c) => {
      const request = pageRequest(await readText(c.env.incoming))
      return begun(pageParts(await reads.page(request, c.req.raw.signal)))
    }),
    ...lookups.map((lookup) =>
      read(
        lookup,
        async (reads, c) => (await reads.update(lookup.read(await readText(c.env.incoming)))).text,
      ),
    ),
    read(contractsPagePath, async (reads, c) => {
      const request = contractsPageRequest(await readText(c.env.incoming))
      return begun(contractsParts(await reads.contractsPage(request, c.req.raw.signal)))
    }),
    read(synchronizersPath, async (reads, c) => {
      const [party, participantId, identityProviderId] = textsOf(
        c,
        'party',
        'participantId',
        'identityProviderId',
      )
      const connectedSynchronizers = await reads.synchronizers({ party, participantId, identityProviderId })
      return JSON.stringify({ connectedSynchronizers })
    }),
    read(endPath, async (reads) => {
      const end = await reads.ledgerEnd()
      return JSON.stringify({ offset: end.offset, synchronizerTimes: synchronizerTimesJson(end) })
    }),
    read(prunedPath, async (reads) => {
      const offset = await reads.prunedUpTo()
      return JSON.stringify({
        participantPrunedUpToInclusive: offset,
        allDivulgedContractsPrunedUpToInclusive: offset,
      })
    }),
    route(versionPath, async () => {
      const own = await inTime(service.version())
      return JSON.stringify(version === undefined ? own : { ...own, version })
    }),
  ]
}

/**
 * The routes of the JSON Ledger API in a daemon without a ledger. They have the same paths as in a daemon with a
 * ledger, and reject each request with `noLedger`.
 */
export const withoutLedgerApi: readonly LedgerApiRoute[] = [
  updatesPath,
  contractsPath,
  pagePath,
  ...lookups,
  contractsPagePath,
  synchronizersPath,
  endPath,
  prunedPath,
  versionPath,
].map((described) =>
  route({ ...described, refusals: ['noLedger'] }, () => Promise.reject(new CantonError('noLedger'))),
)

function route(
  { query = [], textQuery = [], isStream = false, ...described }: Described,
  handler: (c: RouteContext) => Promise<LedgerApiAnswer>,
): LedgerApiRoute {
  const plainRefusals: readonly PlainErrorKind[] = [
    'notAcceptable',
    ...(described.refusals.includes('unauthenticated') ? (['emptyToken'] as const) : []),
    ...(described.takes === undefined ? [] : (['invalidBody', 'bodyTooLarge'] as const)),
    ...(described.refusals.includes('notRunning') ? (['timedOut'] as const) : []),
    ...(query.length === 0 ? [] : (['invalidQuery'] as const)),
  ]
  return {
    ...described,
    query,
    textQuery,
    isStream,
    plainRefusals,
    async handler(c) {
      ensureAcceptable(c.req.header('accept'))
      try {
        return await handler(c)
      } catch (error) {
        throw error instanceof CallerLeft ? error : ledgerError(error)
      }
    },
  }
}

/**
 * Converts any error to one that the API defines. If the ledger cannot be used, the error becomes `notRunning`. An
 * unexpected error is a fault of this daemon, and becomes `internal`.
 */
export function ledgerError(error: unknown): CantonError | PlainError {
  if (error instanceof CantonError || error instanceof PlainError) return error
  if (error instanceof LedgerUnavailable)
    return new CantonError('notRunning', { service: 'The ledger' }, { cause: error })
  return new CantonError('internal', {}, { cause: error })
}

/** Makes a signal that aborts when `stop` is called or the caller disconnects. */
function stopper(c: RouteContext): { readonly signal: AbortSignal; readonly stop: () => void } {
  const own = new AbortController()
  const left = c.req.raw.signal
  const stop = () => {
    left.removeEventListener('abort', stop)
    own.abort()
  }
  if (left.aborted) stop()
  else left.addEventListener('abort', stop)
  return { signal: own.signal, stop }
}

/**
 * Returns an integer query parameter. Undefined if the parameter is absent.
 * @throws PlainError `invalidQuery`
 */
function integerOf(c: RouteContext, name: string): number | undefined {
  const given = new URLSearchParams(targetOf(c.req.url).query).get(name)
  if (given === null) return undefined
  if (!/^[+-]?\d{1,19}$/.test(given)) throw new PlainError('invalidQuery', { name })
  return Number(given)
}

/** Returns the values of query parameters, in the order of `names`. An empty value counts as absent. */
function textsOf(c: RouteContext, ...names: readonly string[]): readonly (string | undefined)[] {
  const given = new URLSearchParams(targetOf(c.req.url).query)
  return names.map((name) => given.get(name) || undefined)
}

/**
 * Rejects a request whose header `accept` does not permit JSON.
 * @throws PlainError `notAcceptable`
 */
function ensureAcceptable(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '') return
  const ranges = accept.split(',').map((range) => range.trim().toLowerCase())
  const isAccepted = ranges.some(
    (range) =>
      /^(?:\*\/\*|application\/(?:\*|json))\s*(?:;|$)/.test(range) && !/;\s*q=0(?:\.0*)?\s*$/.test(range),
  )
  if (!isAccepted) throw new PlainError('notAcceptable')
}

function listText(elements: readonly Element[]): string {
  return `[${elements.map(({ text }) => text).join(',')}]`
}

async function* pageParts({ updates, bounds }: UpdatesPage): AsyncGenerator<Part> {
  let before = '{"updates":['
  for await (const some of updates) {
    yield before
    yield some
    before = ','
  }
  const rest = JSON.stringify(bounds()).slice(1)
  yield `${before === ',' ? '' : before}],${rest}`
}

async function* contractsParts({
  contracts,
  activeAtOffset,
  nextPageToken,
}: ContractsPage): AsyncGenerator<Part> {
  let before = '{"activeContracts":['
  for await (const some of contracts) {
    yield `${before}${some}`
    before = ','
  }
  const rest = JSON.stringify({ activeAtOffset, nextPageToken: nextPageToken() }).slice(1)
  yield `${before === ',' ? '' : before}],${rest}`
}

/**
 * Waits for the first part of an answer, and then returns all parts. Until then no byte was sent, so an error can still
 * become a response with its own status.
 */
async function begun<T>(parts: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await parts.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* parts
  })()
}
