import { type RouteConfig, z } from '@hono/zod-openapi'
import { cantonErrors, plainErrors } from '../../base/errors/canton.ts'
import { camelCase, json, operation, operationName, refusalResponses, reply } from './openapi-parts.ts'
import type { LedgerApiRoute } from './routes/ledger-api.ts'
import type { DeprecatedRoute } from './routes/ledger-deprecated.ts'
import type { LedgerRoute } from './routes/route.ts'

const cantonErrorBody = z.object({
  code: z.string(),
  cause: z.string(),
  correlationId: z.string().nullable(),
  traceId: z.string().nullable(),
  context: z.record(z.string(), z.string()),
  resources: z.array(z.array(z.string())),
  errorCategory: z.int(),
  grpcCodeValue: z.int().nullable(),
  retryInfo: z.string().nullable(),
  definiteAnswer: z.boolean().nullable(),
})

export function describeLedgerRoute({ id, takes, gives, refusals, ...route }: LedgerRoute): RouteConfig {
  return operation({
    method: route.method,
    path: route.path,
    summary: route.summary,
    id: operationName('', route.path, id),
    tag: 'ledger',
    needsToken: refusals.includes('unauthorized'),
    ...(takes && { request: { body: { content: json(takes) } } }),
    responses: { 200: reply('Done.', gives), ...refusalResponses(refusals) },
  })
}

export function describeLedgerApiRoute(route: LedgerApiRoute): RouteConfig {
  const { method, path, id, summary, takes, gives, query, textQuery, refusals, plainRefusals } = route
  const canton = Map.groupBy(refusals, (kind) => cantonErrors[kind].status)
  const plain = Map.groupBy(plainRefusals, (kind) => plainErrors[kind].status)
  const refused = [...new Set([...canton.keys(), ...plain.keys()])].map((status) => {
    const ofCanton = canton.get(status) ?? []
    const ofServer = plain.get(status) ?? []
    const meanings = [
      ...ofCanton.map((kind) => cantonErrors[kind].meaning),
      ...ofServer.map((kind) => plainErrors[kind].meaning),
    ]
    const content = {
      ...(ofCanton.length > 0 && json(cantonErrorBody)),
      ...(ofServer.length > 0 && { 'text/plain': { schema: z.string() } }),
    }
    return [status, { description: [...new Set(meanings)].join(' '), content }]
  })
  return operation({
    method,
    path,
    summary,
    id: operationName('', path, id),
    tag: 'ledger-api',
    needsToken: refusals.includes('unauthenticated'),
    request: {
      query: z.object({
        ...Object.fromEntries(query.map((name) => [name, z.int().optional()])),
        ...Object.fromEntries(textQuery.map((name) => [name, z.string().optional()])),
      }),
      ...(takes && { body: { required: true, content: json(takes) } }),
    },
    responses: { 200: reply('Done.', gives), ...Object.fromEntries(refused) },
  })
}

export function describeDeprecated({ method, path, instead }: DeprecatedRoute): RouteConfig {
  const { status, meaning } = cantonErrors.deprecated
  const words = path.replace(/\{.*/, '').split(/\W+/)
  return operation({
    method,
    path,
    summary: `Refused, as by Canton 3.6. Use ${instead} instead.`,
    id: camelCase(['refuse', method.toLowerCase(), ...words]),
    tag: 'not-served',
    deprecated: true,
    responses: { [status]: reply(meaning, cantonErrorBody) },
  })
}

export function describeLedgerApiStream({ path, id }: LedgerApiRoute): RouteConfig {
  const { status, meaning } = cantonErrors.unknownUser
  return operation({
    path,
    summary: `A WebSocket: the body of POST ${path} in the first frame, then each element, or an error, in a frame of its own.`,
    id: operationName('', path, `${id}Stream`),
    tag: 'ledger-api',
    needsToken: true,
    request: {
      headers: z.object({
        upgrade: z.literal('websocket'),
        'sec-websocket-protocol': z.string().optional().meta({
          description: '`jwt.token.<token>, daml.ws.auth`, where there is no Authorization header.',
        }),
      }),
    },
    responses: {
      101: reply('The connection is a WebSocket from now on.'),
      [status]: reply(meaning, cantonErrorBody),
      404: reply('No WebSocket was asked for.', z.object({}).loose()),
    },
  })
}
