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

const provableRead = 'lookupAnsEntryByName'
/** In characters. A longer proof is not sent: many clients accept at most 16 KiB of headers. */
const longestProof = 8_192

interface MadeStatement {
  readonly electors: Electors
  readonly keyid: string
  readonly statement: SetStatement
}

/**
 * Proves answers from the mirror (the daemon's own copy of all names), with one signature for all
 * names of a snapshot. The first proof from a set builds its Merkle tree.
 */
export class SetProofs {
  readonly #deps: ReceiptDeskDeps
  readonly #trees = new WeakMap<ProvableSet, MaybePromise<NameTree>>()
  readonly #made = new WeakMap<ProvableSet, MadeStatement>()

  constructor(deps: ReceiptDeskDeps) {
    this.#deps = deps
  }

  /**
   * Returns the headers of a proof whose signature has this label. Undefined if there is no proof,
   * for example because the set has expired or the answer does not follow from it.
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
      if (!documents.markUsed(document.digest)) documents.add(document)
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

function isProvable({ question, request, served, notBefore, at }: ReceiptWish, set: ProvableSet): boolean {
  return (
    question.read === provableRead &&
    request.query === '' &&
    isBindable(question.params['name'] ?? '') &&
    (notBefore === undefined || notBefore <= set.at) &&
    at.wall < Math.min(endOfSet(set), served.answer.endsAt ?? Number.POSITIVE_INFINITY)
  )
}

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
