import { type RouteConfig, z } from '@hono/zod-openapi'
import type { SpliceErrorCode } from '../errors/splice.ts'
import { refusalResponses, withToken } from './openapi-parts.ts'
import { changesDescription } from './routes/changes.ts'

/** OpenAPI cannot describe the events of the feed; docs/mirror.md#feed-of-changes does. */
export function describeChanges(isPrivate: boolean): RouteConfig {
  const { path, id, summary, query, headers, refusals } = changesDescription
  const ofTokens: readonly SpliceErrorCode[] = ['unauthorized', 'verifierUnavailable']
  const refused = refusals.filter((code) => isPrivate || !ofTokens.includes(code))
  return {
    method: 'get',
    path,
    summary,
    operationId: id,
    tags: ['daemon'],
    ...(isPrivate ? { security: withToken } : {}),
    request: { query, headers },
    responses: {
      200: {
        description: 'Events: created, renewed, expired, withdrawn, reached, interrupted.',
        content: { 'text/event-stream': { schema: z.string() } },
      },
      ...refusalResponses(refused),
    },
  }
}
