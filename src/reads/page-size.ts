import { SpliceError } from '../errors/splice.ts'

/** The maximum number of items that a caller may request in one answer, as in Splice. */
export const maxPageSize = 1000

/**
 * Checks the maximum number of items in an answer, as a caller requests it: 1 to 1000.
 * @param size an integer.
 * @throws SpliceError with Splice's text for any other integer.
 */
export function checkedSize(size: number): number {
  if (size < 1) throw new SpliceError('limitTooSmall')
  if (size > maxPageSize) throw new SpliceError('limitExceeded', { value: size, limit: maxPageSize })
  return size
}
