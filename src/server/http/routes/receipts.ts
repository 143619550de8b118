import { SpliceError } from '../../../base/errors/splice.ts'
import type { Clock } from '../../../base/lib/clock.ts'
import { directoryPath, directoryType, keyDirectory } from '../../../receipts/key-directory.ts'
import type { ReceiptDesk } from '../../../receipts/receipt-desk.ts'
import type { PlainRoute } from './route.ts'

/**
 * Caches may keep the list of keys for an hour: a new key is in the list for much longer before the
 * daemon signs with it.
 */
const directoryAge = 'public, max-age=3600'

const digestPattern = /^[\w-]{43}$/

export function receiptRoutes(
  desk: Pick<ReceiptDesk, 'listedKeys' | 'document'>,
  clock: Pick<Clock, 'wall'>,
): readonly PlainRoute[] {
  return [
    {
      method: 'GET',
      path: directoryPath,
      id: 'receiptKeys',
      handler: () =>
        new Response(JSON.stringify(keyDirectory(desk.listedKeys(clock.wall()))), {
          headers: { 'content-type': directoryType, 'cache-control': directoryAge },
        }),
    },
    {
      method: 'GET',
      path: '/receipts/{digest}',
      id: 'receiptDocument',
      handler: (c) => {
        const digest = c.req.param('digest') ?? ''
        const text = digestPattern.test(digest) ? desk.document(digest) : undefined
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
