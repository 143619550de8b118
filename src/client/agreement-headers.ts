import type { Agreement } from '../cache/agreement.ts'
import type { QuorumReached } from '../errors/splice.ts'
import { type FieldMember, MalformedField, parseDictionary, parseList } from '../lib/structured-fields.ts'

type Reached = QuorumReached & { readonly complete: boolean }

/**
 * Parses the headers `x-bft-quorum` and `x-bft-agreed` of an answer.
 * @returns undefined if a header is absent or malformed, or if the names prove no quorum: they are
 * repeated, too few, or not as many as `x-bft-quorum` states.
 */
export function agreementIn(quorum: string | null, agreed: string | null): Agreement | undefined {
  const reached = reachedIn(quorum)
  const names = namesIn(agreed)
  if (reached === undefined || names === undefined) return undefined
  const distinct = new Set(names).size
  if (distinct !== names.length || distinct !== reached.agreed) return undefined
  if (distinct < Math.max(1, reached.threshold)) return undefined
  const { setAside: _, ...agreement } = reached
  return { ...agreement, agreed: names }
}

/**
 * Parses `x-bft-quorum` of an error response. Returns undefined if it has no threshold: a daemon
 * that knows no super validators yet omits the threshold.
 */
export function quorumIn(header: string | null): QuorumReached | undefined {
  const reached = reachedIn(header)
  if (reached === undefined) return undefined
  const { complete: _, ...quorum } = reached
  return quorum
}

function reachedIn(header: string | null): Reached | undefined {
  const members = parsed(header, parseDictionary)
  const number = (key: string) => numberIn(members?.get(key))
  const counts = {
    agreed: number('agreed'),
    threshold: number('threshold'),
    asked: number('asked'),
    voters: number('voters'),
  }
  if (members === undefined || Object.values(counts).some(Number.isNaN)) return undefined
  const operators = {
    agreed: number('operators'),
    threshold: number('operator-threshold'),
    voters: number('operator-voters'),
  }
  const setAside = number('set-aside')
  return {
    ...counts,
    ...(!Number.isNaN(setAside) && { setAside }),
    ...(Object.values(operators).some(Number.isNaN) ? {} : { operators }),
    complete: !isFalse(members.get('complete')),
    protected: !isFalse(members.get('protected')),
  }
}

function numberIn(member: FieldMember | undefined): number {
  if (member === undefined || 'items' in member || member.bare.type !== 'integer') return Number.NaN
  return member.bare.value >= 0 ? member.bare.value : Number.NaN
}

function isFalse(member: FieldMember | undefined): boolean {
  return member !== undefined && 'bare' in member && member.bare.value === false
}

function namesIn(header: string | null): readonly string[] | undefined {
  const names = parsed(header, parseList)?.map((member) =>
    'bare' in member && (member.bare.type === 'string' || member.bare.type === 'display')
      ? member.bare.value
      : undefined,
  )
  return names?.every((name) => name !== undefined) ? names : undefined
}

function parsed<Field>(header: string | null, parse: (text: string) => Field): Field | undefined {
  try {
    return header === null ? undefined : parse(header)
  } catch (error) {
    if (error instanceof MalformedField) return undefined
    throw error
  }
}
