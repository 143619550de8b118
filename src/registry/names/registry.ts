import { LRUCache } from 'lru-cache'
import { SpliceError } from '../../base/errors/splice.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { SerialByKey } from '../../base/lib/serial-by-key.ts'
import { AnsEntry, AnsEntryContext, type AnsRules, AnsRules_RequestEntry } from '../ledger/daml/splice/ans.ts'
import {
  type PayData,
  SubscriptionIdleState,
  SubscriptionInitialPayment,
  SubscriptionPayment,
  SubscriptionRequest,
} from '../ledger/daml/splice/subscriptions.ts'
import { microsOf, timeOf } from '../ledger/daml/time.ts'
import type { EmbeddedLedger } from '../ledger/embedded/embedded-ledger.ts'
import {
  type ContractFrom,
  disclosed,
  exercise,
  findContract,
  LedgerUnavailable,
  listContracts,
  mostListed,
  type Outcome,
  resultOf,
  type Submission,
  type UserLedger,
} from '../ledger/ledger.ts'
import type { ContractId, Micros, Party } from '../ledger/value.ts'
import { type EntryRequest, entryProblems } from './name.ts'
import type { User } from './users.ts'

/** The schema `CreateAnsEntryResponse` of Splice's ans-external.yaml. */
export interface RequestedEntry extends EntryRequest {
  readonly entryContextCid: ContractId
  readonly subscriptionRequestCid: ContractId
}

/** The schema `AnsEntryResponse` of Splice's ans-external.yaml, in the units of that file. */
export interface OwnedEntry {
  readonly contractId: ContractId
  readonly name: string
  /** The price of a payment, with ten decimal places. */
  readonly amount: string
  /**
   * The unit of `amount` in capitals, as in Splice's API: `USDUNIT`. The ledger writes `USDUnit`.
   */
  readonly unit: string
  /** In milliseconds since 1970. */
  readonly expiresAt: string
  /** The time by which one payment extends the entry, in microseconds. */
  readonly paymentInterval: string
  /** The time before the due date in which a renewal can be paid, in microseconds. */
  readonly paymentDuration: string
}

export interface RegistryOptions {
  /**
   * The part of every name after its last dot, in lower case: `cns`. A function is called for each
   * request.
   */
  readonly acronym: string | (() => Promise<string>)
}

export interface RegistryDeps<U extends User = User> {
  ledgerOf(user: U): UserLedger
  holderOf(name: string, now: Micros): Promise<Holder | undefined>
  readonly rules: { get(): Promise<{ readonly ansRules: AgreedAnsRules | undefined }> }
  readonly clock: Clock
}

/** The contract `AnsRules`, as far as the registry needs it. */
export type AgreedAnsRules = Pick<
  ContractFrom<typeof AnsRules>,
  'contractId' | 'argument' | 'createdEventBlob'
>

export interface Holder {
  readonly user: Party
  readonly expiresAt: Micros
}

export function onOneLedger(
  ledger: UserLedger & Pick<EmbeddedLedger, 'entries'>,
): Pick<RegistryDeps, 'ledgerOf' | 'holderOf'> {
  return {
    ledgerOf: () => ledger,
    async holderOf(name, now) {
      const [entry] = await ledger.entries({ name, notExpiredAt: now, limit: 1 })
      return entry && { user: entry.argument.user, expiresAt: microsOf(entry.argument.expiresAt) }
    },
  }
}

/** For this time, a retry reuses the command id of a request whose outcome is unknown. */
const unknownForMs = 300_000
const mostUnknown = 10_000

