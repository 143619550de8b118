import { z } from '@hono/zod-openapi'
import { type SpliceErrorCode, spliceErrors } from '../errors/splice.ts'

const errorBody = z.object({ error: z.string() })

/**
 * The OpenAPI schemas of the error codes in the header `x-bft-error`, by component name. Each HTTP status has
 * its own schema.
 */
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

export const quorumHeader = {
  description: 'Who stood behind the answer, or how far the read came (RFC 9651 dictionary).',
  schema: { type: 'string' },
} as const

/**
 * The request headers of a read: two that limit the age of the answer, and `accept-signature`, which asks for
 * a receipt.
 */
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
      description: 'Wants nothing older than this time, in seconds since 1970 (RFC 9651 date).',
      example: '@1767225600',
    }),
  'accept-signature': z.string().optional().meta({
    description:
      'Asks for a receipt by the tag `bft-scan-receipt`, and for a proof from the signed set of names by the tag `bft-scan-set` (RFC 9421, 5).',
    example: 'receipt=();tag="bft-scan-receipt"',
  }),
})

/** The security requirement, in OpenAPI, of an operation that needs a token. */
export const withToken = [{ bearer: [] }]

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

export function namedIn(template: string) {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name as string, z.string()] as const)
  return z.object(Object.fromEntries(names))
}

export function errorResponse(status: number, description: string) {
  return { description, headers: { 'x-bft-error': errorHeader(status) }, content: json(errorBody) }
}

/**
 * Describes the error responses with these codes, by HTTP status. Codes with the same status share one
 * response.
 */
export function refusalResponses(codes: readonly SpliceErrorCode[]) {
  const statuses = Map.groupBy(codes, (code) => spliceErrors[code].status)
  return Object.fromEntries(
    [...statuses].map(([status, alike]) => [
      status,
      errorResponse(status, alike.map((code) => spliceErrors[code].meaning).join(' ')),
    ]),
  )
}

/**
 * Describes a 5xx response of a read. Its header `x-bft-quorum` shows how close the read came to a quorum.
 */
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
 * Returns the operation id for a path. Several paths can serve the same read, so the id begins with a word
 * for the prefix of the path, as in `proxyGetDsoInfo`.
 * @param word the word for a path that no pattern in `prefixes` matches. Empty if the id needs no word.
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
