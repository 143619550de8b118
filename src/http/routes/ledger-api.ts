import type { z } from 'zod'
import { CantonError, PlainError, type PlainErrorKind } from '../../errors/canton.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import type { UpdateReads, UpdateService } from '../../ledger/update-service.ts'
import {
  activeContractsRequest,
  contractsPageRequest,
  pageRequest,
  type UpdateRequest,
  updatesRequest,
} from '../../ledger/wire/requests.ts'
import { synchronizerTimesJson } from '../../ledger/wire/responses.ts'
import { CallerLeft } from '../../lib/body-bytes.ts'
import type { Clock } from '../../lib/clock.ts'
import { requiredBearer } from '../bearer.ts'
import { collect, timeoutMs, within } from '../collect.ts'
import { readText } from '../ledger-body.ts'
import type { Parts } from '../parts.ts'
import { requestIdOf, targetOf } from '../request.ts'
import { begun, contractsParts, listText, pageParts } from './ledger-answers.ts'
import {
  activeContracts,
  activeContractsPage,
  connectedSynchronizers,
  type LedgerOperation,
  latestPruned,
  ledgerEnd,
  ledgerVersion,
  updateLookups,
  updates,
  updatesPage,
} from './ledger-operations.ts'
import type { RouteContext } from './route.ts'

/** The body of a 200 response: a JSON text, as a whole or in parts. */
export type LedgerApiAnswer = string | Parts

export interface LedgerApiRoute extends Required<Omit<LedgerOperation, 'takes'>> {
  readonly takes?: z.ZodType
  readonly plainRefusals: readonly PlainErrorKind[]
  /** Answers a request. Rejects with a `CantonError` or `PlainError` if the request fails. */
  handler(c: RouteContext): Promise<LedgerApiAnswer>
}

export interface LedgerApiOptions {
  /** The maximum number of elements in a list. A longer list is an error. */
  readonly maxListElements: number
  /** The version that `/v2/version` reports. By default, it is the ledger's version. */
  readonly version?: string | undefined
}

export interface LedgerApiDeps {
  readonly service: UpdateService
  readonly clock: Clock
}

/**
 * If a request for updates has no `endInclusive`, its list is complete after this many milliseconds without a
 * new update. Callers can set another time in the query parameter `stream_idle_timeout_ms`.
 */
const defaultIdleMs = 500

/**
 * Returns the routes of the JSON Ledger API, with which callers read updates and active contracts from a
 * ledger.
 */
export function ledgerApiRoutes(
  { maxListElements: most, version }: LedgerApiOptions,
  { service, clock }: LedgerApiDeps,
): readonly LedgerApiRoute[] {
  /**
   * Waits for an answer, at most `timeoutMs`. After that it rejects with `timedOut`, so that the caller gets
   * an error before the server closes the idle connection.
   */
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    const given = await within(answer, timeoutMs, clock)
    if (given === undefined) throw new PlainError('timedOut')
    return given
  }
  const read = (operation: LedgerOperation, handle: Handle) =>
    route(operation, (c) => {
      const { headers } = c.env.incoming
      return inTime(
        service.open(requiredBearer(headers), requestIdOf(headers)).then((reads) => handle(reads, c)),
      )
    })
  const collecting = { most, clock }
  return [
    read(updates, listUpdates(collecting)),
    read(activeContracts, listContracts(collecting)),
    read(updatesPage, async (reads, c) => {
      const request = pageRequest(await readText(c.env.incoming))
      return begun(pageParts(await reads.page(request, c.req.raw.signal)))
    }),
    ...updateLookups.map((lookup) => read(lookup, findUpdate(lookup.read))),
    read(activeContractsPage, async (reads, c) => {
      const request = contractsPageRequest(await readText(c.env.incoming))
      return begun(contractsParts(await reads.contractsPage(request, c.req.raw.signal)))
    }),
    read(connectedSynchronizers, findSynchronizers),
    read(ledgerEnd, async (reads) => {
      const end = await reads.ledgerEnd()
      return JSON.stringify({ offset: end.offset, synchronizerTimes: synchronizerTimesJson(end) })
    }),
    read(latestPruned, async (reads) => {
      const offset = await reads.prunedUpTo()
      return JSON.stringify({
        participantPrunedUpToInclusive: offset,
        allDivulgedContractsPrunedUpToInclusive: offset,
      })
    }),
    route(ledgerVersion, async () => {
      const own = await inTime(service.version())
      return JSON.stringify(version === undefined ? own : { ...own, version })
    }),
  ]
}

