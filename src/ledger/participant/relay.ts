import { CantonError } from '../../errors/canton.ts'
import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts'
import type { Element, Elements } from '../update-service.ts'

export function isNotFound(error: unknown): boolean {
  const { cause } = error as Error
  return cause instanceof LedgerRefusal && cause.error.code === 'UPDATE_NOT_FOUND'
}

export function asCantonError(error: unknown): unknown {
  if (error instanceof LedgerRefusal) {
    const { status, error: body } = error
    return new CantonError('relayed', { why: body.cause }, { relayed: { status, body }, cause: error })
  }
  if (error instanceof LedgerUnavailable)
    return new CantonError('notRunning', { service: 'The participant' }, { cause: error })
  return error
}

export async function* withCantonErrors(
  elements: AsyncIterable<readonly Element[]>,
): AsyncGenerator<readonly Element[]> {
  try {
    yield* elements
  } catch (error) {
    throw asCantonError(error)
  }
}

/**
 * Resolves when the connection is open or the first elements have arrived. The HTTP route awaits
 * this before it sends the first byte: after that byte, it cannot send an error status.
 */
export async function begun(
  elements: AsyncGenerator<readonly Element[]>,
  opened: Promise<void>,
): Promise<Elements> {
  const first = elements.next()
  first.catch(() => {})
  await Promise.race([first, opened])
  return (async function* () {
    try {
      const { done, value } = await first
      if (done === true) return
      yield value
      yield* elements
    } finally {
      await elements.return(undefined)
    }
  })()
}
