import type { Agreement } from '../cache/agreement.ts'
import { printBytes, printText } from '../lib/structured-fields.ts'
import type { Exclusion, Inclusion, ProvenLeaf } from './name-tree.ts'
import { byteSequence } from './receipt-field.ts'

/** The values in the header `x-bft-set`. Digests are SHA-256 in base64url. */
export interface SetField {
  /** The record time of the snapshot, in seconds since 1970. */
  readonly at: number
  readonly migrationId: number
  /** The number of names in the tree. */
  readonly names: number
  readonly root: string
  /** The digest of the roster document. */
  readonly roster: string
  /** The trust digest. */
  readonly trust: string
  /** The digest of the vote document. */
  readonly votes: string
  readonly agreement: Agreement
}

/** Serializes `x-bft-set`, a dictionary of RFC 9651. */
export function setField(field: SetField): string {
  const { at, migrationId, names, root, roster, trust, votes, agreement } = field
  const { agreed, threshold, asked, voters, operators } = agreement
  return [
    'v=1',
    `at=@${at}`,
    `migration=${migrationId}`,
    `names=${names}`,
    `root=${byteSequence(root)}`,
    `roster=${byteSequence(roster)}`,
    `trust=${byteSequence(trust)}`,
    `votes=${byteSequence(votes)}`,
    `agreed=(${agreed.map(printText).join(' ')})`,
    `threshold=${threshold}`,
    `asked=${asked}`,
    `voters=${voters}`,
    ...(operators === undefined
      ? []
      : [`operators=${operators.agreed}`, `operator-threshold=${operators.threshold}`]),
    ...(agreement.protected ? [] : ['protected=?0']),
  ].join(', ')
}

/** Serializes `x-bft-proof` of a name that the set has: a dictionary of RFC 9651. */
export function inclusionField({ index, path }: Inclusion): string {
  return `index=${index}, path=${printBytes(path)}`
}

/** Serializes `x-bft-proof` of a name that the set lacks. */
export function exclusionField({ index, left, right }: Exclusion): string {
  return [`index=${index}`, ...neighbour('left', left), ...neighbour('right', right)].join(', ')
}

function neighbour(side: 'left' | 'right', leaf: ProvenLeaf | undefined): readonly string[] {
  if (leaf === undefined) return []
  return [`${side}=${printBytes(Buffer.from(leaf.text))}`, `${side}-path=${printBytes(leaf.path)}`]
}
