import { contractJson } from '../../ledger/contract-json.ts'
import { Subscription } from '../../ledger/daml/splice/subscription.ts'
import {
  SubscriptionIdleState,
  SubscriptionPayment,
} from '../../ledger/daml/splice/subscription-idle-state.ts'
import { SubscriptionInitialPayment } from '../../ledger/daml/splice/subscription-initial-payment.ts'
import { SubscriptionRequest } from '../../ledger/daml/splice/subscription-request.ts'
import type { RunningSubscription, Wallet } from '../../wallet/wallet.ts'
import { readJsonBody } from '../body.ts'
import { readFlag } from '../flag.ts'
import type { Said } from './about.ts'
import { required } from './entry.ts'
import { type LedgerRoute, type RouteContext, type UserDeps, userRoutes } from './route.ts'

const request = '/v0/wallet/subscription-requests/{contract_id}'
const renewal = '/v0/wallet/auto-renewal'

/** The wallet, as far as names need one, as Splice's wallet-internal.yaml has it; `auto-renewal` is ours. */
export function walletRoutes(deps: UserDeps & { readonly wallet: Wallet }): readonly LedgerRoute[] {
  const { wallet } = deps
  return [
    ...userRoutes(deps, 'GET', '/v0/wallet/user-status', 'userStatus', async ({ party }) =>
      ok({
        party_id: party,
        user_onboarded: true,
        user_wallet_installed: true,
        has_featured_app_right: false,
      }),
    ),
    ...userRoutes(deps, 'GET', '/v0/wallet/balance', 'getBalance', async (user) =>
      ok(await wallet.balance(user)),
    ),
    ...userRoutes(deps, 'POST', '/v0/wallet/tap', 'tap', async (user, c) => {
      const { amount, command_id } = await readJsonBody(c.req.raw, ['amount', 'command_id'])
      return ok({ contract_id: await wallet.tap(user, required('amount', amount), command_id) })
    }),
    ...requestRoutes(deps),
    ...userRoutes(
      deps,
      'GET',
      '/v0/wallet/subscription-initial-payments',
      'listInitialPayments',
      async (user) => {
        const payments = await wallet.initialPayments(user)
        return ok({
          initial_payments: payments.map((each) => contractJson(SubscriptionInitialPayment, each)),
        })
      },
    ),
    ...userRoutes(deps, 'GET', '/v0/wallet/subscriptions', 'listSubscriptions', async (user) =>
      ok({ subscriptions: (await wallet.subscriptions(user)).map(subscriptionJson) }),
    ),
    ...userRoutes(deps, 'GET', renewal, 'getAutoRenewal', async (user) =>
      ok({ enabled: await wallet.isRenewing(user) }),
    ),
    ...userRoutes(deps, 'PUT', renewal, 'setAutoRenewal', async (user, c) => {
      const enabled = await readFlag(c.req.raw, 'enabled')
      await wallet.setRenewing(user, enabled)
      return ok({ enabled })
    }),
  ]
}

function requestRoutes(deps: UserDeps & { readonly wallet: Wallet }): readonly LedgerRoute[] {
  const { wallet } = deps
  return [
    ...userRoutes(
      deps,
      'GET',
      '/v0/wallet/subscription-requests',
      'listSubscriptionRequests',
      async (user) => {
        const requests = await wallet.requests(user)
        return ok({ subscription_requests: requests.map((each) => contractJson(SubscriptionRequest, each)) })
      },
    ),
    ...userRoutes(deps, 'GET', request, 'getSubscriptionRequest', async (user, c) =>
      ok(contractJson(SubscriptionRequest, await wallet.request(user, idIn(c)))),
    ),
    ...userRoutes(deps, 'POST', `${request}/accept`, 'acceptSubscriptionRequest', async (user, c) =>
      ok({ initial_payment_contract_id: await wallet.accept(user, idIn(c)) }),
    ),
    ...userRoutes(deps, 'POST', `${request}/reject`, 'rejectSubscriptionRequest', async (user, c) => {
      await wallet.reject(user, idIn(c))
      return { status: 200 }
    }),
    ...userRoutes(deps, 'DELETE', request, 'cancelSubscription', async (user, c) => {
      await wallet.cancel(user, idIn(c))
      return { status: 200 }
    }),
  ]
}

function subscriptionJson({ subscription, state }: RunningSubscription): unknown {
  return {
    subscription: contractJson(Subscription, subscription),
    state:
      state.kind === 'idle'
        ? { idle: contractJson(SubscriptionIdleState, state.contract) }
        : { payment: contractJson(SubscriptionPayment, state.contract) },
  }
}

function ok(body: unknown): Said {
  return { status: 200, body }
}

function idIn(c: RouteContext): string {
  return c.req.param('contract_id') ?? ''
}
