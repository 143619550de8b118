import { base64UrlOf } from '../../lib/base64.ts'
import { canonicalJson, isJsonObject, type Json, MisshapenJson, parseJson } from '../../lib/canonical-json.ts'
import { saysNameAbsent } from '../../reads/absent-name.ts'
import { isBindable } from '../../reads/bindable.ts'
import { compareCodePoints } from '../../reads/code-points.ts'
import { emptyRoot, leafHash, rootOver } from './merkle-path.ts'
import { nameIn } from './name-question.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'
import { type LeafProof, proofIn, type SetProof } from './set-proof.ts'
import { headerOf } from './signature-forms.ts'
import type { SetTerms } from './terms.ts'

/** What a signed set of names proves about a name: that it has an entry, or that it has none. */
export interface ProvenName {
  readonly name: string
  readonly proves: 'entry' | 'absence'
  /** The time at which the entry expires, in seconds since 1970. Undefined for an absence. */
  readonly ends: number | undefined
}

/**
 * Checks that the answer follows from a signed set of names. The name comes from the verifier's own
 * question, because the question in the receipt may have been altered.
 * @throws ReceiptRefusal
 */
export async function requireProof(
  receipt: SavedReceipt,
  question: ReceiptQuestion,
  body: Json,
  set: SetTerms,
): Promise<ProvenName> {
  const name = nameIn(question)
  if (name === undefined || !isBindable(name)) throw new ReceiptRefusal('notOfSets')
  const { status } = receipt.response
  const proof = proofIn(headerOf(receipt, 'x-bft-proof'))
  if (status === 200 && proof?.kind === 'inclusion') return requireEntry(name, body, { proof, set })
  if (status === 404 && proof?.kind === 'exclusion') return requireAbsence(name, body, { proof, set })
  throw new ReceiptRefusal('malformedProof', { status })
}

interface Proven<Kind extends SetProof['kind']> {
  readonly proof: Extract<SetProof, { readonly kind: Kind }>
  readonly set: SetTerms
}

async function requireEntry(
  name: string,
  body: Json,
  { proof: { index, path }, set }: Proven<'inclusion'>,
): Promise<ProvenName> {
  const { entry, ...others } = isJsonObject(body) ? body : {}
  if (!isJsonObject(entry) || Object.keys(others).length > 0) throw new ReceiptRefusal('otherBody')
  const { name: named, expires_at } = entry
  if (named !== name) throw new ReceiptRefusal('otherQuestion', { asked: `the name ${named}` })
  await requireLeaf({ text: canonicalJson(entry), path }, index, set)
  const ends = typeof expires_at === 'string' ? Date.parse(expires_at) / 1000 : Number.NaN
  if (Number.isNaN(ends)) throw new ReceiptRefusal('otherBody')
  return { name, proves: 'entry', ends }
}

async function requireAbsence(
  name: string,
  body: Json,
  { proof: { index, left, right }, set }: Proven<'exclusion'>,
): Promise<ProvenName> {
  if (!saysNameAbsent(body, name)) throw new ReceiptRefusal('otherBody')
  // An absent name would lie before the first leaf, after the last leaf, or between two leaves. The
  // proof must contain every leaf that would be its neighbour.
  const isPlace = index <= set.names && index > 0 === (left !== undefined)
  if (!isPlace || index < set.names !== (right !== undefined))
    throw new ReceiptRefusal('notNeighbours', { name })
  if (left !== undefined) await requireLeaf(left, index - 1, set)
  if (right !== undefined) await requireLeaf(right, index, set)
  if (set.names === 0) requireRoot(await emptyRoot(), set)
  const isAfter = left === undefined || compareCodePoints(nameOfLeaf(left), name) < 0
  const isBefore = right === undefined || compareCodePoints(name, nameOfLeaf(right)) < 0
  if (!isAfter || !isBefore) throw new ReceiptRefusal('notNeighbours', { name })
  return { name, proves: 'absence', ends: undefined }
}

async function requireLeaf({ text, path }: LeafProof, index: number, set: SetTerms): Promise<void> {
  requireRoot(await rootOver(await leafHash(text), { index, size: set.names }, path), set)
}

function requireRoot(found: Uint8Array | undefined, { root }: SetTerms): void {
  if (found === undefined || base64UrlOf(found) !== root) throw new ReceiptRefusal('badProof')
}

function nameOfLeaf({ text }: LeafProof): string {
  const leaf = leafIn(text)
  const entry = Array.isArray(leaf) ? (leaf as readonly Json[])[0] : leaf
  const name = isJsonObject(entry) ? entry['name'] : undefined
  if (typeof name !== 'string') throw new ReceiptRefusal('badProof')
  return name
}

function leafIn(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof MisshapenJson) throw new ReceiptRefusal('badProof')
    throw error
  }
}
