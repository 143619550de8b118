import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { SpliceErrorCode } from '../../base/errors/splice.ts'
import { type Param, pathOf } from '../../core/reads/endpoint.ts'
import { longestList, maxPageSize, maxText } from '../../core/reads/param-text.ts'
import type { Read } from '../../core/reads/read.ts'
import { schemaOf } from '../../core/reads/schema.ts'
import { reads } from '../../core/reads/table.ts'
import {
  describeDeprecated,
  describeLedgerApiRoute,
  describeLedgerApiStream,
  describeLedgerRoute,
} from './openapi-ledger.ts'
import {
  bodyExample,
  camelCase,
  describeParam,
  errorCodeSchemas,
  errorResponse,
  exampleName,
  failedRead,
  json,
  operation,
  operationName,
  paramExample,
  quorumHeader,
  readHeaders,
  refusalResponses,
  reply,
  replyExamples,
  securitySchemes,
  textHeader,
  titled,
} from './openapi-parts.ts'
import { type AboutPath, aboutPaths } from './routes/about.ts'
import { changesDescription } from './routes/changes.ts'
import type { LedgerApiRoute } from './routes/ledger-api.ts'
import { deprecatedRoutes } from './routes/ledger-deprecated.ts'
import { type Mount, mounts } from './routes/mounts.ts'
import { type NodeSpecificRoute, nodeSpecificRoutes } from './routes/node-specific.ts'
import type { LedgerRoute } from './routes/route.ts'

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
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
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

const headers = {
  etag: textHeader('The digest of the bytes; strong.'),
  age: { description: 'Seconds since the quorum agreed.', schema: { type: 'integer' } },
  'cache-control': textHeader('RFC 9111.'),
  'x-bft-quorum': quorumHeader,
  'x-bft-agreed': textHeader('The agreeing super validators (RFC 9651 list).'),
  'cache-status': textHeader('RFC 9211.'),
  'x-bft-as-of': textHeader(
    'On answers of the mirror only: when the answer was true, and what is claimed of it (RFC 9651 date with parameters).',
  ),
  signature: textHeader(
    'The receipt, if one was asked for: an Ed25519 signature over the answer (RFC 9421).',
  ),
  'signature-input': textHeader(
    'What the signature covers, when it was made, its end, and the id of its key (RFC 9421).',
  ),
  'content-digest': textHeader('With a receipt: the digest of the bytes (RFC 9530).'),
  'x-bft-receipt': textHeader(
    'With a receipt: when the quorum agreed, and the digests of the value, the roster, the trust and the votes (RFC 9651 dictionary).',
  ),
} as const

const description = `Trusted reads of the Canton Network: one question to the scans of all super validators, one answer that a
quorum of them agrees on.

Each agreed answer has the headers \`x-bft-quorum\` (how many agreed, of how many, and how many had to) and
\`x-bft-agreed\` (who). Each error of this daemon has \`x-bft-error\` with its code; below
\`/v2\` errors have Canton's form instead. A path below \`/api/scan\` and one below \`/v0/scan-proxy\` with the same name are the same read, as Splice's Scan and Splice's scan proxy serve it.`

const tags = [
  {
    name: 'proxy',
    'x-displayName': 'Scan proxy',
    description: "What the scan proxy of Splice's validator serves.",
  },
  { name: 'scan', 'x-displayName': 'Scan API', description: 'The other reads of the public Scan API.' },
  { name: 'registry', 'x-displayName': 'Token registry', description: 'The token registry of the DSO.' },
  { name: 'ledger', 'x-displayName': 'Names and wallet', description: 'The name registry and the wallet.' },
  { name: 'ledger-api', 'x-displayName': 'JSON Ledger API', description: "Canton's JSON Ledger API." },
  { name: 'daemon', 'x-displayName': 'Daemon', description: 'About this daemon.' },
  {
    name: 'not-served',
    'x-displayName': 'Not served',
    description: 'Operations of Splice and Canton that this daemon refuses, and what to use instead.',
  },
]

