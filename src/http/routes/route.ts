import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Verifier } from '../../auth/verifier.ts'
import { type Realm, SpliceError, type SpliceErrorCode } from '../../errors/splice.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import type { User, Users } from '../../names/users.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { requireToken } from '../middleware/token.ts'
import type { Said } from './about.ts'

export type RouteContext = Context<{ Bindings: HttpBindings }>

/** What a route is, for whoever describes it. */
interface Described {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `{name}` for each path parameter. */
  readonly path: string
  /** Its label in metrics; the same for each path that it is mounted on. */
  readonly id: string
  readonly summary: string
  /** The JSON body that it needs; none where this is left out. */
  readonly takes?: z.ZodType
  /** The JSON body of its 200; an empty one where this is left out. */
  readonly gives?: z.ZodType
  /** What it refuses with. */
  readonly refusals: readonly SpliceErrorCode[]
}

/** What an operation does for the user whose token it is. */
export interface UserOperation extends Described {
  act(user: User, c: RouteContext): Promise<Said>
}

/** A path that acts on the ledger. */
export interface LedgerRoute extends Described {
  /** Rejects with a `SpliceError` for every refusal. */
  handler(c: RouteContext): Promise<Said>
}

export interface UserDeps {
  readonly verifier: Verifier
  readonly users: Users
  readonly logger: Logger
}

const everywhere = ['unauthorized', 'verifierUnavailable', 'forbidden', 'ledgerUnavailable'] as const
const withBody = ['malformedBody', 'bodyTooLarge', 'unsupportedContentType'] as const

/** Each operation at the root and under `/api/validator`; both act for the token's user only. */
export function userRoutes(
  deps: UserDeps,
  realm: Realm,
  operations: readonly UserOperation[],
): readonly LedgerRoute[] {
  return operations.flatMap(({ act, ...described }) => {
    const ofBody = described.takes === undefined ? [] : withBody
    const refusals = [...everywhere, ...ofBody, ...described.refusals]
    const handler = (c: RouteContext) => actAsUser(deps, realm, act, c)
    return ['', '/api/validator'].map((base) => {
      return { ...described, path: `${base}${described.path}`, refusals, handler }
    })
  })
}

async function actAsUser(
  deps: UserDeps,
  realm: Realm,
  act: UserOperation['act'],
  c: RouteContext,
): Promise<Said> {
  const userId = await requireToken(deps.verifier, c.req.header('authorization'), realm, deps.logger)
  try {
    return await act(await deps.users.get(userId), c)
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error
    throw new SpliceError('ledgerUnavailable', {}, { retryAfter: 30, cause: error })
  }
}

/** @throws SpliceError `malformedBody` where a member of a body is missing. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new SpliceError('malformedBody', { why: `${name} is missing` })
  return value
}

/** What the registry's paths say where there is no ledger behind them; the wallet has none then. */
export const withoutLedger: readonly LedgerRoute[] = ['', '/api/validator'].flatMap((base) => {
  const without = {
    summary: 'The name registry, which this daemon has no ledger for.',
    refusals: ['noLedger'],
    handler: () => Promise.reject(new SpliceError('noLedger')),
  } as const
  return [
    { method: 'POST', path: `${base}/v0/entry/create`, id: 'createAnsEntry', ...without } as const,
    { method: 'GET', path: `${base}/v0/entry/all`, id: 'listOwnAnsEntries', ...without } as const,
  ]
})
