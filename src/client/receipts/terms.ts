import { base64UrlOf } from '../../base/lib/base64.ts'
import { MalformedField } from '../../base/lib/structured-fields.ts'
import { reachedIn } from '../agreement-headers.ts'
import { Members, namesIn, unlessMalformed } from '../header-members.ts'

/** The signed statement of a receipt, parsed from headers. Digests are SHA-256 in base64url. */
export interface ReceiptTerms {
  /**
   * The time at which the quorum agreed, in seconds since 1970. If `asOf` is present, both are
   * equal.
   */
  readonly at: number
  /**
   * The time at which the answer was true, in seconds since 1970. Present only if a mirror (a copy
   * of the ledger's names) answered.
   */
  readonly asOf?: number
  /**
   * What a mirror's answer claims. `binding`: it is an entry whose owner, url and description
   * cannot change before it expires. `state`: it is the state of the ledger at `asOf`.
   */
  readonly claim?: string
  /**
   * The value is `shared` if another daemon asked the super validators, and this daemon took the
   * answer from a common Redis.
   */
  readonly basis?: string
  /** The digest of the body as canonical JSON. */
  readonly value: string
  /** The digest of the document that lists the super validators. */
  readonly roster: string
  /** The digest of the super validators, their operators, and the thresholds. */
  readonly trust: string
  /** The digest of the document that lists the vote of each super validator. */
  readonly votes: string
  readonly agreed: readonly string[]
  readonly threshold: number
  readonly asked: number
  readonly voters: number
  /** The number of operators that agreed. Undefined if the daemon does not count operators. */
  readonly operators?: number
  readonly operatorThreshold?: number
  /**
   * Whether the threshold protects against f faulty super validators
   * (docs/quorum.md#loud-when-unprotected).
   */
  readonly protected: boolean
  /**
   * The value is false if only some items of a list, or the beginning of a history, were agreed on.
   */
  readonly complete: boolean
}

export function termsIn({
  receipt,
  quorum,
  agreed,
}: Readonly<Record<'receipt' | 'quorum' | 'agreed', string>>): ReceiptTerms | undefined {
  return unlessMalformed(() => {
    const terms = new Members(receipt)
    if (terms.value('v', 'integer') !== 1) return undefined
    const asOf = terms.optional('as-of', 'date')
    const claim = terms.optional('claim', 'token')
    const basis = terms.optional('basis', 'token')
    return {
      at: terms.value('at', 'date'),
      ...(asOf !== undefined && { asOf }),
      ...(claim !== undefined && { claim }),
      ...(basis !== undefined && { basis }),
      value: digestIn(terms, 'value'),
      roster: digestIn(terms, 'roster'),
      trust: digestIn(terms, 'trust'),
      votes: digestIn(terms, 'votes'),
      ...agreementIn(quorum, namesIn(agreed)),
    }
  })
}

function agreementIn(quorum: string, agreed: readonly string[]) {
  const { operators, setAside: _, ...counts } = reachedIn(quorum)
  if (counts.agreed !== agreed.length) throw new MalformedField('the count differs from the names')
  return {
    ...counts,
    agreed,
    ...(operators && { operators: operators.agreed, operatorThreshold: operators.threshold }),
  }
}

function digestIn(terms: Members, key: string): string {
  const bytes = terms.value(key, 'bytes')
  if (bytes.length !== 32) throw new MalformedField(`${key} is no SHA-256`)
  return base64UrlOf(bytes)
}