export function openApiDocument(
  version: string,
  ledgerRoutes: readonly LedgerRoute[],
  ledgerApiRoutes: readonly LedgerApiRoute[],
  isProxyPrivate = false,
): OpenApiDocument {
  const app = new OpenAPIHono()
  const { openAPIRegistry: registry } = app
  for (const [name, scheme] of Object.entries(securitySchemes))
    registry.registerComponent('securitySchemes', name, scheme)
  for (const [name, schema] of Object.entries(errorCodeSchemas))
    registry.registerComponent('schemas', name, schema)
  for (const read of Object.values<Read>(reads))
    registry.registerComponent('schemas', replyName(read), replySchema(read))
  for (const [name, value] of Object.entries(replyExamples()))
    registry.registerComponent('examples', name, { value })
  const routes = [
    ...mounts.map((mount) => describe(mount, isProxyPrivate)),
    ...nodeSpecificRoutes.map(describeNodeSpecific),
    ...ledgerRoutes.map(describeLedgerRoute),
    ...ledgerApiRoutes.map(describeLedgerApiRoute),
    ...deprecatedRoutes.map(describeDeprecated),
    ...ledgerApiRoutes.filter(({ isStream }) => isStream).map(describeLedgerApiStream),
    describeChanges(isProxyPrivate),
    ...aboutPaths.map(describeAbout),
    ...receiptPaths,
    itself,
    forPeople,
  ]
  for (const route of titled(routes)) registry.registerPath(route)
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'bft-scan-proxy', version, description, license },
    servers: [{ url: './', description: 'The daemon that serves this description.' }],
    tags,
  })
  return document as unknown as OpenApiDocument
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const itself = operation({
  path: '/openapi.json',
  summary: 'This description.',
  id: 'apiDescription',
  tag: 'daemon',
  responses: { 200: reply('OpenAPI 3.1.', z.object({}).loose()) },
})

const forPeople = operation({
  path: '/docs',
  summary: 'The same for people.',
  id: 'apiReference',
  tag: 'daemon',
  responses: { 200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } } },
})

/**
 * The API description always lists these paths, but the daemon serves them only if `receipts.sign`
 * is `asked` or `always`.
 */
const receiptPaths: readonly RouteConfig[] = [
  operation({
    path: '/.well-known/http-message-signatures-directory',
    summary: 'The keys that sign receipts, as a JWK set: former ones, the present one, and the next one.',
    id: 'receiptKeys',
    tag: 'daemon',
    responses: {
      200: {
        description: 'The keys.',
        content: {
          'application/http-message-signatures-directory+json': {
            schema: z.object({ keys: z.array(z.object({}).loose()) }),
          },
        },
      },
    },
  }),
  operation({
    path: '/receipts/{digest}',
    summary: 'A document that receipts name by its digest: a roster, or who said what.',
    id: 'receiptDocument',
    tag: 'daemon',
    request: {
      params: z.object({ digest: z.string().meta({ description: 'SHA-256 in base64url without padding.' }) }),
    },
    responses: {
      200: reply('Canonical JSON with this digest.', z.object({}).loose()),
      404: errorResponse(404, 'No receipt of this daemon names the document, or it was made too long ago.'),
    },
  }),
]

function describe({ read, surface, method, template }: Mount, isProxyPrivate: boolean): RouteConfig {
  const body = bodyOf(read, method)
  const otherForm =
    method === read.method
      ? ''
      : ` The Scan API has it by ${read.method} \`${pathOf(read)}\`, in its own form.`
  const isAtRoot = template === read.scanPath && read.alsoWithoutPrefix
  return operation({
    method,
    path: template,
    summary: `${read.summary}${otherForm}`,
    id: operationName(isAtRoot ? 'root' : '', template, read.id),
    tag: template.includes('/registry/') ? 'registry' : surface,
    needsToken: surface === 'proxy' && isProxyPrivate,
    request: {
      params: paramsOf(read, 'path'),
      query: paramsOf(read, 'query'),
      headers: readHeaders,
      ...(body && { body }),
    },
    responses: {
      200: { description: 'What a quorum agrees on.', headers, content: replyOf(read, surface) },
      ...(method === 'GET' && { 304: { description: 'The caller has it already.', headers } }),
      ...refusals(method, surface),
    },
  })
}

function replyOf(read: Read, surface: Mount['surface']) {
  const examples = { sample: { $ref: `#/components/examples/${exampleName(read, surface)}` } }
  const schema =
    surface === 'proxy' && read.proxy?.serve !== undefined
      ? z.object({}).loose()
      : { $ref: `#/components/schemas/${replyName(read)}` }
  return { 'application/json': { schema, examples } }
}

function replyName({ id }: Read): string {
  return `${id}Reply`
}

