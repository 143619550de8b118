import { hash } from 'node:crypto'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import type { ContractWithState } from '../world/contract.ts'
import type { AnsEntry } from '../world/entry.ts'
import { isoTime } from '../world/instant.ts'
import type { Network } from '../world/network.ts'
import type { View } from '../world/view.ts'

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
