import { contentDigestOf } from './content-digest.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'
import type { Component } from './signature-base.ts'

/** The headers of a response that every receipt covers. */
export const coveredHeaders = [
  'content-digest',
  'content-type',
  'x-bft-receipt',
  'x-bft-quorum',
  'x-bft-agreed',
] as const

/**
 * Lists exactly what a receipt covers, in its one order.
 * @param question the request to take the request's components from; the one in the receipt is not looked at
 */
export async function receiptComponents(
  { response: { status, headers } }: SavedReceipt,
  { method, path, body }: ReceiptQuestion,
): Promise<readonly Component[]> {
  const end = path.includes('?') ? path.indexOf('?') : path.length
  const header = (name: (typeof coveredHeaders)[number]): Component => [
    `"${name}"`,
    (headers[name] ?? '').trim(),
  ]
  return [
    ['"@status"', String(status)],
    header('content-digest'),
    header('content-type'),
    ['"@method";req', method],
    ['"@path";req', path.slice(0, end)],
    ['"@query";req', path.slice(end) || '?'],
    ...(body === undefined ? [] : [['"content-digest";req', await contentDigestOf(body)] as const]),
    header('x-bft-receipt'),
    header('x-bft-quorum'),
    header('x-bft-agreed'),
  ]
}

const response = ['"@status"', '"content-digest"', '"content-type"']
const request = ['"@method";req', '"@path";req', '"@query";req']
const terms = ['"x-bft-receipt"', '"x-bft-quorum"', '"x-bft-agreed"']

/** The two lists of components that receipts have: of reads by GET, and of reads by POST. */
export const componentLists: readonly string[] = [
  [...response, ...request, ...terms],
  [...response, ...request, '"content-digest";req', ...terms],
].map((identifiers) => `(${identifiers.join(' ')})`)
