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

/** The request headers by which a caller limits the age of an answer. */
export const ageHeaders = z.object({
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
})

/** The security of an operation that needs a token. */
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

/** A 5xx of a read says how far the read came. */
export function failedRead(description: string) {
  const headers = { 'x-bft-error': errorHeader, 'x-bft-quorum': quorumHeader }
  return { ...errorResponse(description), headers }
}
