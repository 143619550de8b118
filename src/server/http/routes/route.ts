import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { z } from 'zod'
import { type Realm, SpliceError, type SpliceErrorCode } from '../../../base/errors/splice.ts'
import { bearerIn } from '../../../base/lib/bearer.ts'
import { LedgerRefusal, LedgerUnavailable } from '../../../registry/ledger/ledger.ts'
import type { User, UserDirectory } from '../../../registry/names/users.ts'
import type { Verifier } from '../../auth/verifier.ts'
import { requireToken } from '../middleware/token.ts'

export type RouteContext = Context<{ Bindings: HttpBindings }>

export interface Described {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** The name of the route in metrics. Several paths of one operation share the name. */
  readonly id: string
  readonly summary: string
  readonly takes?: z.ZodType
  readonly gives?: z.ZodType
  readonly refusals: readonly SpliceErrorCode[]
}

export interface UserOperation<U extends User = User> extends Omit<Described, 'refusals'> {
  readonly refusals?: Described['refusals']
  /** Resolves with the body of the answer; undefined if it has none. */
  act(user: U, c: RouteContext): Promise<unknown>
}

export interface PlainRoute extends Pick<Described, 'id' | 'path'> {
  readonly method: 'GET' | 'POST'
  handler(c: RouteContext): Response | Promise<Response>
}

export interface LedgerRoute extends Described {
  /** Resolves with the body of the answer; undefined if it has none. */
  handler(c: RouteContext): Promise<unknown>
}

export interface UserDeps<U extends User = User> {
  readonly verifier: Verifier
  readonly users: UserDirectory<U>
}

const everywhere = ['unauthorized', 'verifierUnavailable', 'forbidden', 'ledgerUnavailable'] as const
const withBody = ['malformedBody', 'bodyTooLarge', 'unsupportedContentType', 'unsupportedEncoding'] as const

export function userRoutes<U extends User>(
  deps: UserDeps<U>,
  realm: Realm,
  operations: readonly UserOperation<U>[],
): readonly LedgerRoute[] {
  return operations.flatMap(({ act, refusals: own = [], ...described }) => {
    const ofBody = described.takes === undefined ? [] : withBody
    const refusals = [...everywhere, ...ofBody, ...own]
    const handler = (c: RouteContext) => actAsUser(deps, realm, act, c)
    return ['', '/api/validator'].map((base) => {
      return { ...described, path: `${base}${described.path}`, refusals, handler }
    })
  })
}

async function actAsUser<U extends User>(
  deps: UserDeps<U>,
  realm: Realm,
  act: UserOperation<U>['act'],
  c: RouteContext,
): Promise<unknown> {
  const bearer = bearerIn(c.req.header('authorization'))
  const userId = await requireToken(deps.verifier, bearer, realm)
  try {
    return await act(await deps.users.get(userId, bearer.kind === 'token' ? bearer.token : ''), c)
  } catch (error) {
    throw inSpliceWords(error, userId)
  }
}

/** Converts an error of the ledger to the error that Splice reports in that case. */
export function inSpliceWords(error: unknown, user: string): unknown {
  if (error instanceof LedgerUnavailable)
    return new SpliceError('ledgerUnavailable', {}, { retryAfter: 30, cause: error })
  if (!(error instanceof LedgerRefusal)) return error
  const { code, reason: why, errorCategory } = error
  // Canton's categories 1 to 3 are transient: the same request may succeed later.
  if (errorCategory >= 1 && errorCategory <= 3)
    return new SpliceError('ledgerUnavailable', {}, { retryAfter: 5, cause: error })
  if (error.status === 401)
    return new SpliceError(
      'unauthorized',
      { why: 'The supplied authentication is invalid' },
      { cause: error },
    )
  if (error.status === 403) return new SpliceError('forbidden', { user }, { cause: error })
  return new SpliceError('ledgerRefused', { code, why }, { cause: error })
}

export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new SpliceError('malformedBody', { why: `${name} is missing` })
  return value
}

export const withoutLedger: readonly LedgerRoute[] = ['', '/api/validator'].flatMap((base) => {
  const without = {
    summary: 'The name registry, which this daemon has no ledger for.',
    refusals: ['noLedger'],
    handler: () => Promise.reject(new SpliceError('noLedger')),
  } as const
  return [
    { method: 'POST', path: `${base}/v0/entry/create`, id: 'createAnsEntry', ...without } as const,
    { method: 'GET', path: `${base}/v0/entry/all`, id: 'listOwnAnsEntries', ...without } as const,
    { method: 'GET', path: `${base}/v0/validator-user`, id: 'getValidatorUserInfo', ...without } as const,
  ]
})
