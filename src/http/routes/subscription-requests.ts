import { z } from 'zod'
import { contractJson } from '../../ledger/contract-json.ts'
import { SubscriptionRequest } from '../../ledger/daml/splice/subscriptions.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import type { RouteContext, UserOperation } from './route.ts'

/** The schema of `Contract` in Splice's common-external.yaml. */
export const contractBody = z.object({
  template_id: z.string(),
  contract_id: z.string(),
  payload: z.object({}).loose(),
  created_event_blob: z.string(),
  created_at: z.string(),
})

const all = '/v0/wallet/subscription-requests'
const one = `${all}/{contract_id}`

/**
 * As in Splice, DELETE does not reject a request but cancels a running subscription. The path then
 * has the contract id of the `SubscriptionIdleState`.
 */
export function subscriptionRequests(wallet: Wallet): readonly UserOperation[] {
  return [
    {
      method: 'GET',
      path: all,
      id: 'listSubscriptionRequests',
      summary: 'What the user is asked to subscribe to.',
      gives: z.object({ subscription_requests: z.array(contractBody) }),
      async act(user) {
        const requests = await wallet.requests(user)
        return { subscription_requests: requests.map((each) => contractJson(SubscriptionRequest, each)) }
      },
    },
    {
      method: 'GET',
      path: one,
      id: 'getSubscriptionRequest',
      summary: 'A request to subscribe.',
      gives: contractBody,
      refusals: ['contractNotFound'],
      act: async (user, c) => contractJson(SubscriptionRequest, await wallet.request(user, idIn(c))),
    },
    {
      method: 'POST',
      path: `${one}/accept`,
      id: 'acceptSubscriptionRequest',
      summary: 'Accepts a request and makes the first payment; again answers the same payment.',
      gives: z.object({ initial_payment_contract_id: z.string() }),
      refusals: ['contractNotFound', 'amuletOperationFailed', 'noOpenRound', 'ledgerContention'],
      act: async (user, c) => ({ initial_payment_contract_id: await wallet.accept(user, idIn(c)) }),
    },
    {
      method: 'POST',
      path: `${one}/reject`,
      id: 'rejectSubscriptionRequest',
      summary: 'Rejects a request.',
      refusals: ['contractNotFound', 'ledgerRefused'],
      act: (user, c) => wallet.reject(user, idIn(c)),
    },
    {
      method: 'DELETE',
      path: one,
      id: 'cancelSubscriptionRequest',
      summary: 'Cancels a subscription, by the contract id of its idle state.',
      refusals: ['contractNotFound', 'ledgerRefused'],
      act: (user, c) => wallet.cancel(user, idIn(c)),
    },
  ]
}

function idIn(c: RouteContext): string {
  return c.req.param('contract_id') ?? ''
}
