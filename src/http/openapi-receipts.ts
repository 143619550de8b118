import { type RouteConfig, z } from '@hono/zod-openapi'
import { errorResponse, json } from './openapi-parts.ts'

const digest = 'SHA-256 in base64url without padding.'

/**
 * The API description always lists these paths, but the daemon serves them only if `receipts.sign`
 * is `asked` or `always`.
 */
export const receiptPaths: readonly RouteConfig[] = [
  {
    method: 'get',
    path: '/.well-known/http-message-signatures-directory',
    summary: 'The keys that sign receipts, as a JWK set: former ones, the present one, and the next one.',
    operationId: 'receiptKeys',
    tags: ['daemon'],
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
  },
  {
    method: 'get',
    path: '/receipts/{digest}',
    summary: 'A document that receipts name by its digest: a roster, or who said what.',
    operationId: 'receiptDocument',
    tags: ['daemon'],
    request: { params: z.object({ digest: z.string().meta({ description: digest }) }) },
    responses: {
      200: { description: 'Canonical JSON with this digest.', content: json(z.object({}).loose()) },
      404: errorResponse(404, 'No receipt of this daemon names the document, or it was made too long ago.'),
    },
  },
]

export const receiptHeaders = {
  signature: {
    description: 'The receipt, if one was asked for: an Ed25519 signature over the answer (RFC 9421).',
    schema: { type: 'string' },
  },
  'signature-input': {
    description: 'What the signature covers, when it was made, its end, and the id of its key (RFC 9421).',
    schema: { type: 'string' },
  },
  'content-digest': {
    description: 'With a receipt: the digest of the bytes (RFC 9530).',
    schema: { type: 'string' },
  },
  'x-bft-receipt': {
    description:
      'With a receipt: when the quorum agreed, and the digests of the value, the roster, the trust and the votes (RFC 9651 dictionary).',
    schema: { type: 'string' },
  },
} as const
