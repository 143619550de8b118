import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { SpliceError } from '../../../base/errors/splice.ts'
import type { RunningSubscription, Wallet } from '../../../localnet/wallet/wallet.ts'
import { contractJson } from '../../../registry/ledger/contract-json.ts'
import {
  Subscription,
  SubscriptionIdleState,
  SubscriptionInitialPayment,
  SubscriptionPayment,
  SubscriptionRequest,
} from '../../../registry/ledger/daml/splice/subscriptions.ts'
import { parseObject, readBytes, readJsonBody } from '../body.ts'
import {
  type LedgerRoute,
  type RouteContext,
  required,
  type UserDeps,
  type UserOperation,
  userRoutes,
} from './route.ts'

const maxBytes = 4096

const decimal = z.string()

/** The schema of `Contract` in Splice's common-external.yaml. */
const contractBody = z.object({
  template_id: z.string(),
  contract_id: z.string(),
  payload: z.object({}).loose(),
  created_event_blob: z.string(),
  created_at: z.string(),
})

/**
 * The routes are the part of Splice's wallet API (wallet-internal.yaml) that users need to buy and
 * renew names. `auto-renewal` is an addition of this project.
 */
export function walletRoutes(deps: UserDeps & { readonly wallet: Wallet }): readonly LedgerRoute[] {
  const { wallet } = deps
  return userRoutes(deps, 'splice wallet realm', [
    userStatus,
    ...coin(wallet),
    ...subscriptionRequests(wallet),
    ...subscriptions(wallet),
    ...autoRenewal(wallet),
  ])
}

const userStatus: UserOperation = {
  method: 'GET',
  path: '/v0/wallet/user-status',
  id: 'userStatus',
  summary: 'The party of the user, who is onboarded by the first call of any operation.',
  gives: z.object({
    party_id: z.string(),
    user_onboarded: z.boolean(),
    user_wallet_installed: z.boolean(),
    has_featured_app_right: z.boolean(),
  }),
  act: async ({ party }) => ({
    party_id: party,
    user_onboarded: true,
    user_wallet_installed: true,
    has_featured_app_right: false,
  }),
}

function coin(wallet: Wallet): readonly UserOperation[] {
  return [
    {
      method: 'GET',
      path: '/v0/wallet/balance',
      id: 'getBalance',
      summary: 'How much coin the user has, free and locked.',
      gives: z.object({
        round: z.int(),
        effective_unlocked_qty: decimal,
        effective_locked_qty: decimal,
        total_holding_fees: decimal,
      }),
      refusals: ['noOpenRound'],
      act: (user) => wallet.balance(user),
    },
    {
      method: 'POST',
      path: '/v0/wallet/tap',
      id: 'tap',
      summary: 'Makes coin worth an amount in USD.',
      takes: z.object({ amount: decimal, command_id: z.string().optional() }),
      gives: z.object({ contract_id: z.string() }),
      refusals: ['malformedAmount', 'amuletOperationFailed', 'noOpenRound'],
      async act(user, c) {
        const { amount, command_id } = await readJsonBody(c.env.incoming, ['amount', 'command_id'])
        return { contract_id: await wallet.tap(user, required('amount', amount), command_id) }
      },
    },
  ]
}

/**
 * As in Splice, DELETE does not reject a request but cancels a running subscription. The path then
 * has the contract id of the `SubscriptionIdleState`.
 */
function subscriptionRequests(wallet: Wallet): readonly UserOperation[] {
  const all = '/v0/wallet/subscription-requests'
  const one = `${all}/{contract_id}`
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

function subscriptions(wallet: Wallet): readonly UserOperation[] {
  const state = z.union([z.object({ idle: contractBody }), z.object({ payment: contractBody })])
  return [
    {
      method: 'GET',
      path: '/v0/wallet/subscription-initial-payments',
      id: 'listSubscriptionInitialPayments',
      summary: 'First payments of the user that are neither collected nor rejected.',
      gives: z.object({ initial_payments: z.array(contractBody) }),
      async act(user) {
        const payments = await wallet.initialPayments(user)
        return { initial_payments: payments.map((each) => contractJson(SubscriptionInitialPayment, each)) }
      },
    },
    {
      method: 'GET',
      path: '/v0/wallet/subscriptions',
      id: 'listSubscriptions',
      summary: "The user's subscriptions, and where each stands.",
      gives: z.object({ subscriptions: z.array(z.object({ subscription: contractBody, state })) }),
      act: async (user) => ({ subscriptions: (await wallet.subscriptions(user)).map(subscriptionJson) }),
    },
  ]
}

function autoRenewal(wallet: Wallet): readonly UserOperation[] {
  const path = '/v0/wallet/auto-renewal'
  const flag = z.object({ enabled: z.boolean() })
  return [
    {
      method: 'GET',
      path,
      id: 'getAutoRenewal',
      summary: 'Whether the wallet pays renewals by itself.',
      gives: flag,
      act: async (user) => ({ enabled: await wallet.isRenewing(user) }),
    },
    {
      method: 'PUT',
      path,
      id: 'setAutoRenewal',
      summary: 'Lets the wallet pay renewals by itself, or not.',
      takes: flag,
      gives: flag,
      async act(user, c) {
        const enabled = await readFlag(c.env.incoming, 'enabled')
        await wallet.setRenewing(user, enabled)
        return { enabled }
      },
    },
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

async function readFlag(request: IncomingMessage, name: string): Promise<boolean> {
  const body = parseObject(await readBytes(request, maxBytes))
  const flag = Object.hasOwn(body, name) ? body[name] : undefined
  if (typeof flag === 'boolean') return flag
  throw new SpliceError('malformedBody', { why: `${name} is not true or false` })
}
