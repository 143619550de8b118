import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { CantonError, PlainError, type PlainErrorKind } from '../../errors/canton.ts'
import { type LedgerApi, ledgerApiVersion } from '../../ledger/api/ledger-api.ts'
import { checkpointJson, type Element } from '../../ledger/api/print.ts'
import type { Reads } from '../../ledger/api/reads.ts'
import { decode } from '../../ledger/api/relaxed.ts'
import {
  activeContractsRequest,
  type CompletionsOf,
  completionsBodies,
  contractsPageBody,
  type DeprecatedFields,
  pageBody,
  updatesRequest,
} from '../../ledger/api/requests.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import { bytesOf, CallerLeft, longestBody } from '../../lib/body-bytes.ts'
import type { Clock } from '../../lib/clock.ts'
import { requiredBearer } from '../bearer.ts'
import { collect, timeoutMs, within } from '../collect.ts'
import type { Parts } from '../parts.ts'
import { directoryOperations } from './ledger-directory.ts'
import {
  activeContracts,
  activeContractsPage,
  completions,
  connectedSynchronizers,
  integerOf,
  type LedgerOperation,
  latestPruned,
  ledgerEnd,
  ledgerVersion,
  textsOf,
  updateLookups,
  updates,
  updatesPage,
} from './ledger-operations.ts'
import type { RouteContext } from './route.ts'

export type LedgerApiAnswer = string | Parts

export interface LedgerApiRoute extends Required<Omit<LedgerOperation, 'takes'>> {
  readonly takes?: z.ZodType
  readonly plainRefusals: readonly PlainErrorKind[]
  handler(c: RouteContext): Promise<LedgerApiAnswer>
}

export interface LedgerApiOptions {
  readonly maxListElements: number
  readonly version?: string | undefined
  readonly deprecatedFields: DeprecatedFields
}

export interface LedgerApiDeps {
  readonly service: LedgerApi
  readonly clock: Clock
}

/**
 * If a request for updates has no end, the list is complete when no update arrives for this many
 * milliseconds. The query parameter `stream_idle_timeout_ms` overrides the value.
 */
const defaultIdleMs = 500

export function ledgerApiRoutes(
  { maxListElements: most, version, deprecatedFields }: LedgerApiOptions,
  { service, clock }: LedgerApiDeps,
): readonly LedgerApiRoute[] {
  /**
   * Rejects after `timeoutMs`, so that the caller gets an error before the server closes the idle
   * connection.
   */
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    const given = await within(answer, timeoutMs, clock)
    if (given === undefined) throw new PlainError('timedOut')
    return given
  }
  const read = (operation: LedgerOperation, handle: Handle) =>
    route(operation, (c) => {
      const { headers } = c.env.incoming
      return inTime(service.open(requiredBearer(headers)).then((reads) => handle(reads, c)))
    })
  const collecting = { most, clock, deprecatedFields }
  return [
    read(updates, listUpdates(collecting)),
    read(activeContracts, listContracts(collecting)),
    ...completions.map((operation) => read(operation, listCompletions(operation.of, collecting))),
    read(updatesPage, async (reads, c) => begun(await reads.page(decode(pageBody, await textOf(c))))),
    ...updateLookups.map((lookup) =>
      read(lookup, async (reads, c) => (await reads.update(decode(lookup.takes, await textOf(c)))).text),
    ),
    read(activeContractsPage, async (reads, c) =>
      begun(await reads.contractsPage(decode(contractsPageBody, await textOf(c)))),
    ),
    read(connectedSynchronizers, findSynchronizers),
    ...directoryOperations.map((operation) =>
      read(operation, async (reads, c) => JSON.stringify(await reads.directory(operation.question(c)))),
    ),
    read(ledgerEnd, async (reads) => JSON.stringify(checkpointJson(await reads.ledgerEnd()))),
    read(latestPruned, async () =>
      JSON.stringify({ participantPrunedUpToInclusive: 0, allDivulgedContractsPrunedUpToInclusive: 0 }),
    ),
    route(ledgerVersion, async () => JSON.stringify({ ...ledgerApiVersion, ...(version && { version }) })),
  ]
}

