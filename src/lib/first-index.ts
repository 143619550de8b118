/**
 * Finds the lowest index for which `isFarEnough` is true, by binary search. Returns `length` if there is
 * none.
 * @param length the number of elements of the list.
 * @param isFarEnough a test of the element at an index. If it is true for an index, it must be true for every
 * higher index.
 */
export function firstIndex(length: number, isFarEnough: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isFarEnough(middle)) high = middle
    else low = middle + 1
  }
  return low
}
