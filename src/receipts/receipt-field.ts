import { printBytes } from '../base/lib/structured-fields.ts'
import type { MirrorClaim } from '../core/cache/as-of.ts'

/**
 * The values in the header `x-bft-receipt`. Digests are SHA-256 in base64url; times are seconds
 * since 1970.
 */
export interface ReceiptField {
  /** The time at which the quorum agreed; for a mirrored answer, the same as `asOf.at`. */
  readonly at: number
  /**
   * The record time at which an answer from the mirror (the daemon's own copy of the data) was
   * true. Undefined for other answers.
   */
  readonly asOf?: { readonly at: number; readonly claim: MirrorClaim } | undefined
  readonly value: string
  readonly roster: string
  readonly trust: string
  readonly votes: string
  /** Whether another daemon got the answer, and shared it through Redis. */
  readonly isShared: boolean
}

/** The header is a dictionary of RFC 9651. */
export function receiptField(field: ReceiptField): string {
  const { at, asOf, value, roster, trust, votes, isShared } = field
  const members = [
    'v=1',
    `at=@${at}`,
    ...(asOf === undefined ? [] : [`as-of=@${asOf.at}`, `claim=${asOf.claim}`]),
    `value=${byteSequence(value)}`,
    `roster=${byteSequence(roster)}`,
    `trust=${byteSequence(trust)}`,
    `votes=${byteSequence(votes)}`,
    ...(isShared ? ['basis=shared'] : []),
  ]
  return members.join(', ')
}

/** `sha256` is base64url; the result is the header of RFC 9530. */
export function contentDigestField(sha256: string): string {
  return `sha-256=${byteSequence(sha256)}`
}

function byteSequence(base64url: string): string {
  return printBytes(Buffer.from(base64url, 'base64url'))
}
