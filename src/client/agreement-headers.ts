import type { Agreement } from '../cache/agreement.ts'

/**
 * Parses `x-bft-quorum` and `x-bft-agreed` (RFC 9651, as far as the daemon uses it).
 * @returns undefined if they are absent or malformed: the server is then not this daemon.
 */
export function agreementIn(quorum: string | null, agreed: string | null): Agreement | undefined {
  if (quorum === null || agreed === null) return undefined
  const members = new Map(
    [...quorum.matchAll(/([a-z-]+)=(\?[01]|\d+)/g)].map(([, key = '', value = '']) => [key, value]),
  )
  const number = (key: string) => Number(members.get(key) ?? Number.NaN)
  const counts = { threshold: number('threshold'), asked: number('asked'), voters: number('voters') }
  if (Object.values(counts).some(Number.isNaN)) return undefined
  const operators = {
    agreed: number('operators'),
    threshold: number('operator-threshold'),
    voters: number('operator-voters'),
  }
  return {
    agreed: namesIn(agreed),
    ...counts,
    ...(Object.values(operators).some(Number.isNaN) ? {} : { operators }),
    complete: members.get('complete') !== '?0',
    protected: members.get('protected') !== '?0',
  }
}

/** Parses a list of strings and display strings. */
function namesIn(list: string): readonly string[] {
  return [...list.matchAll(/%"([^"]*)"|"((?:[^"\\]|\\.)*)"/g)].map(([, display, text]) =>
    display === undefined ? (text ?? '').replaceAll(/\\(.)/g, '$1') : decodeURIComponent(display),
  )
}
