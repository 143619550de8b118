import type { Verifier } from '../../auth/verifier.ts'
import type { Registry } from '../../names/registry.ts'
import type { User, UserDirectory } from '../../names/users.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { registryRoutes, type ValidatorUser, validatorUserRoutes } from './entry.ts'
import type { LedgerRoute } from './route.ts'
import { walletRoutes } from './wallet.ts'

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
