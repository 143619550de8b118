import { hash } from 'node:crypto'
import type { ReadId } from '../reads.ts'
import { isJson, jsonReply, type Reply } from '../reply.ts'
import type { Ask } from './fault.ts'
import { type Parsed, tryParse } from './json-text.ts'

/**
 * The reads whose replies `falsified` does not change. Either `lyingView` has already falsified what
 * the node answers from, or the reply has no ledger content.
 */
const leftUnchanged: ReadonlySet<ReadId> = new Set<ReadId>([
  'ans-entries',
  'by-name',
  'by-party',
  'ans-rules',
  'amulet-rules',
  'dso-party-id',
  'dso',
  'scans',
  'splice-instance-names',
  'version',
  'status',
  'livez',
  'readyz',
  'unknown',
])

const kept =
  /^(?:status|.*_type|migration_id|round_number|tokenType|decimals|threshold|time_to_live.*|number|nonce)$/

/**
 * Falsifies ids, amounts and numbers in a reply but keeps its structure. Values that the request
 * contains stay, because a caller would notice a change of them.
 * @param asked the body of the request.
 * @param salt nodes with equal salts tell the same lie.
 */
export function falsified(reply: Reply, { read, target }: Ask, asked: string, salt: string): Reply {
  if (leftUnchanged.has(read) || !isJson(reply) || reply.status !== 200) return reply
  const question = `${decodeURIComponent(target)} ${asked}`
  const isAsked = (text: string) => text.length > 3 && question.includes(text)
  const value = tryParse(reply.body)
  if (value === undefined) return reply
  return jsonReply(JSON.stringify(aboutTime(read, value) ?? lieAbout(value, '', salt, isAsked)))
}

function aboutTime(read: ReadId, value: Parsed): Parsed | undefined {
  const hour = 3_600_000
  const shift = { 'snapshot-before': -hour, 'snapshot-after': hour, 'latest-record-time': hour }[String(read)]
  if (shift === undefined || value === null || typeof value !== 'object' || Array.isArray(value))
    return undefined
  return { record_time: new Date(Date.parse(String(value['record_time'])) + shift).toISOString() }
}

function lieAbout(value: Parsed, key: string, salt: string, isAsked: (text: string) => boolean): Parsed {
  if (kept.test(key)) return value
  if (typeof value === 'string') return isAsked(value) ? value : anotherText(value, salt)
  if (typeof value === 'number') return value + 1
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => lieAbout(item, key, salt, isAsked))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      isAsked(name) ? name : anotherText(name, salt),
      lieAbout(inner, name, salt, isAsked),
    ]),
  )
}

/**
 * Returns a false id, amount or number in the same format; other text stays as it is. Equal strings
 * become equal strings, so that an id has the same false value wherever it occurs.
 */
function anotherText(text: string, salt: string): string {
  const said = hash('sha256', `${salt}\n${text}`, 'hex')
  if (/^[0-9a-f]{16,}(?::\d+)?$/.test(text)) return `${text.slice(0, 4)}${said.slice(0, 12)}${text.slice(16)}`
  if (/^\d+\.\d+$/.test(text)) return `${Number(said.slice(0, 4).replaceAll(/\D/g, '')) + 1}${text}`
  if (/^\d{3,}$/.test(text)) return `${text}0`
  const party = /^((?:\w+::)?[^:]+::1220)[0-9a-f]{64}$/.exec(text)
  return party === null ? text : `${party[1]}${said}`
}
