import { lookupQuestion, printReceipt, receiptOf } from './client/receipts/receipts.ts'
import { unchangedHeaders } from './http/headers.ts'
import { representationOf } from './http/projection.ts'
import { splitTarget } from './http/request.ts'
import { type Clock, momentOf } from './lib/clock.ts'
import type { ReceiptDesk } from './receipts/receipt-desk.ts'
import type { PublicSigningKey } from './receipts/signing-key.ts'
import type { Reader } from './scan/reader.ts'
import type { ReceiptFiles } from './ui/receipt-files.ts'

export interface ReceiptFilesDeps {
  readonly reader: Pick<Reader, 'answer' | 'lifetimeOf'>
  readonly desk: Pick<ReceiptDesk, 'headersFor' | 'lastsMs'>
  readonly keys: () => readonly PublicSigningKey[]
  /** Keys without a file are lost when the process ends. */
  readonly areKeysKept: boolean
  readonly clock: Clock
}

/**
 * A receipt is signed for the request that a client would send to look up the same name or party.
 */
export function receiptFiles({ reader, desk, keys, areKeysKept, clock }: ReceiptFilesDeps): ReceiptFiles {
  return {
    keys: () => keys().map(({ x }) => x),
    areKeysKept,
    lastsMs: ({ read }, answer) => desk.lastsMs(reader.lifetimeOf(read, answer).lifetime),
    async save({ what, question, notBefore, spend }) {
      const caller = { receivedAt: momentOf(clock), notBefore, beforeLoad: spend }
      const served = await reader.answer(question, caller)
      const request = lookupQuestion(what)
      const representation = representationOf(question, 'scan', served)
      const headers = unchangedHeaders(representation, served.answer.agreement)
      const receipt = await desk.headersFor({
        label: 'receipt',
        question: { read: question.read.id, params: question.params },
        request: { method: 'GET', ...splitTarget(request.path), contentDigest: undefined },
        served,
        representation,
        quorum: headers['x-bft-quorum'] ?? '',
        agreed: headers['x-bft-agreed'] ?? '',
        at: momentOf(clock),
        notBefore,
      })
      if (receipt === undefined) return undefined
      const response = {
        status: representation.status,
        headers: new Headers({ 'content-type': 'application/json', ...headers, ...receipt }),
      }
      const saved = receiptOf(request, response, representation.body)
      const listed = keys().map(({ x }) => ({ kty: 'OKP', crv: 'Ed25519', x }) as const)
      return saved && { content: printReceipt({ ...saved, keys: listed }), answer: served.answer }
    },
  }
}
