import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { cantonErrors, plainErrors } from '../errors/canton.ts'
import { spliceErrors } from '../errors/splice.ts'
import type { Param, Read } from '../reads/read.ts'
import { reads } from '../reads/table.ts'
import { type AboutPath, aboutPaths } from './routes/about.ts'
import type { LedgerApiRoute } from './routes/ledger-api.ts'
import { type Mount, mounts } from './routes/mounts.ts'
import { type NodeSpecificRoute, nodeSpecificRoutes } from './routes/node-specific.ts'
import type { LedgerRoute } from './routes/route.ts'

const errorBody = z.object({ error: z.string() })
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
const headers = {
  etag: { description: 'The digest of the bytes; strong.', schema: { type: 'string' } },
  age: { description: 'Seconds since the quorum agreed.', schema: { type: 'integer' } },
  'cache-control': { description: 'RFC 9111.', schema: { type: 'string' } },
  'x-bft-quorum': {
    description: 'Who stood behind the answer (RFC 9651 dictionary).',
    schema: { type: 'string' },
  },
  'x-bft-agreed': {
    description: 'The agreeing super validators (RFC 9651 list).',
    schema: { type: 'string' },
  },
  'cache-status': { description: 'RFC 9211.', schema: { type: 'string' } },
} as const

/** The part of an OpenAPI 3.1 document that this project reads. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  /** The operations, by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
  }[]
  readonly requestBody?: object
  /** The responses, by status. */
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

/** Describes the whole API: every mounted read, the operations on the ledger, and the daemon's own endpoints. */
export function openApiDocument(
  version: string,
  ledgerRoutes: readonly LedgerRoute[],
  ledgerApiRoutes: readonly LedgerApiRoute[],
): OpenApiDocument {
  const app = new OpenAPIHono()
  for (const read of Object.values<Read>(reads))
    app.openAPIRegistry.registerComponent('schemas', replyName(read), replySchema(read))
  for (const mount of mounts) app.openAPIRegistry.registerPath(describe(mount))
  for (const route of nodeSpecificRoutes) app.openAPIRegistry.registerPath(describeNodeSpecific(route))
  for (const route of ledgerRoutes) app.openAPIRegistry.registerPath(describeLedgerRoute(route))
  for (const route of ledgerApiRoutes) app.openAPIRegistry.registerPath(describeLedgerApiRoute(route))
  for (const route of ledgerApiRoutes)
    if (route.isStream) app.openAPIRegistry.registerPath(describeLedgerApiStream(route))
  for (const about of aboutPaths) app.openAPIRegistry.registerPath(describeAbout(about))
  app.openAPIRegistry.registerPath(itself)
  app.openAPIRegistry.registerPath(forPeople)
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'bft-scan-proxy', version, description: 'Trusted reads of the Canton Network.' },
  })
  return document as unknown as OpenApiDocument
}

const itself: RouteConfig = {
  method: 'get',
  path: '/openapi.json',
  summary: 'This description.',
  operationId: 'openapi',
  tags: ['daemon'],
  responses: { 200: { description: 'OpenAPI 3.1.', content: json(z.object({}).loose()) } },
}

const forPeople: RouteConfig = {
  method: 'get',
  path: '/docs',
  summary: 'The same for people.',
  operationId: 'docs',
  tags: ['daemon'],
  responses: { 200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } } },
}

function describe({ read, surface, method, template }: Mount): RouteConfig {
  const body = bodyOf(read, method)
  return {
    method: method === 'GET' ? 'get' : 'post',
    path: template,
    summary: read.summary,
    operationId: `${read.id}${template.replace(/\W+/g, '_')}`,
    tags: [surface],
    request: {
      params: paramsOf(read, 'path'),
      query: paramsOf(read, 'query'),
      ...(body === undefined ? {} : { body }),
    },
    responses: {
      200: {
        description: 'What a quorum agrees on.',
        headers,
        content: replyOf(read, surface),
      },
      ...(method === 'GET' ? { 304: { description: 'The caller has it already.', headers } } : {}),
      ...refusals(read, method, surface),
    },
  }
}

/** Describes any JSON object on the proxy's paths if the row has its own form there. */
function replyOf(read: Read, surface: Mount['surface']) {
  if (surface === 'proxy' && read.proxy?.serve !== undefined) return json(z.object({}).loose())
  return { 'application/json': { schema: { $ref: `#/components/schemas/${replyName(read)}` } } }
}

function replyName({ id }: Read): string {
  return `${id}Reply`
}

/** Describes the fields that scans vote on. A contract's Daml payload is any JSON here. */
function replySchema({ reply }: Read) {
  const { $schema: _, ...schema } = z.toJSONSchema(reply, { io: 'input', unrepresentable: 'any' })
  return schema as { type?: 'object' }
}

