import type { Electors } from '../cache/provenance.ts'
import { canonicalJson, type Json, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { inSteps } from '../lib/in-steps.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { saysNameAbsent } from '../reads/absent-name.ts'
import { isBindable } from '../reads/bindable.ts'
import { growTree } from './grow-tree.ts'
import type { NameTree } from './name-tree.ts'
import type { ProvableSet } from './provable-set.ts'
import { endOfSet } from './receipt-lifetime.ts'
import type { ReceiptDeskDeps, ReceiptWish } from './receipt-wish.ts'
import { exclusionField, inclusionField } from './set-field.ts'
import { type SetStatement, signSet } from './set-statement.ts'

/** The read whose answers can be proved from a signed set of names. */
const provableRead = 'lookupAnsEntryByName'
/** The longest `x-bft-proof` that is sent, in characters. Many clients take 16 KiB of headers at most. */
const longestProof = 8_192

/**
 * A signed statement about a set of names, with the roster and the key from which it was made. If the roster
 * or the key changes, another statement is made.
 */
interface MadeStatement {
  readonly electors: Electors
  readonly keyid: string
  readonly statement: SetStatement
}

/**
 * Proves answers from the mirror's set of names, with one signature for all names of a snapshot. The first
 * proof from a set builds the set's Merkle tree, which is kept as long as the set.
 */
export class SetProofs {
  readonly #deps: ReceiptDeskDeps
  readonly #trees = new WeakMap<ProvableSet, MaybePromise<NameTree>>()
  readonly #made = new WeakMap<ProvableSet, MadeStatement>()

  constructor(deps: ReceiptDeskDeps) {
    this.#deps = deps
  }

  /**
   * Returns the headers of a proof; `label` is the label of its signature. Undefined if there is no proof:
   * - The question is not the lookup of an entry by name, or the request has a query.
   * - The name is that of the DSO or of a super validator.
   * - The mirror has no set of names, the set is older than the caller accepts, or the answer does not follow
   *   from the set.
   * - The set or the answer has expired, the proof is too long, or there is no roster.
   */
  headersFor(label: string, wish: ReceiptWish): MaybePromise<Record<string, string> | undefined> {
    const set = this.#deps.set()
    if (set === undefined || !isProvable(wish, set)) return undefined
    return whenKnown(this.#treeOf(set), (tree) => {
      const proof = proofIn(tree, wish)
      if (proof === undefined || proof.length > longestProof) return undefined
      const statement = this.#statementOf(set, tree, wish.at.wall)
      return statement && headersOf(statement, proof, label)
    })
  }

  #treeOf(set: ProvableSet): MaybePromise<NameTree> {
    const known = this.#trees.get(set)
    if (known !== undefined) return known
    const growing = inSteps(growTree(set)).then((tree) => {
      this.#trees.set(set, tree)
      return tree
    })
    this.#trees.set(set, growing)
    return growing
  }

  #statementOf(set: ProvableSet, tree: NameTree, wall: number): SetStatement | undefined {
    const electors = this.#deps.electors()
    if (electors === undefined) return undefined
    const current = this.#deps.keys.signing(wall)
    const { keyid } = current.key
    let made = this.#made.get(set)
    if (made?.electors !== electors || made.keyid !== keyid) {
      made = { electors, keyid, statement: signSet({ set, tree, electors, current }, this.#deps, wall) }
      this.#made.set(set, made)
    }
    const { documents } = this.#deps
    for (const document of made.statement.documents)
      if (!documents.touch(document.digest)) documents.add(document)
    return made.statement
  }
}

function headersOf(
  { field, params, signature }: SetStatement,
  proof: string,
  label: string,
): Record<string, string> {
  return {
    'x-bft-set': field,
    'x-bft-proof': proof,
    'signature-input': `${label}=${params}`,
    signature: `${label}=${signature}`,
  }
}

/** Whether a set of names can prove the answer. False if the set or the answer is too old. */
function isProvable({ question, request, served, notBefore, at }: ReceiptWish, set: ProvableSet): boolean {
  return (
    question.read === provableRead &&
    request.query === '' &&
    isBindable(question.params['name'] ?? '') &&
    (notBefore === undefined || notBefore <= set.at) &&
    at.wall < Math.min(endOfSet(set), served.answer.endsAt ?? Number.POSITIVE_INFINITY)
  )
}

/** Returns the value of `x-bft-proof`. Undefined if the response does not follow from the set of names. */
function proofIn(tree: NameTree, { question, representation }: ReceiptWish): string | undefined {
  const name = question.params['name'] ?? ''
  const body = jsonIn(representation.body)
  if (representation.status === 200) {
    const found = tree.inclusion(name)
    return found && canonicalJson(body) === `{"entry":${found.text}}` ? inclusionField(found) : undefined
  }
  const missing =
    representation.status === 404 && saysNameAbsent(body, name) ? tree.exclusion(name) : undefined
  return missing && exclusionField(missing)
}

function jsonIn(body: string | Uint8Array): Json {
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof MisshapenJson) return null
    throw error
  }
}
