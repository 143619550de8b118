import { SpliceError } from '../../base/errors/splice.ts'

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

/** The longest list in a request, as in Splice's HttpRequestLimits. */
export const longestList = 1000

/**
 * Checks the length of a list in a request.
 * @throws SpliceError with Splice's text if the list is too long.
 */
export function checkListLength(name: string, { length: size }: readonly unknown[]): void {
  if (size > longestList) throw new SpliceError('tooManyItems', { name, limit: longestList, size })
}
