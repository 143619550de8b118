import { type RouteConfig, z } from '@hono/zod-openapi'
import { cantonErrors, plainErrors } from '../errors/canton.ts'
import { camelCase, json, namedIn, operationName, refusalResponses, withToken } from './openapi-parts.ts'
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

export function describeLedgerRoute({
  method,
  path,
  id,
  summary,
  takes,
  gives,
  refusals,
}: LedgerRoute): RouteConfig {
  return {
    method: method.toLowerCase() as RouteConfig['method'],
    path,
    summary,
    operationId: operationName('', path, id),
    tags: ['ledger'],
    ...(refusals.includes('unauthorized') ? { security: withToken } : {}),
    request: {
      params: namedIn(path),
      ...(takes === undefined ? {} : { body: { content: json(takes) } }),
    },
    responses: {
      200: { description: 'Done.', ...(gives === undefined ? {} : { content: json(gives) }) },
      ...refusalResponses(refusals),
    },
  }
}

export function describeLedgerApiRoute(route: LedgerApiRoute): RouteConfig {
  const { method, path, id, summary, takes, gives, query, textQuery, refusals, plainRefusals } = route
  const canton = Map.groupBy(refusals, (kind) => cantonErrors[kind].status)
  const plain = Map.groupBy(plainRefusals, (kind) => plainErrors[kind].status)
  const statuses = new Set([...canton.keys(), ...plain.keys()])
  const refused = [...statuses].map((status) => {
    const ofCanton = canton.get(status) ?? []
    const ofServer = plain.get(status) ?? []
    const meanings = [
      ...ofCanton.map((kind) => cantonErrors[kind].meaning),
      ...ofServer.map((kind) => plainErrors[kind].meaning),
    ]
    const content = {
      ...(ofCanton.length > 0 ? json(cantonErrorBody) : {}),
      ...(ofServer.length > 0 ? { 'text/plain': { schema: z.string() } } : {}),
    }
    return [status, { description: [...new Set(meanings)].join(' '), content }]
  })
  return {
    method: method === 'GET' ? 'get' : 'post',
    path,
    summary,
    operationId: operationName('', path, id),
    tags: ['ledger-api'],
    ...(refusals.includes('unauthenticated') ? { security: withToken } : {}),
    request: {
      params: namedIn(path),
      query: z.object({
        ...Object.fromEntries(query.map((name) => [name, z.int().optional()])),
        ...Object.fromEntries(textQuery.map((name) => [name, z.string().optional()])),
      }),
      ...(takes === undefined ? {} : { body: { required: true, content: json(takes) } }),
    },
    responses: { 200: { description: 'Done.', content: json(gives) }, ...Object.fromEntries(refused) },
  }
}

export function describeDeprecated({ method, path, instead }: DeprecatedRoute): RouteConfig {
  const { status, meaning } = cantonErrors.deprecated
  const words = path.replace(/\{.*/, '').split(/\W+/)
  return {
    method: method === 'GET' ? 'get' : 'post',
    path,
    summary: `Refused, as by Canton 3.6. Use ${instead} instead.`,
    operationId: camelCase(['refuse', method.toLowerCase(), ...words]),
    tags: ['not-served'],
    deprecated: true,
    request: { params: namedIn(path) },
    responses: { [status]: { description: meaning, content: json(cantonErrorBody) } },
  }
}

export function describeLedgerApiStream({ path, id }: LedgerApiRoute): RouteConfig {
  const { status, meaning } = cantonErrors.unknownUser
  return {
    method: 'get',
    path,
    summary: `A WebSocket: the body of POST ${path} in the first frame, then each element, or an error, in a frame of its own.`,
    operationId: operationName('', path, `${id}Stream`),
    tags: ['ledger-api'],
    security: withToken,
    request: {
      headers: z.object({
        upgrade: z.literal('websocket'),
        'sec-websocket-protocol': z.string().optional().meta({
          description: '`jwt.token.<token>, daml.ws.auth`, where there is no Authorization header.',
        }),
      }),
    },
    responses: {
      101: { description: 'The connection is a WebSocket from now on.' },
      [status]: { description: meaning, content: json(cantonErrorBody) },
      404: { description: 'No WebSocket was asked for.', content: json(z.object({}).loose()) },
    },
  }
}
