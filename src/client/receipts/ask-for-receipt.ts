import { parseJson } from '../../base/lib/canonical-json.ts'
import { withoutTrailing } from '../../base/lib/without-trailing.ts'
import { receiptTag } from '../../base/receipt-format/receipt-components.ts'
import { boundedBody } from '../bounded-body.ts'
import type { ClientErrorCode } from '../client-error.ts'
import { directFetch } from '../direct-fetch.ts'
import { errorOf } from '../error-from-response.ts'
import { inTime } from '../in-time.ts'
import { brokenOff } from '../unreachable.ts'
import { keysIn, type ReceiptJwk } from './pins.ts'
import { type ReceiptQuestion, receiptOf, type SavedReceipt } from './saved-receipt.ts'

export interface ReceiptAsk {
  readonly base: string
  readonly question: ReceiptQuestion
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export type AskedReceipt =
  | { readonly kind: 'receipt'; readonly base: string; readonly receipt: SavedReceipt }
  | ({ readonly kind: 'none'; readonly base: string; readonly status?: number } & AskFailure)

export interface AskFailure {
  /** The reason, as a clause without a full stop. */
  readonly says: string
  /** The code of the error. `noReceipt` means that the daemon gave an answer without a receipt. */
  readonly code: ClientErrorCode | 'noReceipt'
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
}

/**
 * Asks a daemon for a signed answer. The promise never rejects: a failure, or an abort of the
 * signal, resolves with `none`.
 */
export async function askForReceipt(ask: ReceiptAsk): Promise<AskedReceipt> {
  const { base, question } = ask
  try {
    const { response, body } = await boundedFetch(ask, question.path)
    const receipt = receiptOf(question, response, body)
    if (receipt !== undefined) return { kind: 'receipt', base, receipt }
    return { kind: 'none', base, status: response.status, ...failureOf(base, response, body) }
  } catch (error) {
    const { code, message, retryable } = brokenOff(base, error)
    return { kind: 'none', base, says: message, code, retryable }
  }
}

function failureOf(base: string, response: Response, body: Uint8Array): AskFailure {
  const { ok, status, headers } = response
  const answers = `${base} answers ${status}`
  const isAnswer = !headers.has('x-bft-error') && (ok || headers.has('x-bft-agreed'))
  if (isAnswer) return { says: `${answers} and gives no receipt`, code: 'noReceipt', retryable: false }
  const { message, code, retryable } = errorOf({ response, text: new TextDecoder().decode(body), base })
  return { says: `${answers}: ${withoutTrailing('.', message)}`, code, retryable }
}

const most = 2 ** 20

async function boundedFetch(
  ask: Omit<ReceiptAsk, 'question'>,
  path: string,
): Promise<{ readonly response: Response; readonly body: Uint8Array<ArrayBuffer> }> {
  const { base, token, headers } = ask
  return inTime(ask, async (signal) => {
    const response = await directFetch(base, path, {
      headers: {
        accept: 'application/json',
        'accept-signature': `receipt=();tag="${receiptTag}"`,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      signal,
      cache: 'no-store',
    })
    return { response, body: await boundedBody(response, { base, most }) }
  })
}

const directoryPath = '/.well-known/http-message-signatures-directory'

/**
 * Fetches the public keys that a daemon publishes; an empty list if that fails. The keys do not
 * prove who the daemon is, because any server can publish any keys.
 */
export async function listedKeys(
  ask: Pick<ReceiptAsk, 'base' | 'timeoutMs' | 'signal'>,
): Promise<readonly ReceiptJwk[]> {
  try {
    const { body } = await boundedFetch(ask, directoryPath)
    return keysIn(parseJson(body))
  } catch {
    return []
  }
}
