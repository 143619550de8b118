import { z } from 'zod'
import { bearerIn } from '../../../base/lib/bearer.ts'
import type { Wallet } from '../../../localnet/wallet/wallet.ts'
import type { Registry } from '../../../registry/names/registry.ts'
import type { User, UserDirectory } from '../../../registry/names/users.ts'
import type { Verifier } from '../../auth/verifier.ts'
import { readJsonBody } from '../body.ts'
import {
  inSpliceWords,
  type LedgerRoute,
  required,
  type UserDeps,
  type UserOperation,
  userRoutes,
} from './route.ts'
import { walletRoutes } from './wallet.ts'

const request = z.object({ name: z.string(), url: z.string(), description: z.string() })
const requested = request.extend({ entryContextCid: z.string(), subscriptionRequestCid: z.string() })
const owned = z.object({
  contractId: z.string(),
  name: z.string(),
  amount: z.string(),
  unit: z.string(),
  expiresAt: z.string(),
  paymentInterval: z.string(),
  paymentDuration: z.string(),
})

/** Returns the routes of Splice's ans-external.yaml. */
export function registryRoutes<U extends User>(
  deps: UserDeps<U> & { readonly registry: Registry<U> },
): readonly LedgerRoute[] {
  return userRoutes(deps, 'splice ans realm', [creating(deps.registry), listing(deps.registry)])
}

function creating<U extends User>(registry: Registry<U>): UserOperation<U> {
  return {
    method: 'POST',
    path: '/v0/entry/create',
    id: 'createAnsEntry',
    summary: 'Asks for a name; to buy it, accept the subscription request in the wallet.',
    takes: request,
    gives: requested,
    refusals: ['invalidEntry', 'nameTaken', 'rulesMissing', 'ledgerRefused'],
    async act(user, c) {
      const { name, url, description } = await readJsonBody(c.env.incoming, ['name', 'url', 'description'])
      const asked = {
        name: required('name', name),
        url: required('url', url),
        description: required('description', description),
      }
      return registry.create(user, asked)
    },
  }
}

function listing<U extends User>(registry: Registry<U>): UserOperation<U> {
  return {
    method: 'GET',
    path: '/v0/entry/all',
    id: 'listOwnAnsEntries',
    summary: "The user's names that have not expired.",
    gives: z.object({ entries: z.array(owned) }),
    act: async (user) => ({ entries: await registry.list(user) }),
  }
}

interface ValidatorUser {
  readonly party: string
  /** Whether the party has the right of a featured app. */
  readonly featured: boolean
}

/**
 * Returns the routes of Splice's `/v0/validator-user`, which needs no token.
 * @param find gets the caller's token, if there is one.
 */
function validatorUserRoutes(
  userName: string,
  find: (token: string | undefined) => Promise<ValidatorUser>,
): readonly LedgerRoute[] {
  return ['', '/api/validator'].map((base) => ({
    method: 'GET',
    path: `${base}/v0/validator-user`,
    id: 'getValidatorUserInfo',
    summary: 'The user of the validator operator, with its party.',
    gives: z.object({ party_id: z.string(), user_name: z.string(), featured: z.boolean() }),
    refusals: ['ledgerUnavailable', 'unauthorized', 'forbidden', 'ledgerRefused'],
    async handler(c) {
      const bearer = bearerIn(c.req.header('authorization'))
      try {
        const { party, featured } = await find(bearer.kind === 'token' ? bearer.token : undefined)
        return { party_id: party, user_name: userName, featured }
      } catch (error) {
        throw inSpliceWords(error, userName)
      }
    },
  }))
}

export interface NamesOfUsers<U extends User> {
  readonly users: UserDirectory<U>
  readonly registry: Registry<U>
  /** Users of a participant have the wallet of their validator instead. */
  readonly wallet?: Wallet
  readonly validatorUser: string
  findValidator(token: string | undefined): Promise<ValidatorUser>
}

/** Returns the routes by which users ask for names, and pay for them. */
export function nameRoutes<U extends User>(
  names: NamesOfUsers<U>,
  verifier: Verifier,
): readonly LedgerRoute[] {
  const { users, registry, wallet, validatorUser } = names
  return [
    ...registryRoutes({ verifier, users, registry }),
    ...(wallet === undefined ? [] : walletRoutes({ verifier, users, wallet })),
    ...validatorUserRoutes(validatorUser, (token) => names.findValidator(token)),
  ]
}
