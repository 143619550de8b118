import { componentLists, receiptComponents, receiptTag } from '../../receipt-format/receipt-components.ts'
import { setComponentList, setComponents, setTag } from '../../receipt-format/set-components.ts'
import type { Component } from '../../receipt-format/signature-base.ts'
import { contentDigestOf } from './content-digest.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'

/** The thing that a signature covers: an answer together with its question, or a whole set of names. */
export type SignedThing = 'answer' | 'set'

/** One of the two signatures that a receipt may have. */
export interface SignatureForm {
  readonly of: SignedThing
  readonly tag: string
  /** The lists of signed components (RFC 9421), as texts. A signature must have one of these lists. */
  readonly lists: readonly string[]
  /** The response headers that the signature covers. */
  readonly headers: readonly string[]
  /**
   * Returns the components that the signature must cover.
   * @param receipt gives the components of the response. Its own request is ignored.
   * @param question gives the components of the request.
   */
  readonly componentsOf: (
    receipt: SavedReceipt,
    question: ReceiptQuestion,
  ) => readonly Component[] | Promise<readonly Component[]>
}

/**
 * The two kinds of signature: of one answer, and of a set. A receipt may have both. Then only that of the answer is
 * verified, because it proves more.
 */
export const signatureForms: readonly SignatureForm[] = [
  {
    of: 'answer',
    tag: receiptTag,
    lists: componentLists,
    headers: ['content-digest', 'content-type', 'x-bft-receipt', 'x-bft-quorum', 'x-bft-agreed'],
    componentsOf: answerComponents,
  },
  {
    of: 'set',
    tag: setTag,
    lists: [setComponentList],
    headers: ['x-bft-set'],
    componentsOf: (receipt) => setComponents(headerOf(receipt, 'x-bft-set')),
  },
]

async function answerComponents(
  receipt: SavedReceipt,
  { method, path, body }: ReceiptQuestion,
): Promise<readonly Component[]> {
  const end = path.includes('?') ? path.indexOf('?') : path.length
  return receiptComponents(
    {
      method,
      path: path.slice(0, end),
      query: path.slice(end + 1),
      contentDigest: body === undefined ? undefined : await contentDigestOf(body),
    },
    {
      status: receipt.response.status,
      contentDigest: headerOf(receipt, 'content-digest'),
      contentType: headerOf(receipt, 'content-type'),
      receipt: headerOf(receipt, 'x-bft-receipt'),
      quorum: headerOf(receipt, 'x-bft-quorum'),
      agreed: headerOf(receipt, 'x-bft-agreed'),
    },
  )
}

/** Returns a header of the response, trimmed. Empty if the response has no such header. */
export function headerOf({ response: { headers } }: SavedReceipt, name: string): string {
  return (headers[name] ?? '').trim()
}