function refusals({ params }: Read, method: Mount['method'], surface: Mount['surface']) {
  const takes = params.length > 0 || method === 'POST'
  const body = method === 'POST'
  return {
    ...(takes ? { 400: errorResponse('A bad parameter or body, or what a quorum refuses.') } : {}),
    ...(surface === 'proxy'
      ? { 401: errorResponse('A token is required here, and there is none that is valid.') }
      : {}),
    404: errorResponse('A quorum agrees that there is nothing, or a required parameter is missing.'),
    ...(body
      ? { 413: errorResponse('The body is too large.'), 415: errorResponse('The body is no JSON.') }
      : {}),
    429: errorResponse('This address used up its budget of cache misses; see retry-after.'),
    502: errorResponse('No group of equal replies reached the threshold.'),
    503: errorResponse('No roster of super validators yet, or too much to do; see retry-after.'),
  }
}

function describeNodeSpecific({ method, template, id, why, instead }: NodeSpecificRoute): RouteConfig {
  return {
    method: method === 'GET' ? 'get' : 'post',
    path: template,
    summary: 'Not served: no quorum can agree on it.',
    operationId: `${id}${template.replace(/\W+/g, '_')}`,
    tags: ['scan'],
    request: { params: namedIn(template) },
    responses: { 501: errorResponse(`${why} ${instead}`) },
  }
}

function namedIn(template: string) {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name as string, z.string()] as const)
  return z.object(Object.fromEntries(names))
}

function describeLedgerRoute({
  method,
  path,
  id,
  summary,
  takes,
  gives,
  refusals,
}: LedgerRoute): RouteConfig {
  const statuses = Map.groupBy(refusals, (code) => spliceErrors[code].status)
  return {
    method: method.toLowerCase() as RouteConfig['method'],
    path,
    summary,
    operationId: `${id}${path.replace(/\W+/g, '_')}`,
    tags: ['ledger'],
    request: {
      params: namedIn(path),
      ...(takes === undefined ? {} : { body: { content: json(takes) } }),
    },
    responses: {
      200: { description: 'Done.', ...(gives === undefined ? {} : { content: json(gives) }) },
      ...Object.fromEntries(
        [...statuses].map(([status, codes]) => [
          status,
          errorResponse(codes.map((code) => spliceErrors[code].meaning).join(' ')),
        ]),
      ),
    },
  }
}

function describeLedgerApiRoute(route: LedgerApiRoute): RouteConfig {
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
    operationId: `${id}${path.replace(/\W+/g, '_')}`,
    tags: ['ledger-api'],
    request: {
      query: z.object({
        ...Object.fromEntries(query.map((name) => [name, z.int().optional()])),
        ...Object.fromEntries(textQuery.map((name) => [name, z.string().optional()])),
      }),
      ...(takes === undefined ? {} : { body: { required: true, content: json(takes) } }),
    },
    responses: { 200: { description: 'Done.', content: json(gives) }, ...Object.fromEntries(refused) },
  }
}

/** Describes how to open a WebSocket, because OpenAPI cannot describe its messages. */
function describeLedgerApiStream({ path, id }: LedgerApiRoute): RouteConfig {
  const { status, meaning } = cantonErrors.unknownUser
  return {
    method: 'get',
    path,
    summary: `A WebSocket: the body of POST ${path} in the first frame, then each element, or an error, in a frame of its own.`,
    operationId: `${id}Stream${path.replace(/\W+/g, '_')}`,
    tags: ['ledger-api'],
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

function describeAbout({ path, summary, replies }: AboutPath): RouteConfig {
  return {
    method: 'get',
    path,
    summary,
    operationId: path.slice(1).replace(/\W+/g, '_'),
    tags: ['daemon'],
    responses: Object.fromEntries(
      Object.entries(replies).map(([status, { description, schema }]) => [
        status,
        schema === undefined ? { description } : { description, content: json(schema) },
      ]),
    ),
  }
}

function json(schema: z.ZodType) {
  return { 'application/json': { schema } }
}

function paramsOf({ params }: Read, place: Param['in']) {
  const shape = params
    .filter((param) => param.in === place)
    .map(({ name, schema, required, description }) => {
      const described = schema.meta({ description })
      return [name, required ? described : described.optional()] as const
    })
  return z.object(Object.fromEntries(shape))
}

function bodyOf({ body, cachedContract, cachedContracts }: Read, method: Mount['method']) {
  if (method === 'GET') return undefined
  if (body !== undefined) return { required: true, content: json(body.schema) }
  if (cachedContracts !== undefined) {
    const lists = cachedContracts.fields.map((name) => [name, z.array(z.string())] as const)
    return { required: true, content: json(z.object(Object.fromEntries(lists))) }
  }
  if (cachedContract === undefined) return undefined
  const members = [cachedContract.field, ...cachedContract.alsoAllowed].map(
    (name) => [name, z.string().optional()] as const,
  )
  return { required: true, content: json(z.object(Object.fromEntries(members))) }
}

function errorResponse(description: string) {
  return { description, content: json(errorBody) }
}
