import type { FaultKind, Reply } from '../quorum/reply.ts'
import { tunnelCode } from './forward-proxy.ts'
import type { ScanResponse } from './node.ts'

/** The reason why a scan gave no roster, as a code that shows an operator where to look. */
export type Cause =
  | 'refused'
  | 'rate-limited'
  | 'timed-out'
  | 'dns'
  | 'proxy'
  | 'tls'
  | 'connect'
  | 'reset'
  | 'blocked'
  | 'not-asked'
  | 'server-error'
  | 'not-a-scan'
  | 'contradictory'
  | 'other-network'
  | 'cannot-say'

export interface PollResult {
  readonly outcome: 'answered' | Cause
  readonly detail: string
}

const byFault: Readonly<Record<FaultKind, Cause>> = {
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

export function resultOf(
  reply: Extract<Reply, { kind: 'fault' | 'abstention' }>,
  response: Pick<Extract<ScanResponse, { kind: 'response' }>, 'kind' | 'status' | 'body'> | ScanFault,
): PollResult {
  return { outcome: causeOf(reply, response), detail: detailOf(response) }
}

type ScanFault = Extract<ScanResponse, { kind: 'fault' }>

function causeOf(
  reply: Reply,
  response: { readonly kind: string; readonly code?: string | undefined },
): Cause {
  if (reply.kind !== 'fault') return 'cannot-say'
  const code = response.code ?? ''
  if (reply.fault !== 'unreachable') return byFault[reply.fault]
  if (code === tunnelCode) return 'proxy'
  if (dnsCode.test(code)) return 'dns'
  return tlsCode.test(code) ? 'tls' : byFault.unreachable
}

function detailOf(response: Parameters<typeof resultOf>[1]): string {
  if (response.kind === 'fault') return response.detail.slice(0, longestText)
  const text = response.body
    .subarray(0, 4 * longestText)
    .toString()
    .replaceAll(/\p{C}|\s+/gu, ' ')
    .trim()
  return `status ${response.status}${text === '' ? '' : `: ${text.slice(0, longestText)}`}`
}
