import type { IncomingMessage } from 'node:http'
import { CantonError, PlainError } from '../../../base/errors/canton.ts'
import type { Logger } from '../../../base/telemetry/logger.ts'
import type { Elements } from '../../../registry/ledger/api/feed.ts'
import type { LedgerApi } from '../../../registry/ledger/api/ledger-api.ts'
import type { Reads } from '../../../registry/ledger/api/reads.ts'
import type { DeprecatedFields } from '../../../registry/ledger/api/requests.ts'
import { offeredBearer } from '../bearer.ts'
import { traceIdOf } from '../problem.ts'
import { requestIdOf, traceParentOf } from '../request.ts'
import type { Socket, Stream } from '../sockets.ts'
import { ledgerError } from './ledger-api.ts'
import { deprecatedRoutes } from './ledger-deprecated.ts'
import { listOperations } from './ledger-operations.ts'

export interface LedgerStreamsDeps {
  readonly service: LedgerApi
  readonly deprecatedFields: DeprecatedFields
  readonly logger: Logger
}

type StreamRead = (reads: Reads, request: string, signal: AbortSignal) => Promise<Elements>

/**
 * Returns the WebSockets of Canton's JSON Ledger API. A caller sends one request in the first
 * frame, and then receives a frame for each element.
 */
export function ledgerStreams({ service, logger, deprecatedFields }: LedgerStreamsDeps): readonly Stream[] {
  const stream = (path: string, read: StreamRead): Stream => ({
    path,
    async open(request) {
      try {
        const reads = await service.open(offeredBearer(request.headers))
        return (socket) => converse(socket, (text) => read(reads, text, socket.signal), request, logger)
      } catch (error) {
        throw ledgerError(error)
      }
    },
  })
  return [
    ...listOperations.map(({ path, list }) =>
      stream(path, (reads, text, signal) => list(text, deprecatedFields).from(reads, signal)),
    ),
    // As in Canton, the WebSocket opens, and its first frame is the refusal.
    ...deprecatedRoutes
      .filter(({ isStream }) => isStream)
      .map(({ path, refuse }) => stream(path, async () => refuse())),
  ]
}

async function converse(
  socket: Socket,
  read: (request: string) => Promise<Elements>,
  { headers }: IncomingMessage,
  logger: Logger,
): Promise<void> {
  const text = await socket.first()
  if (text === undefined) return
  try {
    for await (const elements of await read(text)) {
      if (socket.signal.aborted) return
      await socket.send(elements.map((element) => element.text))
    }
  } catch (error) {
    if (socket.signal.aborted) return
    const told = frameError(error)
    const requestId = requestIdOf(headers)
    if (told.kind === 'internal')
      logger.error({ requestId, err: told.cause }, 'a stream of the ledger failed')
    const traceId = traceIdOf({ traceparent: traceParentOf(headers) })
    await socket.send([JSON.stringify(told.body(traceId))])
  }
  socket.close()
}

/** A `PlainError` is converted, because frames carry only errors in Canton's JSON format. */
function frameError(error: unknown): CantonError {
  const told = ledgerError(error)
  return told instanceof PlainError ? new CantonError('undecodableFrame', { why: told.message }) : told
}
