import { componentLists, receiptComponents, receiptTag } from '../../receipt-format/receipt-components.ts'
import { setComponentList, setComponents, setTag } from '../../receipt-format/set-components.ts'
import type { Component } from '../../receipt-format/signature-base.ts'
import { contentDigestOf } from './content-digest.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'

/** The subject of a signature: an answer together with its question, or a whole set of names. */
export type SignedThing = 'answer' | 'set'

/** A type of signature: how to find one in a receipt, and what it must cover. */
export interface SignatureForm {
  readonly of: SignedThing
  readonly tag: string
  /**
   * The allowed lists of signed components, each serialized (RFC 9421). A signature must have one of these
   * lists.
   */
  readonly lists: readonly string[]
  /** The response headers that the signature covers. */
  readonly headers: readonly string[]
  /**
   * Returns the components that the signature must cover.
   * @param receipt gives the components of the response. The request in the receipt is ignored.
   * @param question gives the components of the request.
   */
  readonly componentsOf: (
    receipt: SavedReceipt,
    question: ReceiptQuestion,
  ) => readonly Component[] | Promise<readonly Component[]>
}

/**
 * The two types of signature: for one answer, and for a set of names. If a receipt has both, only the
 * signature of the answer is verified, because it proves more.
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

export function headerOf({ response: { headers } }: SavedReceipt, name: string): string {
  return (headers[name] ?? '').trim()
}