export class Registry<U extends User = User> {
  readonly #acronym: RegistryOptions['acronym']
  readonly #deps: RegistryDeps<U>
  readonly #inTurn = new SerialByKey()
  readonly #unknown = new LRUCache<string, { readonly commandId: string; readonly until: number }>({
    max: mostUnknown,
  })

  constructor({ acronym }: RegistryOptions, deps: RegistryDeps<U>) {
    this.#acronym = acronym
    this.#deps = deps
  }

  /**
   * Requests a name, which the user buys by accepting the subscription request in the wallet. If
   * several users request the name, the first one who pays gets it.
   *
   * @throws SpliceError `invalidEntry`, `nameTaken`, `rulesMissing`, `ledgerRefused`.
   * @throws LedgerUnavailable if the outcome is unknown. A retry within `unknownForMs` makes no
   * second request.
   */
  async create(user: U, request: EntryRequest): Promise<RequestedEntry> {
    const acronym = typeof this.#acronym === 'string' ? this.#acronym : await this.#acronym()
    const problems = entryProblems(request, acronym)
    if (problems.length > 0) throw new SpliceError('invalidEntry', { why: problems.join(' ') })
    const { name, url, description } = request
    return this.#inTurn.run(`${user.party}/${name}`, async () => {
      const [pending] = await Promise.all([this.#pending(user, name), this.#refuseTaken(name)])
      return pending ?? this.#request(user, { name, url, description })
    })
  }

  /** Lists the user's entries, even those whose subscription has ended, until they expire. */
  async list(user: U): Promise<readonly OwnedEntry[]> {
    const { party } = user
    const ledger = this.#deps.ledgerOf(user)
    const sent = { where: { sender: party } }
    const [entries, contexts, idle, paying, { ansRules }] = await Promise.all([
      listContracts(ledger, AnsEntry, { where: { user: party } }, mostListed),
      listContracts(ledger, AnsEntryContext, { where: { user: party } }, mostListed),
      listContracts(ledger, SubscriptionIdleState, sent, mostListed),
      listContracts(ledger, SubscriptionPayment, sent, mostListed),
      this.#deps.rules.get(),
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
    const holder = await this.#deps.holderOf(name, this.#now())
    if (holder === undefined) return
    const { user, expiresAt } = holder
    throw new SpliceError('nameTaken', { name, until: timeOf(expiresAt), owner: user })
  }

  async #pending(user: U, name: string): Promise<RequestedEntry | undefined> {
    const ledger = this.#deps.ledgerOf(user)
    const where = { name, user: user.party }
    for (const { contractId, argument } of await listContracts(
      ledger,
      AnsEntryContext,
      { where },
      mostListed,
    )) {
      const { reference, url, description } = argument
      if (!(await isPending(ledger, reference))) continue
      return { entryContextCid: contractId, subscriptionRequestCid: reference, name, url, description }
    }
    return undefined
  }

  async #request(user: U, request: EntryRequest): Promise<RequestedEntry> {
    const { userId, party } = user
    const { ansRules } = await this.#deps.rules.get()
    if (ansRules === undefined) throw new SpliceError('rulesMissing', { template: 'AnsRules' })
    const outcome = await this.#submit(`${party}/${request.name}`, user, {
      userId,
      actAs: [party],
      commands: [exercise(AnsRules_RequestEntry, ansRules.contractId, { ...request, user: party })],
      disclosed: disclosed([ansRules]),
    })
    if (outcome.kind === 'refused')
      throw new SpliceError('ledgerRefused', { code: outcome.code, why: outcome.message })
    const { entryCid, requestCid } = resultOf(AnsRules_RequestEntry, outcome)
    return { entryContextCid: entryCid, subscriptionRequestCid: requestCid, ...request }
  }

  /**
   * Reuses the command id of an attempt whose outcome is unknown, so that the ledger makes one
   * request.
   */
  async #submit(key: string, user: U, submission: Omit<Submission, 'commandId'>): Promise<Outcome> {
    const { clock } = this.#deps
    const before = this.#unknown.get(key)
    const isSame = before !== undefined && clock.now() < before.until
    const commandId = isSame ? before.commandId : `request-entry:${crypto.randomUUID()}`
    this.#unknown.delete(key)
    try {
      return await this.#deps.ledgerOf(user).submit({ ...submission, commandId })
    } catch (error) {
      if (error instanceof LedgerUnavailable)
        this.#unknown.set(key, { commandId, until: isSame ? before.until : clock.now() + unknownForMs })
      throw error
    }
  }

  #now(): Micros {
    return Math.floor(this.#deps.clock.wall() * 1000)
  }
}

/**
 * A request stops being pending when it is rejected or withdrawn, or when its payment is collected
 * or given back.
 */
async function isPending(ledger: UserLedger, reference: ContractId): Promise<boolean> {
  if ((await findContract(ledger, SubscriptionRequest, reference)) !== undefined) return true
  const payments = await listContracts(ledger, SubscriptionInitialPayment, { where: { reference } }, 1)
  return payments.length > 0
}

function usualPayData(ansRules: AgreedAnsRules | undefined): PayData | undefined {
  if (ansRules === undefined) return undefined
  const { entryFee, entryLifetime, renewalDuration } = ansRules.argument.config
  return {
    paymentAmount: { amount: entryFee, unit: 'USDUnit' },
    paymentInterval: entryLifetime,
    paymentDuration: renewalDuration,
  }
}

function owned(
  { contractId, argument }: Pick<ContractFrom<typeof AnsEntry>, 'contractId' | 'argument'>,
  payData: PayData,
): OwnedEntry {
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