type Handle = (reads: Reads, c: RouteContext) => Promise<LedgerApiAnswer>

interface UpdateCollection {
  readonly most: number
  readonly clock: Clock
  readonly deprecatedFields: DeprecatedFields
}

function listUpdates({ most, clock, deprecatedFields }: UpdateCollection): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms')
    const request = updatesRequest(await textOf(c), deprecatedFields)
    const isOpen = request.endInclusive === undefined
    const { signal, stop } = stopper(c)
    const elements = await reads.updates(request, signal)
    const limits = { limit, most, idleMs: idleMs ?? (isOpen ? defaultIdleMs : undefined) }
    return listText(await collect(elements, limits, clock, stop))
  }
}

function listContracts({ most, clock, deprecatedFields }: UpdateCollection): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms')
    const request = activeContractsRequest(await textOf(c), deprecatedFields)
    const elements = await reads.activeContracts(request)
    return listText(await collect(elements, { limit, most, idleMs }, clock))
  }
}

function listCompletions(of: CompletionsOf, { most, clock }: UpdateCollection): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms') ?? defaultIdleMs
    const request = decode(completionsBodies[of], await textOf(c))
    const { signal, stop } = stopper(c)
    const elements = await reads.completions(of, request, signal)
    return listText(await collect(elements, { limit, most, idleMs }, clock, stop))
  }
}

function textOf(c: RouteContext): Promise<string> {
  return readText(c.env.incoming)
}

function listText(elements: readonly Element[]): string {
  return `[${elements.map(({ text }) => text).join(',')}]`
}

/**
 * Waits for the first part: until a byte is sent, an error can still become a response with its own
 * status.
 */
async function begun(parts: AsyncGenerator<string>): Promise<Parts> {
  const first = await parts.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* parts
  })()
}

async function findSynchronizers(reads: Reads, c: RouteContext): Promise<string> {
  const [party, participantId] = textsOf(c, 'party', 'participantId')
  const found = await reads.synchronizers({ party, participantId })
  return JSON.stringify({ connectedSynchronizers: found })
}

const operations: readonly LedgerOperation[] = [
  updates,
  activeContracts,
  updatesPage,
  ...updateLookups,
  activeContractsPage,
  ...completions,
  connectedSynchronizers,
  ...directoryOperations,
  ledgerEnd,
  latestPruned,
  ledgerVersion,
]

export const withoutLedgerApi = operations.map((operation) =>
  route({ ...operation, refusals: ['noLedger'] }, () => Promise.reject(new CantonError('noLedger'))),
)

/** Only for the description of the API: requests never reach these routes, because the relay takes them. */
export const relayedLedgerApi = operations.map((operation) =>
  route(operation, () => Promise.reject(new CantonError('internal'))),
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

export function ledgerError(error: unknown): CantonError | PlainError {
  if (error instanceof CantonError || error instanceof PlainError) return error
  if (error instanceof LedgerUnavailable)
    return new CantonError('notRunning', { service: 'The ledger' }, { cause: error })
  return new CantonError('internal', {}, { cause: error })
}

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

function ensureAcceptable(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '') return
  const ranges = accept.split(',').map((range) => range.trim().toLowerCase())
  const isAccepted = ranges.some(
    (range) =>
      /^(?:\*\/\*|application\/(?:\*|json))\s*(?:;|$)/.test(range) && !/;\s*q=0(?:\.0*)?\s*$/.test(range),
  )
  if (!isAccepted) throw new PlainError('notAcceptable')
}

async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await bytesOf(request, longestBody)
  if (bytes === undefined) throw new PlainError('bodyTooLarge', { limit: longestBody })
  return bytes.toString()
}
