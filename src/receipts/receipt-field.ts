import type { MirrorClaim } from '../cache/as-of.ts'
import { printBytes } from '../lib/structured-fields.ts'

/**
 * The values in the header `x-bft-receipt`. Digests are SHA-256 in base64url. Times are seconds since 1970.
 */
export interface ReceiptField {
  /** The time at which the quorum agreed; for a mirrored answer, the same as `asOf.at`. */
  readonly at: number
  /**
   * The record time as of which an answer from the mirror is true, and its claim (`MirrorClaim`). Undefined
   * for other answers.
   */
  readonly asOf?: { readonly at: number; readonly claim: MirrorClaim } | undefined
  /** The digest of the served value's canonical JSON. */
  readonly value: string
  /** The digest of the roster document. */
  readonly roster: string
  /** The trust digest. */
  readonly trust: string
  /** The digest of the vote document. */
  readonly votes: string
  /** Whether this daemon took the answer from a shared Redis, where another daemon had stored it. */
  readonly isShared: boolean
}

/** Serializes `x-bft-receipt`, a dictionary of RFC 9651. */
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

/** Serializes `content-digest` (RFC 9530). @param sha256 base64url. */
export function contentDigestField(sha256: string): string {
  return `sha-256=${byteSequence(sha256)}`
}

/** Serializes bytes that are given in base64url as a byte sequence of RFC 9651. */
export function byteSequence(base64url: string): string {
  return printBytes(Buffer.from(base64url, 'base64url'))
}