/**
 * Answers a request.
 * @param reads the methods that read the ledger with the rights of the caller.
 */
type Handle = (reads: UpdateReads, c: RouteContext) => Promise<LedgerApiAnswer>

interface Collecting {
  /** The maximum number of elements in a list. */
  readonly most: number
  readonly clock: Clock
}

function listUpdates({ most, clock }: Collecting): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms')
    const request = updatesRequest(await readText(c.env.incoming))
    const isOpen = request.endInclusive === undefined
    const { signal, stop } = stopper(c)
    const elements = await reads.updates(request, signal)
    const limits = { limit, most, idleMs: idleMs ?? (isOpen ? defaultIdleMs : undefined) }
    return listText(await collect(elements, limits, clock, stop))
  }
}

function listContracts({ most, clock }: Collecting): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms')
    const request = activeContractsRequest(await readText(c.env.incoming))
    const { signal, stop } = stopper(c)
    const elements = await reads.activeContracts(request, signal)
    return listText(await collect(elements, { limit, most, idleMs }, clock, stop))
  }
}

function findUpdate(requestOf: (body: string) => UpdateRequest): Handle {
  return async (reads, c) => (await reads.update(requestOf(await readText(c.env.incoming)))).text
}

async function findSynchronizers(reads: UpdateReads, c: RouteContext): Promise<string> {
  const [party, participantId, identityProviderId] = textsOf(
    c,
    'party',
    'participantId',
    'identityProviderId',
  )
  const found = await reads.synchronizers({ party, participantId, identityProviderId })
  return JSON.stringify({ connectedSynchronizers: found })
}

/**
 * The routes of the JSON Ledger API in a daemon without a ledger. They have the same paths as in a daemon
 * with a ledger, and reject each request with `noLedger`.
 */
export const withoutLedgerApi: readonly LedgerApiRoute[] = [
  updates,
  activeContracts,
  updatesPage,
  ...updateLookups,
  activeContractsPage,
  connectedSynchronizers,
  ledgerEnd,
  latestPruned,
  ledgerVersion,
].map((operation) =>
  route({ ...operation, refusals: ['noLedger'] }, () => Promise.reject(new CantonError('noLedger'))),
)

function route(
  { query = [], textQuery = [], isStream = false, ...operation }: LedgerOperation,
  handler: (c: RouteContext) => Promise<LedgerApiAnswer>,
): LedgerApiRoute {
  const plainRefusals: readonly PlainErrorKind[] = [
    'notAcceptable',
    ...(operation.refusals.includes('unauthenticated') ? (['emptyToken'] as const) : []),
    ...(operation.takes === undefined ? [] : (['invalidBody', 'bodyTooLarge'] as const)),
    ...(operation.refusals.includes('notRunning') ? (['timedOut'] as const) : []),
    ...(query.length === 0 ? [] : (['invalidQuery'] as const)),
  ]
  return {
    ...operation,
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
 * Converts any error to an error that the JSON Ledger API defines. If the ledger cannot be used, the error
 * becomes `notRunning`. An unexpected error is a fault of this daemon, and becomes `internal`.
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

const mostInt64 = 2n ** 63n - 1n
const leastInt64 = -(2n ** 63n)

/**
 * Returns an integer query parameter. Undefined if the parameter is absent.
 * @throws PlainError `invalidQuery`
 */
function integerOf(c: RouteContext, name: string): number | undefined {
  const given = new URLSearchParams(targetOf(c.req.url).query).get(name)
  if (given === null) return undefined
  const isInteger = /^[+-]?\d{1,19}$/.test(given)
  if (!isInteger || BigInt(given) > mostInt64 || BigInt(given) < leastInt64)
    throw new PlainError('invalidQuery', { name })
  // `Number` rounds integers above 2^53. No list is that long, and no caller waits that long.
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
