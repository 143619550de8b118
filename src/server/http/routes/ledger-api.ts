import type { z } from 'zod'
import { CantonError, PlainError, type PlainErrorKind } from '../../../base/errors/canton.ts'
import { CallerLeft } from '../../../base/lib/body-bytes.ts'
import type { Clock } from '../../../base/lib/clock.ts'
import { type LedgerApi, ledgerApiVersion } from '../../../registry/ledger/api/ledger-api.ts'
import type { Reads } from '../../../registry/ledger/api/reads.ts'
import type { DeprecatedFields } from '../../../registry/ledger/api/requests.ts'
import { LedgerUnavailable } from '../../../registry/ledger/ledger.ts'
import { requiredBearer } from '../bearer.ts'
import { collect, timeoutMs, within } from '../collect.ts'
import { directoryOperations } from './ledger-directory.ts'
import {
  type DescribedOperation,
  integerOf,
  type LedgerApiAnswer,
  type ListOperation,
  ledgerVersion,
  listOperations,
  type SingleOperation,
  singleOperations,
  textOf,
} from './ledger-operations.ts'
import type { RouteContext } from './route.ts'

export interface LedgerApiRoute extends Required<Omit<DescribedOperation, 'takes'>> {
  readonly takes?: z.ZodType
  /** Whether the path also serves a WebSocket, which clients open with GET. */
  readonly isStream: boolean
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

const operations: readonly (ListOperation | SingleOperation)[] = [
  ...listOperations,
  ...singleOperations,
  ...directoryOperations,
]

export function ledgerApiRoutes(
  options: LedgerApiOptions,
  { service, clock }: LedgerApiDeps,
): readonly LedgerApiRoute[] {
  const answerOf = async (operation: ListOperation | SingleOperation, c: RouteContext) => {
    const reads = await service.open(requiredBearer(c.env.incoming.headers))
    return 'list' in operation ? listed(operation, options, reads, { c, clock }) : operation.answer(reads, c)
  }
  const { version } = options
  return [
    ...operations.map((operation) =>
      route(operation, async (c) => {
        // The caller gets an error before the server closes the idle connection.
        const answer = await within(answerOf(operation, c), timeoutMs, clock)
        if (answer === undefined) throw new PlainError('timedOut')
        return answer
      }),
    ),
    route(ledgerVersion, async () => JSON.stringify({ ...ledgerApiVersion, ...(version && { version }) })),
  ]
}

async function listed(
  { list }: ListOperation,
  { maxListElements: most, deprecatedFields }: LedgerApiOptions,
  reads: Reads,
  { c, clock }: { readonly c: RouteContext; readonly clock: Clock },
): Promise<string> {
  const limit = integerOf(c, 'limit')
  const idleMs = integerOf(c, 'stream_idle_timeout_ms')
  const { isOpen, from } = list(await textOf(c), deprecatedFields)
  const { signal, stop } = stopper(c)
  const limits = { limit, most, idleMs: idleMs ?? (isOpen ? defaultIdleMs : undefined) }
  const elements = await collect(await from(reads, signal), limits, clock, stop)
  return `[${elements.map(({ text }) => text).join(',')}]`
}

const described = [...operations, ledgerVersion]

export const withoutLedgerApi = described.map((operation) =>
  route({ ...operation, refusals: ['noLedger'] }, () => Promise.reject(new CantonError('noLedger'))),
)

/** Only for the description of the API: requests never reach these routes, because the relay takes them. */
export const relayedLedgerApi = described.map((operation) =>
  route(operation, () => Promise.reject(new CantonError('internal'))),
)

function route(
  operation: DescribedOperation,
  handler: (c: RouteContext) => Promise<LedgerApiAnswer>,
): LedgerApiRoute {
  const { query = [], textQuery = [] } = operation
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
    isStream: 'list' in operation,
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
