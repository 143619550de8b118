import type { FaultKind } from '../errors/fault-kinds.ts'
import { isJsonObject } from '../lib/canonical-json.ts'
import type { Reply } from '../quorum/reply.ts'
import { refusalStatuses } from '../reads/answer-status.ts'
import { isKnownAbstention, lacksHistory, lacksPath } from '../reads/known-abstentions.ts'
import type { Read } from '../reads/read.ts'
import type { AbsentText } from '../reads/request.ts'
import { tryParse } from './judgement.ts'
import { RefusalStatement } from './statement.ts'

/**
 * A scan that has not loaded the history answers with this status. An overloaded scan does too, so
 * the text of the body decides.
 */
const unavailableStatus = 503

const longestRefusal = 65_536

type NoVote = Extract<Reply, { kind: 'abstention' | 'fault' }>

/**
 * Classifies a response without a value. Only a refusal is a vote; an abstention or a fault is not.
 * @param absent the error texts with which a 404 counts as an absence.
 */
export function refusalOf(
  status: number,
  bytes: Buffer,
  read: Read,
  absent: readonly AbsentText[],
): NoVote | RefusalStatement {
  if (status === unavailableStatus && read.holders !== undefined) return abstentionOr(bytes)
  if (!refusalStatuses.has(status)) return fault(faultOfStatus(status))
  if (bytes.length > longestRefusal) return fault('oversized')
  if (status === 404 && bytes.length === 0 && read.absent.includes('')) return absenceOr('', absent)
  const text = errorIn(bytes)
  if (typeof text !== 'string') return text
  return status === 404 ? absenceOr(text, absent) : new RefusalStatement(status, text)
}

export function saysUnknownPath(status: number, bytes: Buffer): boolean {
  if (status !== 404 || bytes.length > longestRefusal) return false
  const text = errorIn(bytes)
  return typeof text === 'string' && lacksPath(text)
}

function absenceOr(said: string, texts: readonly AbsentText[]): NoVote | RefusalStatement {
  const means = ({ text, isOpen }: AbsentText) =>
    isOpen ? said.startsWith(text) && !isKnownAbstention(said) : said === text
  const [first] = texts
  if (first !== undefined && texts.some(means)) return new RefusalStatement(404, first.text)
  return { kind: 'abstention', reason: said.slice(0, 200) }
}

function abstentionOr(bytes: Buffer): NoVote {
  const text = bytes.length > longestRefusal ? undefined : errorIn(bytes)
  if (typeof text !== 'string' || !lacksHistory(text)) return fault(faultOfStatus(unavailableStatus))
  return { kind: 'abstention', reason: text.slice(0, 200) }
}

function errorIn(bytes: Buffer): string | Extract<Reply, { kind: 'fault' }> {
  const json = tryParse(bytes, { maxElements: longestRefusal / 16 })
  if (typeof json === 'string') return unknownPathIn(bytes) ?? fault(json)
  const text = isJsonObject(json.value) ? json.value['error'] : undefined
  return typeof text === 'string' ? text : fault('misshapen')
}

/** The default answer of Splice's HTTP library to a path without a route is plain text. */
function unknownPathIn(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8', 0, 200)
  return lacksPath(text) ? text : undefined
}

function fault(kind: FaultKind): Extract<Reply, { kind: 'fault' }> {
  return { kind: 'fault', fault: kind }
}

export function faultOfStatus(status: number): FaultKind {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 429) return 'rate-limited'
  if (status >= 300 && status < 400) return 'redirect'
  return status >= 500 ? 'server-error' : 'unexpected-status'
}
