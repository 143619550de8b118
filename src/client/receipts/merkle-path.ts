const hashBytes = 32

/** Returns the SHA-256 of a zero byte followed by the text (RFC 6962, 2.1). */
export function leafHash(text: string): Promise<Uint8Array> {
  return sha256(new TextEncoder().encode(`\0${text}`))
}

export function emptyRoot(): Promise<Uint8Array> {
  return sha256(new Uint8Array())
}

/**
 * Computes the root of a Merkle tree from a leaf and its path (RFC 9162, 2.1.3.2).
 * @param path the hashes of the siblings, from the leaf to the root
 * @returns undefined if no leaf at this position has a path of this length.
 */
export async function rootOver(
  leaf: Uint8Array,
  { index, size }: { readonly index: number; readonly size: number },
  path: Uint8Array,
): Promise<Uint8Array | undefined> {
  let node = leaf
  let [at, last] = [index, size - 1]
  if (at > last || path.length % hashBytes !== 0) return undefined
  for (let start = 0; start < path.length; start += hashBytes) {
    if (last === 0) return undefined
    const sibling = path.subarray(start, start + hashBytes)
    // The last node of a level may have no right sibling. It then moves up unchanged to the first
    // level in which it has a left sibling.
    while (at === last && at % 2 === 0) [at, last] = [at / 2, Math.floor(last / 2)]
    node = await sha256(joined(at % 2 === 1 ? [sibling, node] : [node, sibling]))
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? node : undefined
}

function joined([left, right]: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(1, ...(left ?? []), ...(right ?? []))
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
