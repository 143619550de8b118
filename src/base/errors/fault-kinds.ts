/**
 * The reasons why a request to a super validator gave no vote (quorum.md#faults-never-agree). With
 * `blocked`, `busy` and `held-back`, this daemon did not send or finish the request. With all
 * others, the response is missing or unusable.
 */
export const faultKinds = [
  'unreachable',
  'blocked',
  'reset',
  'timeout',
  'busy',
  'held-back',
  'unauthorized',
  'rate-limited',
  'redirect',
  'server-error',
  'unexpected-status',
  'oversized',
  'truncated',
  'not-json',
  'misshapen',
  'wrong-answer',
] as const

export type FaultKind = (typeof faultKinds)[number]
