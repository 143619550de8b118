import { systemClock } from '../../lib/clock.ts'
import { ClientError } from '../client-error.ts'
import { unreachable } from '../unreachable.ts'
import { boundedBody } from './bounded-body.ts'
import { type ReceiptQuestion, receiptOf, type SavedReceipt } from './saved-receipt.ts'
import { type SignedThing, signatureForms } from './signature-forms.ts'

/** A question to one daemon. */
export interface ReceiptAsk {
  /** The daemon's address, without a slash at its end. */
  readonly base: string
  readonly question: ReceiptQuestion
  readonly token?: string | undefined
  /** The thing that the daemon is to sign; the answer by default. */
  readonly signed?: SignedThing | undefined
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** The outcome of asking one daemon. `says` tells why there is no receipt: a clause without a full stop. */
export type AskedReceipt =
  | { readonly kind: 'receipt'; readonly base: string; readonly receipt: SavedReceipt }
  | { readonly kind: 'none'; readonly base: string; readonly status?: number; readonly says: string }

/** Asks a daemon by GET for a signed answer. Every failure, also an abort, resolves with `none`. */
export async function askForReceipt(ask: ReceiptAsk): Promise<AskedReceipt> {
  const { base, question, signed = 'answer' } = ask
  try {
    const { response, body } = await boundedFetch(ask, question.path)
    const isGiven = signed === 'answer' || response.headers.has('x-bft-proof')
    const receipt = isGiven ? receiptOf(question, response, body) : undefined
    if (receipt !== undefined) return { kind: 'receipt', base, receipt }
    const { status } = response
    const lacking = signed === 'answer' ? 'no receipt' : 'no proof from a signed set'
    return {
      kind: 'none',
      base,
      status,
      says: `${base} answers ${status} and gives ${lacking}${belowPath(base, status)}`,
    }
  } catch (error) {
    const { message } = error instanceof ClientError ? error : unreachable(base, error)
    return { kind: 'none', base, says: message }
  }
}

/** Names the likely mistake where a path in the address has no answer. */
function belowPath(base: string, status: number): string {
  const { pathname, origin } = new URL(base)
  const isLikely = pathname !== '/' && (status === 404 || status === 405)
  return isLikely
    ? `; the url must be the address of the daemon without the path of an API, such as ${origin}`
    : ''
}

/**
 * Fetches a short body in limited time.
 * @throws ClientError for a body that is too long, or if the time is over; the signal's reason; and the errors of
 * `fetch`.
 */
export async function boundedFetch(
  { base, token, signed = 'answer', headers, timeoutMs, signal }: Omit<ReceiptAsk, 'question'>,
  path: string,
): Promise<{ readonly response: Response; readonly body: Uint8Array<ArrayBuffer> }> {
  const source = new AbortController()
  const late = new ClientError('unreachable', `${base} took too long`)
  const cancel = systemClock.after(timeoutMs, () => source.abort(late))
  try {
    const response = await fetch(`${base}${path}`, {
      headers: {
        accept: 'application/json',
        'accept-signature': wanted[signed],
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      signal: signal === undefined ? source.signal : AbortSignal.any([source.signal, signal]),
      cache: 'no-store',
    })
    return { response, body: await boundedBody(response) }
  } finally {
    cancel()
  }
}

/** The values of `accept-signature`. */
const wanted = Object.fromEntries(
  signatureForms.map(({ of, tag }) => [of, `${of === 'answer' ? 'receipt' : of}=();tag="${tag}"`]),
) as Readonly<Record<SignedThing, string>>
