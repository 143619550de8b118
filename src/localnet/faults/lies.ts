import { hash } from 'node:crypto'
import { tryJsonText } from '../../base/lib/parse-json-text.ts'
import { timeOf } from '../../registry/ledger/daml/time.ts'
import type { ReadId } from '../reads.ts'
import { isJson, jsonReply, type Reply } from '../reply.ts'
import type { AnsEntry, Network } from '../world/network.ts'
import type { View } from '../world/view.ts'
import type { Ask } from './fault.ts'
import type { Parsed } from './json-text.ts'

const sixtyDays = 60 * 86_400_000_000

/**
 * Lies about names, the list of scans and the acronym. `falsified` changes the replies that are made
 * from the rest of the view.
 * @param salt called by each call of a method that lies. Equal salts give equal lies.
 */
export function lyingView(truth: View, network: Network, salt: () => string): View {
  const lieNow = () => lieOf(salt(), network)
  return {
    ...truth,
    async entryByName(name) {
      const lie = lieNow()
      return lie.claim(name, lie.owner, await truth.entryByName(name))
    },
    async entryByParty(party) {
      const lie = lieNow()
      return lie.claim(lie.nameOf(party), party, await truth.entryByParty(party))
    },
    async entries(prefix, limit) {
      const lie = lieNow()
      const [first, ...others] = await truth.entries(prefix, limit)
      if (first === undefined) return [lie.invented(prefix)]
      const left = others.toSpliced(Math.floor(others.length / 2), 1)
      return [lie.claim(first.name, lie.owner, first), lie.invented(prefix), ...left].slice(0, limit)
    },
    scans() {
      const joined = lieNow().scan
      const groups = truth.scans().scans
      return { scans: groups.map((group) => ({ ...group, scans: [...group.scans.slice(0, -1), joined] })) }
    },
    instanceNames: () => ({ ...truth.instanceNames(), name_service_name_acronym: lieNow().acronym }),
  }
}

function lieOf(salt: string, { acronym, startedAt }: Network) {
  const hex = (...parts: readonly string[]) => hash('sha256', [salt, ...parts].join('\n'), 'hex')
  const owner = `mallory::1220${hex('party')}`
  const claim = (name: string, user: string, over?: AnsEntry): AnsEntry => ({
    contract_id: `00${hex(name)}ca111220${hex(name, 'suffix')}`,
    user,
    name,
    url: `https://${hex(name).slice(0, 8)}.example`,
    description: over?.description ?? '',
    expires_at: over?.expires_at ?? timeOf(startedAt + sixtyDays),
  })
  return {
    owner,
    claim,
    acronym: `X${hex('acronym').slice(0, 3).toUpperCase()}`,
    scan: { publicUrl: `https://scan.${hex('scan').slice(0, 8)}.example`, svName: 'mallory' },
    nameOf: (party: string) => `mallory-${hex(party).slice(0, 6)}.unverified.${acronym}`,
    invented(prefix: string): AnsEntry {
      const ending = prefix.includes('.') ? '' : `.unverified.${acronym}`
      return claim(`${prefix}${hex(prefix).slice(0, 6)}${ending}`, owner)
    },
  }
}

/**
 * The reads whose replies `falsified` does not change. Either `lyingView` has already falsified what
 * the node answers from, or the reply has no ledger content.
 */
const leftUnchanged: ReadonlySet<ReadId> = new Set<ReadId>([
  'ans-entries',
  'by-name',
  'by-party',
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
  const value = tryJsonText(reply.body.toString()) as Parsed | undefined
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
