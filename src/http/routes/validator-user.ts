import { z } from 'zod'
import { bearerIn } from '../../lib/bearer.ts'
import { inSpliceWords, type LedgerRoute } from './route.ts'

export interface ValidatorUser {
  readonly party: string
  /** Whether the party has the right of a featured app. */
  readonly featured: boolean
}

/**
 * Returns the routes of Splice's `/v0/validator-user`, which needs no token.
 * @param find gets the caller's token, if there is one.
 */
export function validatorUserRoutes(
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
        return { status: 200, body: { party_id: party, user_name: userName, featured } }
      } catch (error) {
        throw inSpliceWords(error, userName)
      }
    },
  }))
}
