import { SpliceError } from '../../errors/splice.ts'
import type { PlainRoute } from './route.ts'

export interface ReceiptsPublished {
  readonly directoryPath: string
  readonly directoryType: string
  readonly directory: () => object
  readonly find: (digest: string) => string | undefined
}

/**
 * Caches may keep the list of keys for an hour: a new key is in the list for much longer before the
 * daemon signs with it.
 */
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
        // The path contains the digest of the content, so the content never changes.
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
