import { SpliceError } from '../errors/splice.ts'
import { AnsEntry } from '../ledger/daml/splice/ans-entry.ts'
import { AnsEntryContext } from '../ledger/daml/splice/ans-entry-context.ts'
import { AnsRules_RequestEntry } from '../ledger/daml/splice/ans-rules.ts'
import type { PayData } from '../ledger/daml/splice/subscription-data.ts'
import { SubscriptionIdleState, SubscriptionPayment } from '../ledger/daml/splice/subscription-idle-state.ts'
import { SubscriptionInitialPayment } from '../ledger/daml/splice/subscription-initial-payment.ts'
import { SubscriptionRequest } from '../ledger/daml/splice/subscription-request.ts'
import { microsOf, timeOf } from '../ledger/daml/time.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  type ContractFrom,
  disclosed,
  exercise,
  findContract,
  listContracts,
  resultOf,
} from '../ledger/typed.ts'
import type { ContractId, Micros } from '../ledger/value.ts'
import type { Clock } from '../lib/clock.ts'
import { InTurn } from './in-turn.ts'
import { type EntryRequest, entryProblem } from './name.ts'
import type { Rules, RulesInForce } from './rules.ts'
import type { User } from './users.ts'

/** `CreateAnsEntryResponse` of ans-external.yaml. */
export interface RequestedEntry extends EntryRequest {
  readonly entryContextCid: ContractId
  readonly subscriptionRequestCid: ContractId
}

/** `AnsEntryResponse` of ans-external.yaml, in its units. */
export interface OwnedEntry {
  readonly contractId: ContractId
  readonly name: string
  /** Ten decimals. */
  readonly amount: string
  /** `USDUNIT`: a constant's name, unlike on the ledger. */
  readonly unit: string
  /** Milliseconds since 1970. */
  readonly expiresAt: string
  /** Microseconds. */
  readonly paymentInterval: string
  /** Microseconds. */
  readonly paymentDuration: string
}

export interface RegistryOptions {
  /** Of the name service, in lower case: `cns`. */
  readonly acronym: string
}

export interface RegistryDeps {
  readonly ledger: Ledger
  readonly rules: Rules
  readonly clock: Clock
}

/** Splice's hard limit of a list. */
const mostListed = 1000

/** The name registry: what a user asks for and has. What becomes of a request is the automation's. */
export class Registry {
  readonly #acronym: string
  readonly #ledger: Ledger
  readonly #rules: Rules
  readonly #clock: Clock
  readonly #inTurn = new InTurn()

  constructor({ acronym }: RegistryOptions, { ledger, rules, clock }: RegistryDeps) {
    this.#acronym = acronym
    this.#ledger = ledger
    this.#rules = rules
    this.#clock = clock
  }

  /**
   * Asks for a name. Nothing is bought before the user accepts the subscription request in the wallet, and others may
   * ask for the same name meanwhile: whoever pays first gets it. To ask again for what is pending answers what is
   * pending.
   *
   * @throws SpliceError `invalidEntry`, `nameTaken`, `rulesMissing`, `ledgerRefused`.
   */
  async create(user: User, request: EntryRequest): Promise<RequestedEntry> {
    const why = entryProblem(request, this.#acronym)
    if (why !== undefined) throw new SpliceError('invalidEntry', { why })
    const { name, url, description } = request
    return this.#inTurn.run(`${user.party}/${name}`, async () => {
      await this.#refuseTaken(name)
      return (await this.#pending(user, name)) ?? this.#request(user, { name, url, description })
    })
  }

