import { type RouteConfig, z } from '@hono/zod-openapi'
import { type SpliceErrorCode, spliceErrors } from '../../base/errors/splice.ts'
import type { Json } from '../../base/lib/canonical-json.ts'
import type { Param } from '../../core/reads/endpoint.ts'
import type { PlainParam } from '../../core/reads/param-text.ts'
import type { Read } from '../../core/reads/read.ts'
import { bodyParam } from '../../core/reads/request.ts'
import { reads } from '../../core/reads/table.ts'
import { examples } from './examples.ts'
import type { Surface } from './projection.ts'

const errorBody = z.object({ error: z.string() })

interface DescribedOperation extends Pick<RouteConfig, 'path' | 'request' | 'responses'> {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly deprecated?: boolean
  readonly needsToken?: boolean
}

/** Describes one method, `GET` by default, of one path. */
export function operation(described: DescribedOperation): RouteConfig {
  const { method = 'GET', path, id, tag, needsToken = false, request, ...rest } = described
  return {
    ...rest,
    method: method.toLowerCase() as RouteConfig['method'],
    path,
    operationId: id,
    tags: [tag],
    ...(needsToken && { security: [{ bearer: [] }] }),
    request: { params: namedIn(path), ...request },
  }
}

export const errorCodeSchemas = Object.fromEntries(
  [...Map.groupBy(Object.entries(spliceErrors), ([, { status }]) => status)].map(([status, rows]) => [
    errorCodeName(status),
    { type: 'string', enum: rows.map(([code]) => code) } as const,
  ]),
)

function errorCodeName(status: number): string {
  return `errorCode${status}`
}

function errorHeader(status: number) {
  return {
    description: 'The code of the error, if the daemon reports it. Absent if a quorum refuses.',
    schema: { $ref: `#/components/schemas/${errorCodeName(status)}` },
  }
}

export function textHeader(description: string) {
  return { description, schema: { type: 'string' } } as const
}

export const quorumHeader = textHeader(
  'Who stood behind the answer, or how far the read came (RFC 9651 dictionary).',
)

/** These have no examples, because the reference would put an example into each snippet. */
export const readHeaders = z.object({
  'x-bft-live': z
    .enum(['?0', '?1'])
    .optional()
    .meta({ description: '`?1` wants a live read, past mirror and cache (RFC 9651 boolean).' }),
  'x-bft-not-before': z
    .string()
    .regex(/^@-?\d{1,15}$/)
    .optional()
    .meta({
      description:
        'Wants nothing older than this time, in seconds since 1970, such as `@1767225600` (RFC 9651 date).',
    }),
  'accept-signature': z.string().optional().meta({
    description: 'Asks for a receipt: `receipt=();tag="bft-scan-receipt"` (RFC 9421, 5).',
  }),
})

export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token of the configured issuer (`auth.jwksUrl`); on a localnet also one of `bft-scan-proxy token`.',
  },
} as const

export function json(schema: z.ZodType) {
  return { 'application/json': { schema } }
}

export function reply(description: string, schema?: z.ZodType) {
  return { description, ...(schema !== undefined && { content: json(schema) }) }
}

function namedIn(template: string) {
  const names = [...template.matchAll(/\{([\w-]+)\}/g)].map(
    ([, name]) => [name as string, z.string()] as const,
  )
  return z.object(Object.fromEntries(names))
}

export function errorResponse(status: number, description: string) {
  return { description, headers: { 'x-bft-error': errorHeader(status) }, content: json(errorBody) }
}

export function refusalResponses(codes: readonly SpliceErrorCode[]) {
  const statuses = Map.groupBy(codes, (code) => spliceErrors[code].status)
  return Object.fromEntries(
    [...statuses].map(([status, alike]) => [
      status,
      errorResponse(status, alike.map((code) => spliceErrors[code].meaning).join(' ')),
    ]),
  )
}

export function failedRead(status: number, description: string) {
  const headers = { 'x-bft-error': errorHeader(status), 'x-bft-quorum': quorumHeader }
  return { ...errorResponse(status, description), headers }
}

