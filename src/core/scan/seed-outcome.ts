import type { FaultKind } from '../../base/errors/fault-kinds.ts'
import { SpliceError } from '../../base/errors/splice.ts'
import type { Reply } from '../quorum/reply.ts'
import { tunnelCode } from './forward-proxy.ts'
import type { ScanResponse } from './node.ts'

/** The outcome of asking one scan for the roster. `doctor/seed-advice.ts` has the words for operators. */
export type SeedOutcome =
  | 'answered'
  | 'refused'
  | 'timed-out'
  | 'connect'
  | 'reset'
  | 'dns'
  | 'proxy'
  | 'tls'
  | 'rate-limited'
  | 'blocked'
  | 'server-error'
  | 'not-a-scan'
  | 'contradictory'
  | 'other-network'
  | 'cannot-say'
  | 'not-asked'
  | 'not-asked-yet'

export interface SeedResult {
  readonly outcome: SeedOutcome
  readonly detail: string
}

export interface SeedState extends SeedResult {
  readonly url: string
  readonly at: string | null
}

const byFault: Readonly<Record<FaultKind, SeedOutcome>> = {
  unreachable: 'connect',
  blocked: 'blocked',
  reset: 'reset',
  truncated: 'reset',
  timeout: 'timed-out',
  busy: 'not-asked',
  'held-back': 'not-asked',
  unauthorized: 'refused',
  'rate-limited': 'rate-limited',
  'server-error': 'server-error',
  redirect: 'not-a-scan',
  'unexpected-status': 'not-a-scan',
  oversized: 'not-a-scan',
  'not-json': 'not-a-scan',
  misshapen: 'not-a-scan',
  'wrong-answer': 'other-network',
}

const dnsCode = /^(?:ENOTFOUND|EAI_\w+|ENODATA)$/
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|HOSTNAME_MISMATCH|PATH_LENGTH_|ERROR_IN_C)/

const longestText = 200

type ScanFault = Extract<ScanResponse, { kind: 'fault' }>
type ResponseText = Pick<Extract<ScanResponse, { kind: 'response' }>, 'kind' | 'status' | 'body'>

/** Returns why a scan gave no roster, as a code that shows an operator where to look. */
export function resultOf(
  reply: Extract<Reply, { kind: 'fault' | 'abstention' }>,
  response: ScanFault | ResponseText,
): SeedResult {
  if (response.kind === 'fault')
    return { outcome: outcomeOf(reply, response.code), detail: response.detail.slice(0, longestText) }
  const text = response.body
    .subarray(0, 4 * longestText)
    .toString()
    .replaceAll(/\p{C}|\s+/gu, ' ')
    .trim()
  const detail = `status ${response.status}${text === '' ? '' : `: ${text.slice(0, longestText)}`}`
  return { outcome: outcomeOf(reply), detail }
}

function outcomeOf(reply: Parameters<typeof resultOf>[0], code = ''): SeedOutcome {
  if (reply.kind !== 'fault') return 'cannot-say'
  if (reply.fault !== 'unreachable') return byFault[reply.fault]
  if (code === tunnelCode) return 'proxy'
  if (dnsCode.test(code)) return 'dns'
  return tlsCode.test(code) ? 'tls' : byFault.unreachable
}

export function countOutcomes(results: readonly Pick<SeedResult, 'outcome'>[]) {
  const counts = Map.groupBy(results, ({ outcome }) => outcome)
  return Object.fromEntries([...counts].map(([outcome, same]) => [outcome, same.length]))
}

/**
 * Adds the outcome of each seed to a `noRosterYet`. A program without a logger can learn them only
 * from this error.
 */
export function namingSeeds(error: unknown, seeds: readonly SeedState[]): unknown {
  if (!(error instanceof SpliceError) || error.code !== 'noRosterYet') return error
  const counts = Object.entries(countOutcomes(seeds)).map(([outcome, count]) => `${outcome} ${count}`)
  const causes = seeds.map(({ url, outcome, detail }) => new Error(`${url}: ${outcome}: ${detail}`))
  const { retryAfter, values } = error
  return new SpliceError(
    'noRosterYet',
    { why: `${values['why']} (seeds: ${counts.join(', ')})` },
    {
      ...(retryAfter !== undefined && { retryAfter }),
      cause: new AggregateError(causes, 'the outcome of each seed'),
    },
  )
}