/** The schema has only the fields that must be equal in the replies of the scans. */
function replySchema({ reply }: Read) {
  const { $schema: _, ...schema } = z.toJSONSchema(schemaOf(reply), { io: 'input', unrepresentable: 'any' })
  return schema as { type?: 'object' }
}

function refusals(method: Mount['method'], surface: Mount['surface']) {
  return {
    400: errorResponse(400, 'A bad parameter, header or body, or what a quorum refuses.'),
    ...(surface === 'proxy' && {
      401: errorResponse(401, 'A token is required here, and there is none that is valid.'),
    }),
    404: errorResponse(404, 'A quorum agrees that there is nothing, or a required parameter is missing.'),
    ...(method === 'POST' && {
      413: errorResponse(413, 'The body is too large.'),
      415: errorResponse(415, 'The body is not JSON in UTF-8, or is compressed.'),
    }),
    429: errorResponse(429, 'This address used up its budget of cache misses; see retry-after.'),
    502: failedRead(
      502,
      'No group of equal replies reached the threshold, or none is as new as the caller wants.',
    ),
    503: failedRead(503, 'No roster of super validators yet, or too much to do; see retry-after.'),
  }
}

function describeNodeSpecific({ method, template, id, why, instead }: NodeSpecificRoute): RouteConfig {
  return operation({
    method,
    path: template,
    summary: 'Not served: no quorum can agree on it.',
    id: operationName('', template, id),
    tag: 'not-served',
    responses: { 501: errorResponse(501, `${why} ${instead}`) },
  })
}

function describeAbout({ path, summary, replies }: AboutPath): RouteConfig {
  const responses = Object.entries(replies).map(
    ([status, { description, schema }]) => [status, reply(description, schema)] as const,
  )
  return operation({
    path,
    summary,
    id: camelCase(path.slice(1).split(/\W+/)),
    tag: 'daemon',
    responses: Object.fromEntries(responses),
  })
}

function paramsOf({ id, params }: Read, place: Param['in']) {
  const shape = params
    .filter((param) => param.in === place)
    .map((param) => {
      const { name, required } = param
      const description = describeParam(param)
      const described = paramSchemaOf(param).meta({
        description,
        param: { example: paramExample(id, param) },
      })
      return [name, required ? described : described.optional()] as const
    })
  return z.object(Object.fromEntries(shape))
}

function bodyOf({ id, body, cachedContract, cachedContracts }: Read, method: Mount['method']) {
  if (method === 'GET') return undefined
  if (body !== undefined) {
    const { 'application/json': described } = json(schemaOf(body))
    return { required: true, content: { 'application/json': { ...described, example: bodyExample(id) } } }
  }
  if (cachedContracts !== undefined) {
    const lists = cachedContracts.fields.map((name) => [name, z.array(z.string()).max(longestList)] as const)
    return { required: true, content: json(z.object(Object.fromEntries(lists))) }
  }
  if (cachedContract === undefined) return undefined
  const members = cachedContract.fields.map((name) => [name, z.string().optional()] as const)
  return { required: true, content: json(z.object(Object.fromEntries(members))) }
}

/** OpenAPI cannot describe the events of the feed; docs/mirror.md#feed-of-changes does. */
function describeChanges(isPrivate: boolean): RouteConfig {
  const { path, id, summary, query, headers, refusals } = changesDescription
  const ofTokens: readonly SpliceErrorCode[] = ['unauthorized', 'verifierUnavailable']
  const description = 'Events: created, renewed, expired, withdrawn, reached, interrupted.'
  return operation({
    path,
    summary,
    id,
    tag: 'daemon',
    needsToken: isPrivate,
    request: { query, headers },
    responses: {
      200: { description, content: { 'text/event-stream': { schema: z.string() } } },
      ...refusalResponses(refusals.filter((code) => isPrivate || !ofTokens.includes(code))),
    },
  })
}

function paramSchemaOf({ kind, oneOf }: Param): z.ZodType {
  switch (kind) {
    case 'party':
      return z.string()
    case 'text':
    case 'page token':
      return oneOf === undefined ? z.string().max(maxText) : z.enum(oneOf)
    case 'integer':
      return z.int()
    case 'instant':
      return z.iso.datetime({ offset: true })
    case 'page size':
      return z.int().min(1).max(maxPageSize)
  }
}
