import { SpliceError } from '../../errors/splice.ts'
import type { PlainRoute } from './route.ts'

/** What the daemon publishes of its receipts. */
export interface ReceiptsPublished {
  /** The path of the directory of keys. */
  readonly directoryPath: string
  readonly directoryType: string
  /** Returns the directory as a JWK set. */
  readonly directory: () => object
  /** Returns the canonical JSON of the document with this digest. */
  readonly find: (digest: string) => string | undefined
}

/** How long callers may keep the directory: much shorter than a new key is listed before it signs. */
const directoryAge = 'public, max-age=3600'

const digestPattern = /^[\w-]{43}$/

export function receiptRoutes(published: ReceiptsPublished): readonly PlainRoute[] {
  return [
    {
      method: 'GET',
      path: published.directoryPath,
      id: 'receiptKeys',
      handler: () =>
        new Response(JSON.stringify(published.directory()), {
          headers: { 'content-type': published.directoryType, 'cache-control': directoryAge },
        }),
    },
    {
      method: 'GET',
      path: '/receipts/{digest}',
      id: 'receiptDocument',
      handler: (c) => {
        const digest = c.req.param('digest') ?? ''
        const text = digestPattern.test(digest) ? published.find(digest) : undefined
        if (text === undefined) throw new SpliceError('unknownReceiptDocument', { digest })
        // The path names the content, so it never changes.
        return new Response(text, {
          headers: {
            'content-type': 'application/json',
            'cache-control': 'public, max-age=86400, immutable',
            etag: `"${digest}"`,
          },
        })
      },
    },
  ]
}
