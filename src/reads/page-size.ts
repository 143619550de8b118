import { SpliceError } from '../errors/splice.ts'

export const maxPageSize = 1000

/**
 * Checks the number of items that a caller requests: 1 to 1000, as in Splice.
 * @throws SpliceError with Splice's text for any other integer.
 */
export function checkedSize(size: number): number {
  if (size < 1) throw new SpliceError('limitTooSmall')
  if (size > maxPageSize) throw new SpliceError('limitExceeded', { value: size, limit: maxPageSize })
  return size
}
