/**
 * Finds the lowest index for which `isFarEnough` is true, or else `length`, by binary search.
 * `isFarEnough` must also be true for every higher index.
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
