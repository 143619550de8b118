import type { Config } from '../../base/config/resolve.ts'
import { SpliceError } from '../../base/errors/splice.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Events } from '../../base/telemetry/events.ts'
import { getAnsRules, lookupAnsEntryByName } from '../../core/reads/ans.ts'
import type { Question } from '../../core/reads/read.ts'
import { lookupFeaturedAppRight } from '../../core/reads/rights.ts'
import { getSpliceInstanceNames } from '../../core/reads/topology.ts'
import { agreedValue, type Reader } from '../../core/scan/reader.ts'
import { AnsRules } from '../ledger/daml/splice/ans.ts'
import { tryMicros } from '../ledger/daml/time.ts'
import { conform } from '../ledger/daml/type.ts'
import { Commands } from '../ledger/participant/commands.ts'
import { JsonApi } from '../ledger/participant/json-api.ts'
import { Participant, type ParticipantUser } from '../ledger/participant/participant.ts'
import { ParticipantLedger } from '../ledger/participant/participant-ledger.ts'
import type { DamlValue, Micros } from '../ledger/value.ts'
import { type AgreedAnsRules, type Holder, Registry } from './registry.ts'
import type { UserDirectory } from './users.ts'

export interface ParticipantRegistryDeps {
  readonly clock: Clock
  readonly events: Pick<Events, 'ledgerWritten'>
  readonly reader: Pick<Reader, 'answer'>
}

export type ParticipantRegistry = ReturnType<typeof participantRegistry>

/**
 * Makes the registry for the users of a participant, who have the wallet of their validator. No
 * request is sent before a method is called.
 */
export function participantRegistry(
  { ledger: { url = '', validatorUser }, names: { acronym } }: Pick<Config, 'ledger' | 'names'>,
  { clock, events, reader }: ParticipantRegistryDeps,
) {
  const life = new AbortController()
  const { signal } = life
  const agreed = (question: Question) => agreedValue(reader, question)
  const api = new JsonApi(url, clock)
  const participant = new Participant(api, clock)
  const commands = new Commands(participant, events.ledgerWritten)
  const users: UserDirectory<ParticipantUser> = {
    async get(userId, token) {
      const account = await participant.accountOf({ userId, token }, signal)
      if (account === undefined) throw new SpliceError('forbidden', { user: userId })
      return account
    },
  }
  const registry = new Registry<ParticipantUser>(
    {
      acronym: async () => acronym ?? acronymIn(await agreed({ read: getSpliceInstanceNames, params: {} })),
    },
    {
      clock,
      ledgerOf: (user) => new ParticipantLedger(user, { participant, commands }, signal),
      async holderOf(name, now) {
        const entry = await agreed({ read: lookupAnsEntryByName, params: { name } })
        return holderOf(entry as AgreedEntry | undefined, now)
      },
      rules: {
        async get() {
          const rules = (await agreed({ read: getAnsRules, params: {} })) as AgreedRules | undefined
          return { ansRules: rules === undefined ? undefined : ansRulesOf(rules) }
        },
      },
    },
  )
  return {
    validatorUser,
    users,
    registry,
    async findValidator(token: string | undefined) {
      const party = await participant.primaryPartyOf({ userId: validatorUser, token }, signal)
      if (party === undefined) throw new SpliceError('forbidden', { user: validatorUser })
      const params = { provider_party_id: party }
      const found = (await agreed({ read: lookupFeaturedAppRight, params })) as {
        readonly featured_app_right?: object | null
      }
      return { party, featured: (found.featured_app_right ?? null) !== null }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      life.abort(new SpliceError('ledgerUnavailable'))
      await api[Symbol.asyncDispose]()
    },
  }
}

/**
 * The agreed answer of scans to `/v0/ans-rules`, with the contract `AnsRules`. A request for a name
 * discloses that contract to the participant, because the user's party is not a stakeholder.
 */
interface AgreedRules {
  readonly ans_rules_update: {
    readonly contract: {
      readonly contract_id: string
      readonly payload: unknown
      readonly created_event_blob: string
    }
  }
}

export function ansRulesOf({ ans_rules_update: { contract } }: AgreedRules): AgreedAnsRules {
  return {
    contractId: contract.contract_id,
    argument: conform(AnsRules.argument, contract.payload as DamlValue),
    createdEventBlob: contract.created_event_blob,
  }
}

/**
 * The agreed answer to `/v0/ans-entries/by-name/{name}`. Without `expires_at`, an entry never
 * expires.
 */
interface AgreedEntry {
  readonly entry: { readonly user: string; readonly expires_at?: string | null }
}

const never: Micros = Date.UTC(2250, 0, 1) * 1000

export function holderOf(agreed: AgreedEntry | undefined, now: Micros): Holder | undefined {
  if (agreed === undefined) return undefined
  const { user, expires_at: end } = agreed.entry
  const expiresAt = typeof end === 'string' ? (tryMicros(end) ?? never) : never
  return expiresAt < now ? undefined : { user, expiresAt }
}

function acronymIn(names: unknown): string {
  const { name_service_name_acronym: acronym } = names as { readonly name_service_name_acronym: string }
  return acronym.toLowerCase()
}
