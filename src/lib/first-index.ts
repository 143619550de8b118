/**
 * Finds the first index of a sorted list that is far enough, by binary search. Returns `length` if none is.
 * @param length the number of elements of the list.
 * @param isFarEnough whether the element at this index is far enough. If it returns true for an index, it must
 * return true for every higher index.
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
