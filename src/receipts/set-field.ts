import type { Agreement } from '../cache/agreement.ts'
import { printBytes, printText } from '../lib/structured-fields.ts'
import type { Exclusion, Inclusion, ProvenLeaf } from './name-tree.ts'
import { byteSequence } from './receipt-field.ts'

/**
 * The values in the header `x-bft-set`. Digests are SHA-256 in base64url. `at` is the snapshot's
 * record time, in seconds since 1970.
 */
export interface SetField {
  readonly at: number
  readonly migrationId: number
  readonly names: number
  readonly root: string
  readonly roster: string
  readonly trust: string
  readonly votes: string
  readonly agreement: Agreement
}

/** The header is a dictionary of RFC 9651. */
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

export function inclusionField({ index, path }: Inclusion): string {
  return `index=${index}, path=${printBytes(path)}`
}

export function exclusionField({ index, left, right }: Exclusion): string {
  return [`index=${index}`, ...neighbour('left', left), ...neighbour('right', right)].join(', ')
}

function neighbour(side: 'left' | 'right', leaf: ProvenLeaf | undefined): readonly string[] {
  if (leaf === undefined) return []
  return [`${side}=${printBytes(Buffer.from(leaf.text))}`, `${side}-path=${printBytes(leaf.path)}`]
}
