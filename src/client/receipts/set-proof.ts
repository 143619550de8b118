import { tryBase64 } from '../../lib/base64.ts'

/** A leaf with the hashes that lead from it to the root. */
export interface LeafProof {
  /** The leaf as canonical JSON: a name's entry, or the list of its several entries. */
  readonly text: string
  readonly path: Uint8Array
}

/** The value of `x-bft-proof`, before anything of it is verified. */
export type SetProof =
  | { readonly kind: 'inclusion'; readonly index: number; readonly path: Uint8Array }
  | {
      readonly kind: 'exclusion'
      /** The position of the right neighbour, where the name would be. */
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

/** The most characters of a proof. A daemon sends 8,192 at most. */
const longest = 65_536

/** Parses a proof. Undefined unless it has exactly the form that daemons send, so that each proof has only one text. */
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

/** Decodes a leaf and its path. Undefined if there is none, and null if it is malformed. */
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
