import { receiptComponents } from '../../receipt-format/receipt-components.ts'
import type { Component } from '../../receipt-format/signature-base.ts'
import { contentDigestOf } from './content-digest.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'

/** The headers of a response that every receipt covers. */
export const coveredHeaders = [
  'content-digest',
  'content-type',
  'x-bft-receipt',
  'x-bft-quorum',
  'x-bft-agreed',
] as const

/**
 * Lists the components that the signature of a received response covers.
 * @param question the request to take the request's components from; the one in the receipt is not looked at.
 */
export async function receivedComponents(
  { response: { status, headers } }: SavedReceipt,
  { method, path, body }: ReceiptQuestion,
): Promise<readonly Component[]> {
  const end = path.includes('?') ? path.indexOf('?') : path.length
  const header = (name: (typeof coveredHeaders)[number]) => (headers[name] ?? '').trim()
  return receiptComponents(
    {
      method,
      path: path.slice(0, end),
      query: path.slice(end + 1),
      contentDigest: body === undefined ? undefined : await contentDigestOf(body),
    },
    {
      status,
      contentDigest: header('content-digest'),
      contentType: header('content-type'),
      receipt: header('x-bft-receipt'),
      quorum: header('x-bft-quorum'),
      agreed: header('x-bft-agreed'),
    },
  )
}
