import type { z } from 'zod'
import { CantonError, PlainError, type PlainErrorKind } from '../../errors/canton.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import type { UpdateReads, UpdateService } from '../../ledger/update-service.ts'
import {
  activeContractsRequest,
  type CompletionsRequest,
  completionsRequest,
  contractsPageRequest,
  type DeprecatedFields,
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
import { begun, contractsParts, listText, pageParts } from './ledger-answers.ts'
import { directoryOperations } from './ledger-directory.ts'
import {
  activeContracts,
  activeContractsPage,
  completions,
  connectedSynchronizers,
  type LedgerOperation,
  latestPruned,
  ledgerEnd,
  ledgerVersion,
  updateLookups,
  updates,
  updatesPage,
} from './ledger-operations.ts'
import { integerOf, textsOf } from './ledger-query.ts'
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
  readonly service: UpdateService
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
    ...directoryOperations.map((operation) =>
      read(operation, async (reads, c) => JSON.stringify(await reads.directory(operation.question(c)))),
    ),
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

type Handle = (reads: UpdateReads, c: RouteContext) => Promise<LedgerApiAnswer>

interface Collecting {
  readonly most: number
  readonly clock: Clock
  readonly deprecatedFields: DeprecatedFields
}

function listUpdates({ most, clock, deprecatedFields }: Collecting): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms')
    const request = updatesRequest(await readText(c.env.incoming), deprecatedFields)
    const isOpen = request.endInclusive === undefined
    const { signal, stop } = stopper(c)
    const elements = await reads.updates(request, signal)
    const limits = { limit, most, idleMs: idleMs ?? (isOpen ? defaultIdleMs : undefined) }
    return listText(await collect(elements, limits, clock, stop))
  }
}

function listContracts({ most, clock, deprecatedFields }: Collecting): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms')
    const request = activeContractsRequest(await readText(c.env.incoming), deprecatedFields)
    const { signal, stop } = stopper(c)
    const elements = await reads.activeContracts(request, signal)
    return listText(await collect(elements, { limit, most, idleMs }, clock, stop))
  }
}

function listCompletions(of: CompletionsRequest['of'], { most, clock }: Collecting): Handle {
  return async (reads, c) => {
    const limit = integerOf(c, 'limit')
    const idleMs = integerOf(c, 'stream_idle_timeout_ms') ?? defaultIdleMs
    const request = completionsRequest(await readText(c.env.incoming), of)
    const { signal, stop } = stopper(c)
    const elements = await reads.completions(request, signal)
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
