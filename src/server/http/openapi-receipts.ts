import { type RouteConfig, z } from '@hono/zod-openapi'
import { errorResponse, operation, reply, textHeader } from './openapi-parts.ts'

/**
 * The API description always lists these paths, but the daemon serves them only if `receipts.sign`
 * is `asked` or `always`.
 */
export const receiptPaths: readonly RouteConfig[] = [
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

export const receiptHeaders = {
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
}
