import type { Agreement } from '../cache/agreement.ts'
import type { QuorumReached } from '../errors/splice.ts'

type Reached = QuorumReached & { readonly complete: boolean }

/**
 * Parses the values of the headers `x-bft-quorum` and `x-bft-agreed`. It supports the part of RFC 9651 that the daemon
 * uses.
 * @returns undefined if a header is absent, or if `x-bft-quorum` lacks a count. The response is then an error, or is
 * not from a daemon.
 */
export function agreementIn(quorum: string | null, agreed: string | null): Agreement | undefined {
  const reached = reachedIn(quorum)
  if (reached === undefined || agreed === null) return undefined
  const { setAside: _, ...agreement } = reached
  return { ...agreement, agreed: namesIn(agreed) }
}

/**
 * Parses the header `x-bft-quorum` of an error response.
 * @returns undefined if the header is absent or lacks a count. It has no threshold if the daemon has no roster.
 */
export function quorumIn(header: string | null): QuorumReached | undefined {
  const reached = reachedIn(header)
  if (reached === undefined) return undefined
  const { complete: _, ...quorum } = reached
  return quorum
}

function reachedIn(header: string | null): Reached | undefined {
  const members = new Map(
    [...(header ?? '').matchAll(/([a-z-]+)=(\?[01]|\d+)/g)].map(([, key = '', value = '']) => [key, value]),
  )
  const number = (key: string) => Number(members.get(key) ?? Number.NaN)
  const counts = {
    agreed: number('agreed'),
    threshold: number('threshold'),
    asked: number('asked'),
    voters: number('voters'),
  }
  if (Object.values(counts).some(Number.isNaN)) return undefined
  const operators = {
    agreed: number('operators'),
    threshold: number('operator-threshold'),
    voters: number('operator-voters'),
  }
  return {
    ...counts,
    ...(members.has('set-aside') && { setAside: number('set-aside') }),
    ...(Object.values(operators).some(Number.isNaN) ? {} : { operators }),
    complete: members.get('complete') !== '?0',
    protected: members.get('protected') !== '?0',
  }
}

/** Parses an RFC 9651 list of strings and display strings. */
function namesIn(list: string): readonly string[] {
  return [...list.matchAll(/%"([^"]*)"|"((?:[^"\\]|\\.)*)"/g)].map(([, display, text]) =>
    display === undefined ? (text ?? '').replaceAll(/\\(.)/g, '$1') : decodeURIComponent(display),
  )
}
