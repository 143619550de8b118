import { SpliceError } from '../../base/errors/splice.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { digest } from '../../base/lib/digest.ts'
import { SerialByKey } from '../../base/lib/serial-by-key.ts'
import { type Decimal, isPositive, tryDecimal } from '../../registry/ledger/daml/decimal.ts'
import type { Refusal } from '../../registry/ledger/daml/refused.ts'
import { Amulet, LockedAmulet } from '../../registry/ledger/daml/splice/amulet.ts'
import { type AmuletRules, AmuletRules_DevNet_Tap } from '../../registry/ledger/daml/splice/amulet-rules.ts'
import {
  amountDue,
  Subscription,
  SubscriptionIdleState,
  SubscriptionIdleState_CancelSubscription,
  SubscriptionInitialPayment,
  SubscriptionPayment,
  SubscriptionRequest,
  SubscriptionRequest_AcceptAndMakePayment,
  SubscriptionRequest_Reject,
} from '../../registry/ledger/daml/splice/subscriptions.ts'
import type { ContractOf, Template } from '../../registry/ledger/daml/template.ts'
import { microsOf } from '../../registry/ledger/daml/time.ts'
import type { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import {
  type Command,
  type ContractFrom,
  disclosed,
  exercise,
  findContract,
  listContracts,
  mostListed,
  type Outcome,
  resultOf,
  type Submission,
} from '../../registry/ledger/ledger.ts'
import type { ContractId, DamlRecord, Micros, Party } from '../../registry/ledger/value.ts'
import { type OpenRound, type Rules, usableRound } from '../../registry/names/rules.ts'
import type { User } from '../../registry/names/users.ts'
import {
  areWorth,
  type Balance,
  balanceOf,
  type Coin,
  coinsFor,
  inCoin,
  mergeLargest,
  mostInputs,
  operationFailed,
  paymentWith,
} from './coins.ts'

const autoRenewal = 'auto-renewal'

/** The wallet pays a party's renewals automatically until the user switches this off. */
export async function isRenewing(ledger: Pick<EmbeddedLedger, 'setting'>, party: Party): Promise<boolean> {
  return (await ledger.setting(party, autoRenewal)) !== 'off'
}

/**
 * In the state `idle`, a subscription waits for its next payment. In the state `payment`, that
 * payment waits to be collected.
 */
export interface RunningSubscription {
  readonly subscription: ContractFrom<typeof Subscription>
  readonly state:
    | { readonly kind: 'idle'; readonly contract: ContractFrom<typeof SubscriptionIdleState> }
    | { readonly kind: 'payment'; readonly contract: ContractFrom<typeof SubscriptionPayment> }
}

export interface WalletDeps {
  readonly ledger: Pick<EmbeddedLedger, 'submit' | 'contract' | 'contracts' | 'setting' | 'setSetting'>
  readonly rules: Rules
  readonly clock: Clock
  /** Called when a user has switched automatic renewal on or off. */
  readonly renewingSet?: () => void
}

/** A try fails, for example, if automation has spent a coin since the wallet picked it. */
const paymentAttempts = 3

/**
 * The DSO's contracts that every payment uses. Each payment must disclose them
 * (`Submission.disclosed`), because the user's party is not a stakeholder.
 */
interface Terms {
  readonly amuletRules: ContractFrom<typeof AmuletRules>
  readonly round: OpenRound
}

/**
 * Makes the payments of one user one after another, so that no two of them use the same coin. A
 * repeated call has no further effect, except for a `tap` without `commandId`.
 */
export class Wallet {
  readonly #deps: WalletDeps
  readonly #inTurn = new SerialByKey()

  constructor(deps: WalletDeps) {
    this.#deps = deps
  }

  requests(user: User): Promise<readonly ContractFrom<typeof SubscriptionRequest>[]> {
    return this.#sentBy(user, SubscriptionRequest)
  }

  async request(user: User, contractId: ContractId): Promise<ContractFrom<typeof SubscriptionRequest>> {
    const request = await this.#own(user, SubscriptionRequest, contractId)
    return request ?? noContract(SubscriptionRequest, contractId)
  }

  initialPayments(user: User): Promise<readonly ContractFrom<typeof SubscriptionInitialPayment>[]> {
    return this.#sentBy(user, SubscriptionInitialPayment)
  }

  async subscriptions(user: User): Promise<readonly RunningSubscription[]> {
    const [subscriptions, idle, paying] = await Promise.all([
      this.#sentBy(user, Subscription),
      this.#sentBy(user, SubscriptionIdleState),
      this.#sentBy(user, SubscriptionPayment),
    ])
    const states = new Map<ContractId, RunningSubscription['state']>()
    for (const contract of paying) states.set(contract.argument.subscription, { kind: 'payment', contract })
    for (const contract of idle) {
      if (microsOf(contract.argument.nextPaymentDueAt) < this.#now()) continue
      states.set(contract.argument.subscription, { kind: 'idle', contract })
    }
    return subscriptions.flatMap((subscription) => {
      const state = states.get(subscription.contractId)
      return state === undefined ? [] : [{ subscription, state }]
    })
  }

  /**
   * Accepts a subscription request, and makes its first payment. The coin stays locked until the
   * payment is collected or rejected.
   * @returns the contract id of the `SubscriptionInitialPayment`.
   * @throws SpliceError `contractNotFound`, `amuletOperationFailed`, `noOpenRound`,
   * `ledgerContention`.
   */
  accept(user: User, contractId: ContractId): Promise<ContractId> {
    return this.#inTurn.run(user.party, async () => {
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.#tryAccept(user, contractId)
        if (outcome.kind === 'committed') {
          return resultOf(SubscriptionRequest_AcceptAndMakePayment, outcome).subscriptionPayment
        }
        if ((await this.#own(user, SubscriptionRequest, contractId)) === undefined) {
          return noContract(SubscriptionRequest, contractId)
        }
        // A contract that the payment uses, such as a coin, was archived meanwhile.
        if (outcome.code !== 'CONTRACT_NOT_FOUND') throw operationFailed(outcome)
        if (attempt === paymentAttempts) throw new SpliceError('ledgerContention', {}, { retryAfter: 1 })
      }
    })
  }

  /**
   * @throws SpliceError `ledgerRefused`, or `contractNotFound` if the request is missing or was
   * accepted.
   */
  async reject(user: User, contractId: ContractId): Promise<void> {
    const command = exercise(SubscriptionRequest_Reject, contractId, {})
    await this.#end(user, SubscriptionRequest, contractId, { id: `reject:${contractId}`, command })
  }

  /**
   * Ends a subscription. The name stays valid until the end of the time that is already paid.
   * @param contractId the contract id of the `SubscriptionIdleState`.
   * @throws SpliceError `contractNotFound`, `ledgerRefused`.
   */
  async cancel(user: User, contractId: ContractId): Promise<void> {
    const command = exercise(SubscriptionIdleState_CancelSubscription, contractId, {})
    await this.#end(user, SubscriptionIdleState, contractId, { id: `cancel:${contractId}`, command })
  }

  /**
   * Creates coin for the user. Only development networks permit this.
   * @param amount the value of the coin in USD, as a decimal string.
   * @param commandId any string. Calls of one user with the same string create coin only once.
   * @returns the contract id of the `Amulet`.
   * @throws SpliceError `malformedAmount`, `amuletOperationFailed`, `noOpenRound`.
   */
  async tap(user: User, amount: string, commandId: string = crypto.randomUUID()): Promise<ContractId> {
    const usd = tryDecimal(amount)
    if (usd === undefined || !isPositive(usd)) throw new SpliceError('malformedAmount')
    const terms = await this.#terms()
    const { amuletRules, round } = terms
    const command = exercise(AmuletRules_DevNet_Tap, amuletRules.contractId, {
      receiver: user.party,
      amount: inCoin(usd, round),
      openRound: round.contractId,
    })
    const outcome = await this.#submit(user, `tap:${digest(commandId)}`, command, terms)
    if (outcome.kind === 'refused') throw operationFailed(outcome)
    return resultOf(AmuletRules_DevNet_Tap, outcome).amuletSum.amulet
  }

  async balance(user: User): Promise<Balance> {
    const [{ round }, coins, locked] = await Promise.all([
      this.#terms(),
      this.#coins(user, Amulet),
      this.#coins(user, LockedAmulet),
    ])
    return balanceOf(round, coins, locked)
  }

  isRenewing({ party }: User): Promise<boolean> {
    return isRenewing(this.#deps.ledger, party)
  }

  async setRenewing({ party }: User, enabled: boolean): Promise<void> {
    await this.#deps.ledger.setSetting(party, autoRenewal, enabled ? 'on' : 'off')
    this.#deps.renewingSet?.()
  }

  async #tryAccept(user: User, contractId: ContractId): Promise<Outcome> {
    const [request, terms, coins] = await Promise.all([
      this.#own(user, SubscriptionRequest, contractId),
      this.#terms(),
      this.#coins(user, Amulet),
    ])
    // If the request is missing, an earlier call may have accepted it. A submission with the same
    // command id then gets the earlier payment, and needs no coins.
    const due = request && amountDue(request.argument.payData, terms.round.argument)
    const purse = due === undefined ? [] : await this.#coinsFor(due, coins, user, terms)
    if ('code' in purse) return purse
    const payment = paymentWith(purse, terms.amuletRules.contractId, terms.round, user.party)
    const command = exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, payment)
    return this.#submit(user, `accept:${contractId}`, command, terms)
  }

  /**
   * If the payment needs more coins than it may use, merges coins first. If the coins are not
   * enough, returns them nevertheless: the ledger's error message then states the missing amount.
   */
  async #coinsFor(
    amount: Decimal,
    has: readonly Coin[],
    user: User,
    terms: Terms,
  ): Promise<readonly ContractId[] | Refusal> {
    for (let coins = has; ; coins = await this.#coins(user, Amulet)) {
      const { inputs, isEnough } = coinsFor(amount, coins, terms.round)
      if (isEnough || mostInputs(terms.round) < 2 || !areWorth(coins, amount)) return inputs
      const { commandId, command } = mergeLargest(coins, terms.amuletRules, terms.round, user.party)
      const outcome = await this.#submit(user, commandId, command, terms)
      if (outcome.kind === 'refused') return outcome
    }
  }

  async #end<A extends DamlRecord>(
    user: User,
    template: Template<A>,
    contractId: ContractId,
    { id, command }: { readonly id: string; readonly command: Command },
  ): Promise<void> {
    const outcome = await this.#submit(user, id, command)
    if (outcome.kind === 'committed') return
    if ((await this.#own(user, template, contractId)) === undefined) noContract(template, contractId)
    throw new SpliceError('ledgerRefused', { code: outcome.code, why: outcome.message })
  }

  #submit({ userId, party }: User, commandId: string, command: Command, terms?: Terms): Promise<Outcome> {
    const submission: Submission = {
      commandId,
      userId,
      actAs: [party],
      commands: [command],
      disclosed: terms === undefined ? [] : disclosed([terms.amuletRules, terms.round]),
    }
    return this.#deps.ledger.submit(submission)
  }

  /** @throws SpliceError `noOpenRound` */
  async #terms(): Promise<Terms> {
    const { amuletRules, rounds } = await this.#deps.rules.get()
    const round = usableRound(rounds, this.#now())
    if (amuletRules === undefined || round === undefined)
      throw new SpliceError('noOpenRound', {}, { retryAfter: 5 })
    return { amuletRules, round }
  }

  #coins<A extends DamlRecord>({ party }: User, template: Template<A>): Promise<readonly ContractOf<A>[]> {
    return listContracts(this.#deps.ledger, template, { where: { owner: party } }, Number.MAX_SAFE_INTEGER)
  }

  #sentBy<A extends DamlRecord>({ party }: User, template: Template<A>): Promise<readonly ContractOf<A>[]> {
    return listContracts(this.#deps.ledger, template, { where: { sender: party } }, mostListed)
  }

  async #own<A extends DamlRecord>(
    { party }: User,
    template: Template<A>,
    contractId: ContractId,
  ): Promise<ContractOf<A> | undefined> {
    const contract = await findContract(this.#deps.ledger, template, contractId)
    return contract?.signatories.includes(party) ? contract : undefined
  }

  #now(): Micros {
    return Math.floor(this.#deps.clock.wall() * 1000)
  }
}

function noContract<A extends DamlRecord>({ name }: Template<A>, id: ContractId): never {
  throw new SpliceError('contractNotFound', { template: name.slice(name.indexOf(':') + 1), id })
}
