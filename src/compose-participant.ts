import type { Verifier } from './auth/verifier.ts'
import { SpliceError } from './errors/splice.ts'
import { registryRoutes } from './http/routes/entry.ts'
import type { LedgerRoute } from './http/routes/route.ts'
import { type ValidatorUser, validatorUserRoutes } from './http/routes/validator-user.ts'
import { Commands } from './ledger/participant/commands.ts'
import { JsonApi } from './ledger/participant/json-api.ts'
import { Participant, type ParticipantUser } from './ledger/participant/participant.ts'
import { ParticipantLedger } from './ledger/participant/participant-ledger.ts'
import type { Clock } from './lib/clock.ts'
import { type AgreedEntry, type AgreedRules, ansRulesOf, holderOf } from './names/quorum-names.ts'
import { Registry } from './names/registry.ts'
import type { UserDirectory } from './names/users.ts'
import { acronymIn } from './reads/acronym.ts'
import { getAnsRules, lookupAnsEntryByName } from './reads/ans.ts'
import type { Question } from './reads/read.ts'
import { lookupFeaturedAppRight } from './reads/rights.ts'
import { getSpliceInstanceNames } from './reads/topology.ts'
import type { Events } from './telemetry/events.ts'

export interface ParticipantServiceOptions {
  readonly url: string
  readonly validatorUser: string
  /** The acronym is in lower case. Without it, the daemon asks the network's scans for it. */
  readonly acronym: string | undefined
}

export interface ParticipantServiceDeps {
  readonly clock: Clock
  readonly events: Pick<Events, 'ledgerWritten'>
  /**
   * Resolves with undefined for an agreed absence.
   * @throws SpliceError if the scans do not agree, or cannot be asked
   */
  readonly agreed: (question: Question) => Promise<unknown>
}

export interface ParticipantService extends AsyncDisposable {
  /**
   * There are no routes of a wallet, because users of a participant have the wallet of their
   * validator.
   */
  routes(verifier: Verifier): readonly LedgerRoute[]
}

/** No request is sent before a method of the service is called. */
export function openParticipantService(
  { url, validatorUser, acronym }: ParticipantServiceOptions,
  { clock, events, agreed }: ParticipantServiceDeps,
): ParticipantService {
  const api = new JsonApi(url, clock)
  const participant = new Participant(api, clock)
  const commands = new Commands(participant, events.ledgerWritten)
  const life = new AbortController()
  const users: UserDirectory<ParticipantUser> = {
    async get(userId, token) {
      const account = await participant.accountOf({ userId, token }, life.signal)
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
      ledgerOf: (user) => new ParticipantLedger(user, { participant, commands }, life.signal),
      holderOf: async (name, now) =>
        holderOf(
          (await agreed({ read: lookupAnsEntryByName, params: { name } })) as AgreedEntry | undefined,
          now,
        ),
      rules: {
        async get() {
          const rules = (await agreed({ read: getAnsRules, params: {} })) as AgreedRules | undefined
          return { ansRules: rules === undefined ? undefined : ansRulesOf(rules) }
        },
      },
    },
  )
  const findValidator = async (token: string | undefined): Promise<ValidatorUser> => {
    const party = await participant.primaryPartyOf({ userId: validatorUser, token }, life.signal)
    if (party === undefined) throw new SpliceError('forbidden', { user: validatorUser })
    const params = { provider_party_id: party }
    const found = (await agreed({ read: lookupFeaturedAppRight, params })) as {
      readonly featured_app_right?: object | null
    }
    return { party, featured: (found.featured_app_right ?? null) !== null }
  }
  return {
    routes: (verifier) => [
      ...registryRoutes({ verifier, users, registry }),
      ...validatorUserRoutes(validatorUser, findValidator),
    ],
    async [Symbol.asyncDispose]() {
      life.abort(new SpliceError('ledgerUnavailable'))
      await api[Symbol.asyncDispose]()
    },
  }
}