  /** The user's entries that have not expired, oldest first, whatever became of their subscriptions. */
  async list({ party }: User): Promise<readonly OwnedEntry[]> {
    const sent = { where: { sender: party } }
    const [entries, contexts, idle, paying, { ansRules }] = await Promise.all([
      listContracts(this.#ledger, AnsEntry, { where: { user: party } }, mostListed),
      listContracts(this.#ledger, AnsEntryContext, { where: { user: party } }, mostListed),
      listContracts(this.#ledger, SubscriptionIdleState, sent, mostListed),
      listContracts(this.#ledger, SubscriptionPayment, sent, mostListed),
      this.#rules.get(),
    ])
    const running = new Map(
      [...idle, ...paying].map(({ argument }) => [argument.reference, argument.payData]),
    )
    const paid = new Map<string, PayData>()
    for (const { argument } of contexts) {
      const payData = running.get(argument.reference)
      if (payData !== undefined) paid.set(argument.name, payData)
    }
    const now = this.#now()
    return entries.flatMap((entry) => {
      const payData = paid.get(entry.argument.name) ?? usualPayData(ansRules)
      return microsOf(entry.argument.expiresAt) < now || payData === undefined ? [] : [owned(entry, payData)]
    })
  }

  async #refuseTaken(name: string): Promise<void> {
    const [holder] = await this.#ledger.entries({ name, notExpiredAt: this.#now(), limit: 1 })
    if (holder === undefined) return
    const { user, expiresAt } = holder
    throw new SpliceError('nameTaken', { name, until: timeOf(expiresAt), owner: user })
  }

  async #pending(user: User, name: string): Promise<RequestedEntry | undefined> {
    const where = { name, user: user.party }
    for (const { contractId, argument } of await listContracts(
      this.#ledger,
      AnsEntryContext,
      { where },
      mostListed,
    )) {
      const { reference, url, description } = argument
      if (!(await this.#isPending(reference))) continue
      return { entryContextCid: contractId, subscriptionRequestCid: reference, name, url, description }
    }
    return undefined
  }

  /** Asked for and neither accepted nor rejected, or paid and neither collected nor given back. */
  async #isPending(reference: ContractId): Promise<boolean> {
    if ((await findContract(this.#ledger, SubscriptionRequest, reference)) !== undefined) return true
    const payments = await listContracts(
      this.#ledger,
      SubscriptionInitialPayment,
      { where: { reference } },
      1,
    )
    return payments.length > 0
  }

  async #request({ userId, party }: User, request: EntryRequest): Promise<RequestedEntry> {
    const { ansRules } = await this.#rules.get()
    if (ansRules === undefined) throw new SpliceError('rulesMissing', { template: 'AnsRules' })
    const outcome = await this.#ledger.submit({
      commandId: `request-entry:${crypto.randomUUID()}`,
      userId,
      actAs: [party],
      readAs: [],
      workflowId: '',
      commands: [exercise(AnsRules_RequestEntry, ansRules.contractId, { ...request, user: party })],
      disclosed: disclosed([ansRules]),
    })
    if (outcome.kind === 'refused')
      throw new SpliceError('ledgerRefused', { code: outcome.code, why: outcome.message })
    const { entryCid, requestCid } = resultOf(AnsRules_RequestEntry, outcome.transaction)
    return { entryContextCid: entryCid, subscriptionRequestCid: requestCid, ...request }
  }

  #now(): Micros {
    return Math.floor(this.#clock.wall() * 1000)
  }
}

/** What a subscription to a name costs that is asked for now. */
function usualPayData(ansRules: RulesInForce['ansRules']): PayData | undefined {
  if (ansRules === undefined) return undefined
  const { entryFee, entryLifetime, renewalDuration } = ansRules.argument.config
  return {
    paymentAmount: { amount: entryFee, unit: 'USDUnit' },
    paymentInterval: entryLifetime,
    paymentDuration: renewalDuration,
  }
}

function owned({ contractId, argument }: ContractFrom<typeof AnsEntry>, payData: PayData): OwnedEntry {
  return {
    contractId,
    name: argument.name,
    amount: payData.paymentAmount.amount,
    unit: payData.paymentAmount.unit.toUpperCase(),
    expiresAt: String(Math.floor(microsOf(argument.expiresAt) / 1000)),
    paymentInterval: payData.paymentInterval.microseconds,
    paymentDuration: payData.paymentDuration.microseconds,
  }
}
