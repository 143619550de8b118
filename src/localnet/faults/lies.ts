import { hash } from 'node:crypto'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import type { ReadId } from '../reads.ts'
import { isJson, jsonReply, type Reply } from '../reply.ts'
import { type ContractWithState, isoTime } from '../world/contract.ts'
import type { AnsEntry, Network } from '../world/network.ts'
import type { View } from '../world/view.ts'
import type { Ask } from './fault.ts'
import { type Parsed, tryParse } from './json-text.ts'

const sixtyDays = 60 * 86_400_000_000

type Payload = ContractWithState['contract']['payload']

/**
 * Makes a false but well-formed view. The methods `history`, `snapshots`, `participants`
 * and `annals` stay true here, because `falsified` changes the replies that are made from them.
 * @param salt called by each call of a method that lies. Equal salts give equal lies.
 */
export function lyingView(truth: View, network: Network, salt: () => string): View {
  const lieNow = () => new Lie(salt(), network)
  return {
    ...lyingNames(truth, lieNow),
    ...lyingRules(truth, lieNow),
    ...lyingNetwork(truth, lieNow),
    initialised: truth.initialised,
    history: () => truth.history(),
    snapshots: () => truth.snapshots(),
    participants: (party) => truth.participants(party),
    annals: () => truth.annals(),
  }
}

function lyingNames(truth: View, lieNow: () => Lie): Pick<View, 'entryByName' | 'entryByParty' | 'entries'> {
  return {
    entryByName(name) {
      const lie = lieNow()
      return whenKnown(truth.entryByName(name), (entry) => lie.claim(name, lie.owner, entry))
    },
    entryByParty(party) {
      const lie = lieNow()
      return whenKnown(truth.entryByParty(party), (entry) => lie.claim(lie.nameOf(party), party, entry))
    },
    entries(prefix, limit) {
      const lie = lieNow()
      return whenKnown(truth.entries(prefix, limit), ([first, ...others]) => {
        if (first === undefined) return [lie.invented(prefix)]
        const left = others.toSpliced(Math.floor(others.length / 2), 1)
        return [lie.claim(first.name, lie.owner, first), lie.invented(prefix), ...left].slice(0, limit)
      })
    },
  }
}

function lyingRules(truth: View, lieNow: () => Lie): Pick<View, 'ansRules' | 'amuletRules'> {
  return {
    ansRules() {
      const lie = lieNow()
      return whenKnown(truth.ansRules(), (rules) => {
        if (rules === undefined) return undefined
        const { payload } = rules.contract
        const config = { ...(payload['config'] as object), entryFee: lie.fee }
        return lie.contract(rules, { ...payload, config })
      })
    },
    amuletRules() {
      const lie = lieNow()
      return whenKnown(truth.amuletRules(), (rules) => {
        if (rules === undefined) return undefined
        const payload = lie.elsewhere(rules.contract.payload)
        return { ...lie.contract(rules, payload), domain_id: lie.synchronizer }
      })
    },
  }
}

function lyingNetwork(
  truth: View,
  lieNow: () => Lie,
): Pick<View, 'dsoParty' | 'scans' | 'dso' | 'instanceNames'> {
  return {
    dsoParty: () => lieNow().dso,
    scans() {
      const joined = lieNow().scan
      const scans = truth.scans().scans.map((group) => ({
        ...group,
        scans: [...group.scans.slice(0, -1), joined],
      }))
      return { scans }
    },
    dso(answering) {
      const lie = lieNow()
      return whenKnown(
        truth.dso(answering),
        (info) => info && { ...info, dso_party_id: lie.dso, voting_threshold: 1 },
      )
    },
    instanceNames: () => ({ ...truth.instanceNames(), name_service_name_acronym: lieNow().acronym }),
  }
}

class Lie {
  readonly #salt: string
  readonly #network: Network

  constructor(salt: string, network: Network) {
    this.#salt = salt
    this.#network = network
  }

  get owner(): string {
    return `mallory::1220${this.#hex('party')}`
  }

  get dso(): string {
    return `DSO::1220${this.#hex('dso')}`
  }

  get synchronizer(): string {
    return `global-domain::1220${this.#hex('synchronizer')}`
  }

  get fee(): string {
    return `0.${this.#hex('fee').replaceAll(/\D/g, '').slice(0, 4)}1`
  }

  get acronym(): string {
    return `X${this.#hex('acronym').slice(0, 3).toUpperCase()}`
  }

  get scan() {
    const publicUrl = `https://scan.${this.#hex('scan').slice(0, 8)}.example`
    return { publicUrl, svName: 'mallory' }
  }

  nameOf(party: string): string {
    return `mallory-${this.#hex(party).slice(0, 6)}.unverified.${this.#network.acronym}`
  }

  claim(name: string, user: string, over?: AnsEntry): AnsEntry {
    return {
      contract_id: this.#contractId(name),
      user,
      name,
      url: `https://${this.#hex(name).slice(0, 8)}.example`,
      description: over?.description ?? '',
      expires_at: over?.expires_at ?? isoTime(this.#network.startedAt + sixtyDays),
    }
  }

  invented(prefix: string): AnsEntry {
    const ending = prefix.includes('.') ? '' : `.unverified.${this.#network.acronym}`
    return this.claim(`${prefix}${this.#hex(prefix).slice(0, 6)}${ending}`, this.owner)
  }

  contract({ contract, domain_id }: ContractWithState, payload: Payload): ContractWithState {
    const contract_id = this.#contractId(contract.template_id)
    return { contract: { ...contract, contract_id, payload }, domain_id }
  }

  elsewhere(payload: Payload): Payload {
    const text = JSON.stringify(payload).replaceAll(this.#network.synchronizer, this.synchronizer)
    return parseJsonText(text) as Payload
  }

  #contractId(about: string): string {
    return `00${this.#hex(about)}ca111220${this.#hex(about, 'suffix')}`
  }

  #hex(...parts: readonly string[]): string {
    return hash('sha256', [this.#salt, ...parts].join('\n'), 'hex')
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
