import { z } from 'zod'
import { SpliceError, type SpliceErrorCode } from '../../../base/errors/splice.ts'
import { bearerIn } from '../../../base/lib/bearer.ts'
import { clientOf } from '../../../base/lib/client-address.ts'
import type { ChangeStreams, Listening } from '../../../mirror/change-streams.ts'
import type { Verifier } from '../../auth/verifier.ts'
import { requireToken } from '../middleware/token.ts'
import { requireKnown } from '../sent-query.ts'
import { streamHeaders } from '../stream-headers.ts'
import type { PlainRoute, RouteContext } from './route.ts'

export type MirrorChanges = Pick<ChangeStreams, 'listen'>

export interface ChangesDeps {
  readonly changes?: MirrorChanges | undefined
  readonly verifier: Verifier | undefined
}

export const changesDescription = {
  path: '/mirror/changes',
  id: 'mirrorChanges',
  summary: 'The names that were created, renewed, expired or withdrawn, as server-sent events.',
  query: z.object({
    after: z.string().optional().meta({
      description: 'The record time, or the id of an event, after which the changes begin. By default, now.',
      example: '2026-03-01T12:00:00Z',
    }),
  }),
  headers: z.object({
    'last-event-id': z.string().optional().meta({
      description: 'The id of the last event that the reader has. It comes before `after`.',
    }),
  }),
  refusals: [
    'malformedQueryParameter',
    'malformedHeader',
    'unauthorized',
    'verifierUnavailable',
    'noChangeFeed',
    'changesNotKept',
    'changesPaused',
    'tooManyListeners',
    'stopping',
  ] as const satisfies readonly SpliceErrorCode[],
}

const longestValue = 100
const retryAfter = 10

export function changesRoute({ changes, verifier }: ChangesDeps): PlainRoute {
  const { path, id } = changesDescription
  return {
    method: 'GET',
    path,
    id,
    async handler(c) {
      if (verifier !== undefined)
        await requireToken(verifier, bearerIn(c.req.header('authorization')), 'splice scan proxy realm')
      if (changes === undefined) throw new SpliceError('noChangeFeed')
      const stream = openStream(changes, c)
      const headers = streamHeaders('text/event-stream')
      if (c.req.method !== 'HEAD') return new Response(stream, { headers })
      await stream.cancel()
      return new Response(null, { headers })
    },
  }
}

function openStream(changes: MirrorChanges, c: RouteContext): ReadableStream<Uint8Array> {
  // If a misspelt `after` were ignored, the reader would miss earlier changes.
  requireKnown(c.req.queries(), ['after'], 'the feed of changes takes after')
  const lastEventId = c.req.header('last-event-id') || undefined
  const after = lastEventId ?? c.req.query('after')
  const listening = changes.listen(after, clientOf(c.env.incoming))
  if (listening.kind === 'stream') return listening.stream
  throw refusalOf(listening, {
    value: (after ?? '').slice(0, longestValue),
    isHeader: lastEventId !== undefined,
  })
}

function refusalOf(
  listening: Exclude<Listening, { readonly kind: 'stream' }>,
  { value, isHeader }: { readonly value: string; readonly isHeader: boolean },
): SpliceError {
  const malformed = (what: string) =>
    isHeader
      ? new SpliceError('malformedHeader', {
          name: 'last-event-id',
          value,
          what: `the id of an event, a ${what}`,
        })
      : new SpliceError('malformedQueryParameter', { name: 'after', value, what })
  switch (listening.kind) {
    case 'malformed':
      return malformed('record time')
    case 'future':
      return malformed(
        `record time: it is more than a day after ${listening.end}, as far as the feed has come`,
      )
    case 'not-kept':
      return new SpliceError('changesNotKept', { since: listening.since, after: value })
    case 'paused':
      return new SpliceError('changesPaused', { why: listening.why }, { retryAfter })
    case 'full':
      return new SpliceError('tooManyListeners', {}, { retryAfter })
    case 'closed':
      return new SpliceError('stopping', {}, { retryAfter })
  }
}
