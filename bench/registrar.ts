import { bootstrap } from '../src/automation/bootstrap.ts'
import { byDso, transferContext } from '../src/automation/dso-submissions.ts'
import type { Command, Submission } from '../src/ledger/command.ts'
import { decimal } from '../src/ledger/daml/decimal.ts'
import { AmuletRules_DevNet_Tap } from '../src/ledger/daml/splice/amulet-rules.ts'
import {
  AnsEntryContext_CollectInitialEntryPayment,
  AnsRules_RequestEntry,
} from '../src/ledger/daml/splice/ans.ts'
import { SubscriptionRequest_AcceptAndMakePayment } from '../src/ledger/daml/splice/subscription-request.ts'
import type { Ledger } from '../src/ledger/ledger.ts'
import { type ContractFrom, disclosed, exercise, resultOf } from '../src/ledger/typed.ts'
import type { Contract, Transaction } from '../src/ledger/update.ts'
import type { ContractId, Micros, Party } from '../src/ledger/value.ts'
import { type OpenRound, Rules, type RulesInForce, usableRound } from '../src/names/cached-rules.ts'
import { paymentWith } from '../src/wallet/coins.ts'

/** A user who has coin and wants one name. */
export interface Customer {
  readonly userId: string
  readonly party: Party
  readonly coin: ContractId
  readonly name: string
}

/** A name that is requested and paid for, but whose payment is not collected yet. */
export interface Paid {
  readonly context: ContractId
  readonly payment: ContractId
}

const coin = decimal('1000')
const allocatedAtOnce = 64

/** The contracts of the DSO to which the commands of all users refer. */
interface Terms extends RulesInForce {
  readonly ansRules: ContractFrom<typeof import('../src/ledger/daml/splice/ans.ts').AnsRules>
  readonly amuletRules: ContractFrom<typeof import('../src/ledger/daml/splice/amulet-rules.ts').AmuletRules>
  readonly round: OpenRound
}

/** Registers names through the port `Ledger`. */
export class Registrar {
  readonly #ledger: Ledger
  readonly #terms: Terms
  readonly #now: Micros

  private constructor(ledger: Ledger, terms: Terms, now: Micros) {
    this.#ledger = ledger
    this.#terms = terms
    this.#now = now
  }

  /** Opens a registrar on a ledger. Creates the DSO on the ledger if it does not exist yet. */
  static async open(ledger: Ledger, now: Micros): Promise<Registrar> {
    const dso = await bootstrap(ledger, { acronym: 'cns', now })
    using rules = new Rules(dso, ledger)
    const { ansRules, amuletRules, ...rest } = await rules.get()
    const round = usableRound(rest.rounds, now)
    if (ansRules === undefined || amuletRules === undefined || round === undefined)
      throw new Error('the ledger has no rules or no open round')
    return new Registrar(ledger, { ...rest, ansRules, amuletRules, round }, now)
  }

  /** Makes this many new users with coin. Their ids begin with `prefix`. */
  async customers(prefix: string, count: number): Promise<readonly Customer[]> {
    const customers: Customer[] = []
    while (customers.length < count) {
      const ids = Array.from({ length: Math.min(allocatedAtOnce, count - customers.length) }, (_, index) => {
        return `${prefix}-${customers.length + index}`
      })
      customers.push(...(await Promise.all(ids.map((id) => this.#customer(id)))))
    }
    return customers
  }

  /**
   * Registers a name: requests it, agrees to pay, and collects the payment. Each of these three transactions is durable
   * before the next one begins. Resolves with all three.
   */
  async register(customer: Customer): Promise<readonly Transaction[]> {
    const requested = await this.#request(customer)
    const { entryCid, requestCid } = resultOf(AnsRules_RequestEntry, requested)
    const accepted = await this.#accept(customer, requestCid)
    const { subscriptionPayment } = resultOf(SubscriptionRequest_AcceptAndMakePayment, accepted)
    const collected = await this.#collect(customer, { context: entryCid, payment: subscriptionPayment })
    return [requested, accepted, collected]
  }

  /** Requests a name and pays for it, but does not collect the payment. The automation collects it, if it runs. */
  async pay(customer: Customer): Promise<void> {
    const { requestCid } = resultOf(AnsRules_RequestEntry, await this.#request(customer))
    await this.#accept(customer, requestCid)
  }

  async #customer(userId: string): Promise<Customer> {
    const { amuletRules, round } = this.#terms
    const party = await this.#ledger.partyOf(userId, userId)
    const command = exercise(AmuletRules_DevNet_Tap, amuletRules.contractId, {
      receiver: party,
      amount: coin,
      openRound: round.contractId,
    })
    const user = { userId, party }
    const tapped = await this.#submit(byUser(user, `tap:${userId}`, command, [amuletRules, round]))
    const name = `${userId}.unverified.cns`
    return { ...user, name, coin: resultOf(AmuletRules_DevNet_Tap, tapped).amuletSum.amulet }
  }

  #request(customer: Customer): Promise<Transaction> {
    const { party: user, name } = customer
    const { ansRules } = this.#terms
    const entry = { name, url: 'https://name.example', description: '', user }
    const command = exercise(AnsRules_RequestEntry, ansRules.contractId, entry)
    return this.#submit(byUser(customer, `request:${name}`, command, [ansRules]))
  }

  #accept(customer: Customer, request: ContractId): Promise<Transaction> {
    const { amuletRules, round } = this.#terms
    const payment = paymentWith([customer.coin], amuletRules.contractId, round, customer.party)
    const command = exercise(SubscriptionRequest_AcceptAndMakePayment, request, payment)
    return this.#submit(byUser(customer, `accept:${customer.name}`, command, [amuletRules, round]))
  }

  #collect({ name }: Customer, { context, payment }: Paid): Promise<Transaction> {
    const { dso, ansRules } = this.#terms
    const terms = transferContext(this.#terms, this.#now)
    if (terms === undefined) throw new Error('no round is open')
    const command = exercise(AnsEntryContext_CollectInitialEntryPayment, context, {
      paymentCid: payment,
      transferContext: terms,
      ansRulesCid: ansRules.contractId,
    })
    return this.#submit(byDso(dso, `collect:${name}`, [command]))
  }

  async #submit(submission: Submission): Promise<Transaction> {
    const outcome = await this.#ledger.submit(submission)
    if (outcome.kind === 'refused') throw new Error(`${submission.commandId} was refused: ${outcome.message}`)
    return outcome.transaction
  }
}

function byUser(
  { userId, party }: Pick<Customer, 'userId' | 'party'>,
  commandId: string,
  command: Command,
  shown: readonly Contract[],
): Submission {
  return {
    commandId,
    userId,
    actAs: [party],
    readAs: [],
    workflowId: '',
    commands: [command],
    disclosed: disclosed(shown),
  }
}

/** Calls `act` for all items, at most `atOnce` at the same time. Resolves when all calls are done. */
export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await act(next)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