const prefixes: readonly (readonly [path: RegExp, word: string])[] = [
  [/^\/api\/validator\/v\d\/scan-proxy\//, 'validatorProxy'],
  [/^\/v\d\/scan-proxy\//, 'proxy'],
  [/^\/api\/validator\//, 'validator'],
]

/**
 * Several paths can serve the same read, so the id begins with a word for the path's prefix, as in
 * `proxyGetDsoInfo`.
 * @param word the word for a path that matches none of `prefixes`; may be empty.
 */
export function operationName(word: string, path: string, id: string): string {
  const prefix = prefixes.find(([beginning]) => beginning.test(path))?.[1] ?? word
  return camelCase([prefix, id])
}

export function camelCase(words: readonly string[]): string {
  return words
    .filter((word) => word !== '')
    .map((word, at) => `${at === 0 ? word.slice(0, 1) : word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('')
}

/**
 * Prepares operations for readers. Each gets a short title, made of its id, and its sentence becomes
 * the description. Of the paths that serve the same, the reference shows one, whose description names
 * the others.
 */
export function titled(routes: readonly RouteConfig[]): readonly RouteConfig[] {
  const alike = Map.groupBy(routes, sameRead)
  return routes.map((route) => {
    const group = alike.get(sameRead(route)) ?? []
    const [shown = route, ...aliases] = group.toSorted((a, b) => rankOf(a.path) - rankOf(b.path))
    const others = aliases.map(({ path }) => `\`${path}\``).join(', ')
    return {
      ...route,
      summary: titleOf(group[0]?.operationId ?? ''),
      description: `${route.summary}${others === '' || route !== shown ? '' : ` Also at ${others}.`}`,
      ...(route === shown ? {} : { 'x-scalar-ignore': true }),
    }
  })
}

function sameRead({ method, path, tags: [tag = ''] = [] }: RouteConfig): string {
  const bare = path
    .replace(/^\/api\/\w+(?=\/)/, '')
    .replace(/\/v0\/scan-proxy(?=\/registry\/)|\/scan-proxy/, '')
  return `${tag === 'proxy' ? 'scan' : tag} ${method} ${bare}`
}

function rankOf(path: string): number {
  if (/^\/v\d\/scan-proxy\/(?!registry)/.test(path)) return 0
  return path.startsWith('/api/') ? 2 : 1
}

/** Makes `Look up ANS entry by name` of `lookupAnsEntryByName`. */
function titleOf(operationId: string): string {
  const words = operationId
    .replace(/^(?:proxy|apiScan)?(?:[gG]et|post|refuse(?:Get|Post)V2)?(?=[A-Z])/, '')
    .replace(/At(?=V\d|$)/, '')
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .map((word) => (abbreviations.has(word) ? word.toUpperCase() : word.replace('lookup', 'look up')))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const abbreviations = new Set(['acs', 'ans', 'api', 'bft', 'cid', 'dso', 'id', 'lsu', 'sv'])

interface Example {
  readonly params: Readonly<Record<string, string>>
  readonly reply: Json
}

export function exampleName({ id, proxy }: Read, surface: Surface): string {
  return surface === 'proxy' && proxy?.serve !== undefined ? `${id}Proxied` : id
}

export function replyExamples(): Readonly<Record<string, unknown>> {
  const named = Object.values<Read>(reads).flatMap((read) => {
    const { reply } = exampleOf(read.id)
    const serve = read.proxy?.serve
    const proxied = serve === undefined ? [] : [[exampleName(read, 'proxy'), plain(serve(reply))] as const]
    return [[exampleName(read, 'scan'), reply] as const, ...proxied]
  })
  return Object.fromEntries(named)
}

export function paramExample(id: string, { name, list, kind }: Param): unknown {
  const text = exampleOf(id).params[name]
  if (text === undefined) return undefined
  if (list === true) return JSON.parse(text)
  return kind === 'integer' || kind === 'page size' ? Number(text) : text
}

export function bodyExample(id: string): unknown {
  return JSON.parse(exampleOf(id).params[bodyParam] ?? '{}')
}

function exampleOf(id: string): Example {
  return JSON.parse(textOf.get(id) ?? '')
}

const textOf: ReadonlyMap<string, string> = new Map(
  examples
    .trim()
    .split('\n')
    .map((line) => line.split(/ (.*)/s) as [string, string]),
)

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const paramDescriptions: Readonly<Record<string, string>> = {
  after: 'The snapshot is later than this.',
  allocationId: 'A contract id.',
  allocationInstructionId: 'A contract id.',
  batch_hash: 'The hash of the part, in hex.',
  before: 'The snapshot is not later than this.',
  contract_id: 'A contract id.',
  daml_value_encoding: 'How Daml values are printed.',
  domain_id: 'The id of the synchronizer.',
  hash: 'The hash of the prepared transaction.',
  instrumentId: "The token's id.",
  limit: 'The most licenses to answer; 1000 where it is left out.',
  migration_id: 'The migration whose snapshots are meant.',
  name: 'The name, as registered; percent-encoded.',
  name_prefix: 'Only names that start with this text, case-sensitive.',
  nonce: 'The nonce of the command.',
  pageSize: 'The most tokens to answer; 25 where it is left out.',
  pageToken: 'The `nextPageToken` of the page before.',
  page_size: 'The most entries to answer.',
  party: 'A party id: `identifier::fingerprint`.',
  party_id: "The party's id.",
  provider_party_id: "A provider's party id.",
  round: 'The number of the round.',
  round_number: 'The number of the round.',
  sender: "The sender's party id.",
  transferInstructionId: 'A contract id.',
  update_id: "The update's id.",
  validator_ids: "The validators' party ids, one each time the parameter is given.",
  vote_request_contract_id: "The request's contract id.",
}

/** Says for people what a parameter is. */
export function describeParam({ name, kind }: PlainParam): string | undefined {
  return kind === 'page token'
    ? 'Not taken: page tokens mean something to one scan only.'
    : paramDescriptions[name]
}
