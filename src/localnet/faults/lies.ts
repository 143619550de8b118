import { hash } from 'node:crypto'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import type { ContractWithState } from '../world/contract.ts'
import type { AnsEntry } from '../world/entry.ts'
import { dateTime } from '../world/instant.ts'
import type { Network } from '../world/network.ts'
import type { View } from '../world/view.ts'

const sixtyDays = 60 * 86_400_000_000

function hex(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'hex')
}

/**
 * Derives a false but well-formed view from the true one. The view calls `salt` once for each answer; views with
 * equal salts tell equal lies. Histories, snapshots, participants and `Annals` stay true: `falsified` changes the
 * replies that are made from them.
 */
export function lyingView(truth: View, network: Network, salt: () => string): View {
  const liar = (said: string) => `mallory::1220${hex(said, 'party')}`
  const contractId = (said: string, about: string) =>
    `00${hex(said, about)}ca111220${hex(said, about, 'suffix')}`

  function claim(said: string, name: string, user: string, over?: AnsEntry): AnsEntry {
    return {
      contract_id: contractId(said, name),
      user,
      name,
      url: `https://${hex(said, name).slice(0, 8)}.example`,
      description: over?.description ?? '',
      expires_at: over?.expires_at ?? dateTime(network.startedAt + sixtyDays),
    }
  }

  function falseContract(
    said: string,
    { contract, domain_id }: ContractWithState,
    payload: typeof contract.payload,
  ) {
    const contract_id = contractId(said, contract.template_id)
    return { contract: { ...contract, contract_id, payload }, domain_id }
  }

  function invented(said: string, prefix: string): AnsEntry {
    const ending = prefix.includes('.') ? '' : `.unverified.${network.acronym}`
    return claim(said, `${prefix}${hex(said, prefix).slice(0, 6)}${ending}`, liar(said))
  }

  return {
    initialised: truth.initialised,
    entryByName(name) {
      const said = salt()
      return whenKnown(truth.entryByName(name), (entry) => claim(said, name, liar(said), entry))
    },
    entryByParty(party) {
      const said = salt()
      const name = `mallory-${hex(said, party).slice(0, 6)}.unverified.${network.acronym}`
      return whenKnown(truth.entryByParty(party), (entry) => claim(said, name, party, entry))
    },
    entries(prefix, limit) {
      const said = salt()
      return whenKnown(truth.entries(prefix, limit), ([first, ...others]) => {
        if (first === undefined) return [invented(said, prefix)]
        const left = others.toSpliced(Math.floor(others.length / 2), 1)
        return [claim(said, first.name, liar(said), first), invented(said, prefix), ...left].slice(0, limit)
      })
    },
    ansRules() {
      const said = salt()
      const entryFee = `0.${hex(said, 'fee').replaceAll(/\D/g, '').slice(0, 4)}1`
      return whenKnown(truth.ansRules(), (rules) => {
        if (rules === undefined) return undefined
        const { payload } = rules.contract
        return falseContract(said, rules, {
          ...payload,
          config: { ...(payload['config'] as object), entryFee },
        })
      })
    },
    amuletRules() {
      const said = salt()
      const synchronizer = `global-domain::1220${hex(said, 'synchronizer')}`
      return whenKnown(truth.amuletRules(), (rules) => {
        if (rules === undefined) return undefined
        const text = JSON.stringify(rules.contract.payload).replaceAll(network.synchronizer, synchronizer)
        const payload = parseJsonText(text) as typeof rules.contract.payload
        return { ...falseContract(said, rules, payload), domain_id: synchronizer }
      })
    },
    dsoParty: () => `DSO::1220${hex(salt(), 'dso')}`,
    scans() {
      const said = salt()
      const joined = { publicUrl: `https://scan.${hex(said, 'scan').slice(0, 8)}.example`, svName: 'mallory' }
      return {
        scans: truth.scans().scans.map(({ domainId, scans }) => ({
          domainId,
          scans: [...scans.slice(0, -1), joined],
        })),
      }
    },
    dso(answering) {
      const said = salt()
      return whenKnown(
        truth.dso(answering),
        (info) => info && { ...info, dso_party_id: `DSO::1220${hex(said, 'dso')}`, voting_threshold: 1 },
      )
    },
    history: () => truth.history(),
    snapshots: () => truth.snapshots(),
    participants: (party) => truth.participants(party),
    annals: () => truth.annals(),
    instanceNames: () => ({
      ...truth.instanceNames(),
      name_service_name_acronym: `X${hex(salt(), 'acronym').slice(0, 3).toUpperCase()}`,
    }),
  }
}
