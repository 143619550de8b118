import type { QuorumReached } from '../base/errors/splice.ts'
import type { Agreement } from '../core/cache/agreement.ts'
import { Members, namesIn, unlessMalformed } from './header-members.ts'

/**
 * Parses the headers `x-bft-quorum` and `x-bft-agreed` of an answer.
 * @returns undefined if a header is absent or malformed, or if the names prove no quorum: they are
 * repeated, too few, or not as many as `x-bft-quorum` states.
 */
export function agreementIn(quorum: string | null, agreed: string | null): Agreement | undefined {
  return unlessMalformed(() => {
    const { setAside: _, ...reached } = reachedIn(quorum)
    const names = namesIn(agreed ?? '')
    const distinct = new Set(names).size
    if (distinct !== names.length || distinct !== reached.agreed) return undefined
    return distinct < Math.max(1, reached.threshold) ? undefined : { ...reached, agreed: names }
  })
}

/**
 * Parses `x-bft-quorum` of an error response. Returns undefined if it has no threshold: a daemon
 * that knows no super validators yet omits the threshold.
 */
export function quorumIn(header: string | null): QuorumReached | undefined {
  return unlessMalformed(() => {
    const { complete: _, ...quorum } = reachedIn(header)
    return quorum
  })
}

/** @throws MalformedField */
export function reachedIn(header: string | null): QuorumReached & { readonly complete: boolean } {
  const members = new Members(header ?? '')
  const setAside = members.optional('set-aside', 'integer')
  const operators = members.optional('operators', 'integer') !== undefined && {
    agreed: members.count('operators'),
    threshold: members.count('operator-threshold'),
    voters: members.count('operator-voters'),
  }
  return {
    agreed: members.count('agreed'),
    threshold: members.count('threshold'),
    asked: members.count('asked'),
    voters: members.count('voters'),
    ...(setAside !== undefined && { setAside }),
    ...(operators && { operators }),
    complete: members.optional('complete', 'boolean') ?? true,
    protected: members.optional('protected', 'boolean') ?? true,
  }
}
