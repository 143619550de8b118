import { componentLists, receiptComponents, receiptTag } from '../../receipt-format/receipt-components.ts'
import { setComponentList, setComponents, setTag } from '../../receipt-format/set-components.ts'
import type { Component } from '../../receipt-format/signature-base.ts'
import { contentDigestOf } from './content-digest.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'

/** What a signature is about: an answer together with its question, or a whole set of names. */
export type SignedThing = 'answer' | 'set'

export interface SignatureForm {
  readonly of: SignedThing
  readonly tag: string
  readonly lists: readonly string[]
  readonly headers: readonly string[]
  /** Takes the request from `question`, because the request in `receipt` is not trusted. */
  readonly componentsOf: (
    receipt: SavedReceipt,
    question: ReceiptQuestion,
  ) => readonly Component[] | Promise<readonly Component[]>
}

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
