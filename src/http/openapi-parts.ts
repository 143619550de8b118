import { z } from '@hono/zod-openapi'

const errorBody = z.object({ error: z.string() })

const errorHeader = {
  description: 'The code of the error, if the daemon reports it. Absent if a quorum refuses.',
  schema: { type: 'string' },
} as const

export const quorumHeader = {
  description: 'Who stood behind the answer, or how far the read came (RFC 9651 dictionary).',
  schema: { type: 'string' },
} as const

/** The request headers of a read: those that limit the age of the answer, and the one that asks for a receipt. */
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

export function errorResponse(description: string) {
  return { description, headers: { 'x-bft-error': errorHeader }, content: json(errorBody) }
}

/** Describes a 5xx of a read. Its header `x-bft-quorum` tells how close the read came to a quorum. */
export function failedRead(description: string) {
  const headers = { 'x-bft-error': errorHeader, 'x-bft-quorum': quorumHeader }
  return { ...errorResponse(description), headers }
}

const prefixes: readonly (readonly [path: RegExp, word: string])[] = [
  [/^\/api\/validator\/v\d\/scan-proxy\//, 'validatorProxy'],
  [/^\/v\d\/scan-proxy\//, 'proxy'],
  [/^\/api\/validator\//, 'validator'],
]

/**
 * Returns the operation id of a path, for generated clients. Several paths serve the same operation; the word of the
 * path's beginning tells them apart: `proxyGetDsoInfo`.
 * @param word for a path that no beginning tells apart; empty if none is needed.
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
