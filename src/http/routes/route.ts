import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Verifier } from '../../auth/verifier.ts'
import { SpliceError } from '../../errors/splice.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import type { User, Users } from '../../names/users.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { requireToken } from '../middleware/token.ts'
import type { Said } from './about.ts'

export type RouteContext = Context<{ Bindings: HttpBindings }>

/** A path that acts on the ledger. */
export interface LedgerRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `{name}` for each path parameter. */
  readonly path: string
  /** Its label in metrics; the same for each path that it is mounted on. */
  readonly id: string
  /** Rejects with a `SpliceError` for every refusal. */
  handler(c: RouteContext): Promise<Said>
}

export interface UserDeps {
  readonly verifier: Verifier
  readonly users: Users
  readonly logger: Logger
}

/** What an operation does for the user whose token it is. */
type Act = (user: User, c: RouteContext) => Promise<Said>

/** The route at the root and under `/api/validator`; both act for the token's user only. */
export function userRoutes(
  deps: UserDeps,
  method: LedgerRoute['method'],
  path: string,
  id: string,
  act: Act,
): readonly LedgerRoute[] {
  const handler = async (c: RouteContext) => {
    const userId = await requireToken(deps.verifier, c.req.header('authorization'), deps.logger)
    try {
      return await act(await deps.users.get(userId), c)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error
      throw new SpliceError('ledgerUnavailable', {}, { retryAfter: 30, cause: error })
    }
  }
  return ['', '/api/validator'].map((base) => ({ method, path: `${base}${path}`, id, handler }))
}

/** What the registry's paths say where there is no ledger behind them; the wallet has none then. */
export const withoutLedger: readonly LedgerRoute[] = ['', '/api/validator'].flatMap((base) => {
  const handler = () => Promise.reject(new SpliceError('noLedger'))
  return [
    { method: 'POST', path: `${base}/v0/entry/create`, id: 'createAnsEntry', handler } as const,
    { method: 'GET', path: `${base}/v0/entry/all`, id: 'listOwnAnsEntries', handler } as const,
  ]
})
