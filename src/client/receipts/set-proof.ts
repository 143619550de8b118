import { tryBase64 } from '../../lib/base64.ts'

export interface LeafProof {
  readonly text: string
  readonly path: Uint8Array
}

/** The value of `x-bft-proof`, parsed and not yet verified. */
export type SetProof =
  | { readonly kind: 'inclusion'; readonly index: number; readonly path: Uint8Array }
  | {
      readonly kind: 'exclusion'
      /**
       * The position that the absent name would have in the sorted set. The next greater name,
       * which is its right neighbour, has this position.
       */
      readonly index: number
      readonly left: LeafProof | undefined
      readonly right: LeafProof | undefined
    }

const index = String.raw`index=(0|[1-9]\d{0,14})`
const bytes = ':([A-Za-z\\d+/]*={0,2}):'
const inclusion = new RegExp(`^${index}, path=${bytes}$`)
const exclusion = new RegExp(
  `^${index}(?:, left=${bytes}, left-path=${bytes})?(?:, right=${bytes}, right-path=${bytes})?$`,
)

/** The maximum number of characters of the header; a daemon sends at most 8,192. */
const longest = 65_536

/** Accepts only the exact spelling that daemons use, so that each proof has only one spelling. */
export function proofIn(header: string): SetProof | undefined {
  if (header.length > longest) return undefined
  const included = inclusion.exec(header)
  if (included !== null) {
    const path = tryBase64(included[2] as string)
    return path && { kind: 'inclusion', index: Number(included[1]), path }
  }
  const [whole, at, ...parts] = exclusion.exec(header) ?? []
  if (whole === undefined) return undefined
  const [left, right] = [leafIn(parts[0], parts[1]), leafIn(parts[2], parts[3])]
  if (left === null || right === null) return undefined
  return { kind: 'exclusion', index: Number(at), left, right }
}

/** Returns undefined if the leaf or the path is absent, null if one of them is malformed. */
function leafIn(text: string | undefined, path: string | undefined): LeafProof | undefined | null {
  if (text === undefined || path === undefined) return undefined
  const [leaf, way] = [tryBase64(text), tryBase64(path)]
  if (leaf === undefined || way === undefined) return null
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(leaf), path: way }
  } catch {
    return null
  }
}
