import { SpliceError, type SpliceErrorCode } from '../../errors/splice.ts'
import { LedgerUnavailable } from '../ledger.ts'

/** What was thrown in the ledger's thread, as it crosses to another: a class is lost on the way. */
export type Thrown =
  /** The ledger cannot do it now. */
  | { readonly kind: 'unavailable'; readonly message: string }
  | {
      readonly kind: 'refusal'
      readonly code: SpliceErrorCode
      readonly values: SpliceError['values']
      readonly retryAfter: number | undefined
    }
  /** The program is at fault. */
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

export function packThrown(error: unknown): Thrown {
  if (error instanceof SpliceError) {
    const { code, values, retryAfter } = error
    return { kind: 'refusal', code, values, retryAfter }
  }
  if (error instanceof LedgerUnavailable) return { kind: 'unavailable', message: error.message }
  if (!(error instanceof Error)) return { kind: 'fault', message: String(error), stack: undefined }
  const { message, stack } = error
  return { kind: 'fault', message, stack }
}

export function unpackThrown(thrown: Thrown): Error {
  switch (thrown.kind) {
    case 'unavailable':
      return new LedgerUnavailable(thrown.message)
    case 'refusal': {
      const { code, values, retryAfter } = thrown
      return new SpliceError(code, values, retryAfter === undefined ? {} : { retryAfter })
    }
    case 'fault':
      return Object.assign(new Error(thrown.message), thrown.stack !== undefined && { stack: thrown.stack })
  }
}
