import type { FaultKind } from '../errors/fault-kinds.ts'
import type { Reply } from '../quorum/reply.ts'
import { getAmuletRules, getDsoPartyId, listDsoScans } from '../reads/dso.ts'
import type { Question, Read } from '../reads/read.ts'
import { Ballots } from './ballots.ts'
import type { Connection } from './connections.ts'
import { tunnelCode } from './forward-proxy.ts'
import type { InquiryOptions } from './inquiry.ts'
import { JudgeFailed, type JudgeThread } from './judge-thread.ts'
import type { ScanResponse } from './node.ts'
import type { RosterSet } from './roster.ts'
import { requestOf } from './scan-request.ts'
import type { RefusalStatement } from './statement.ts'

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

export type RosterReply = { readonly kind: 'set'; readonly set: RosterSet } | Silent

interface Silent {
  readonly kind: 'silent'
  readonly reply: Extract<Reply, { kind: 'abstention' | 'fault' }>
  readonly result: PollResult
}

/** The bytes that the daemon keeps of a response without a roster, to show them to operators. */
const mostExplained = 1_024

/**
 * Asks one node for the DSO, the network's rules and the published scans, which together make the
 * roster. The promise rejects only when `signal` aborts.
 */
export async function askForRoster(
  connection: Connection,
  options: InquiryOptions,
  { judge, signal }: { readonly judge: JudgeThread; readonly signal: AbortSignal },
): Promise<RosterReply> {
  const ask = (read: Read) => askOne(connection, { read, params: {} }, options, { judge, signal })
  const answers = await Promise.all([getDsoPartyId, getAmuletRules, listDsoScans].map(ask))
  const silent = answers.find((answer) => answer.kind === 'silent')
  if (silent !== undefined) return silent
  const bodies = answers.flatMap((answer) => (answer.kind === 'said' ? [answer.body] : []))
  try {
    const set = await judge.roster(bodies, connection.node.url)
    return typeof set === 'string' ? misshapen('contradictory', set) : { kind: 'set', set }
  } catch (error) {
    return unread(error)
  }
}

/** The result if this daemon failed to judge a node's response. The node is not to blame. */
const notJudged: Silent = {
  kind: 'silent',
  reply: { kind: 'fault', fault: 'busy' },
  result: { outcome: 'not-asked', detail: 'this daemon had no means to judge its answer' },
}

function misshapen(outcome: 'contradictory' | 'not-a-scan', detail: string): Silent {
  return { kind: 'silent', reply: { kind: 'fault', fault: 'misshapen' }, result: { outcome, detail } }
}

interface SaidBody {
  readonly kind: 'said'
  readonly body: Buffer
}

async function askOne(
  connection: Connection,
  question: Question,
  options: InquiryOptions,
  { judge, signal }: { readonly judge: JudgeThread; readonly signal: AbortSignal },
): Promise<SaidBody | Silent> {
  const response = await connection.askForDaemon(requestOf(question, options), signal)
  if (response.kind === 'fault') return silent({ kind: 'fault', fault: response.fault }, response)
  const ballots = new Ballots(question, { judge: { thread: judge, nameOf: () => connection.node.url } })
  try {
    const { reply } = await ballots.hear(0, response.status, response.body)
    const { kind, status, body } = response
    const heard = { kind, status, body: Buffer.from(body.subarray(0, mostExplained)) }
    switch (reply.kind) {
      case 'value':
        return await said(ballots, reply.vote)
      case 'refusal': {
        const reason = (ballots.statement(reply.vote) as RefusalStatement).text
        return silent({ kind: 'abstention', reason }, heard)
      }
      case 'fault':
        return reply.fault === 'busy' ? notJudged : silent(reply, heard)
      default:
        return silent(reply, heard)
    }
  } finally {
    response.release()
  }
}

function silent(...[reply, response]: Parameters<typeof resultOf>): Silent {
  return { kind: 'silent', reply, result: resultOf(reply, response) }
}

async function said(ballots: Ballots, vote: string): Promise<SaidBody | Silent> {
  try {
    const { body } = await ballots.print(vote, { on: 'whole' })
    return { kind: 'said', body: Buffer.from(body) }
  } catch (error) {
    return unread(error)
  }
}

function unread(error: unknown): Silent {
  if (!(error instanceof JudgeFailed)) throw error
  return error.blame === 'body' ? misshapen('not-a-scan', 'an answer that cannot be read') : notJudged
}
