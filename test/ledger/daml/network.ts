import type { Refusal } from '../../../src/ledger/command.ts'
import { type Decimal, decimal } from '../../../src/ledger/daml/decimal.ts'
import type { Interpretation } from '../../../src/ledger/daml/interpret.ts'
import { Amulet } from '../../../src/ledger/daml/splice/amulet.ts'
import { AmuletRules, AmuletRules_DevNet_Tap } from '../../../src/ledger/daml/splice/amulet-rules.ts'
import {
  AnsEntry,
  AnsEntryContext,
  AnsEntryContext_CollectEntryRenewalPayment,
  AnsEntryContext_CollectInitialEntryPayment,
  AnsEntryContext_RejectEntryInitialPayment,
  AnsRules,
  AnsRules_RequestEntry,
} from '../../../src/ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../../../src/ledger/daml/splice/round.ts'
import { SubscriptionInitialPayment } from '../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_MakePayment,
  SubscriptionPayment,
} from '../../../src/ledger/daml/splice/subscription-renewal.ts'
import {
  SubscriptionRequest,
  SubscriptionRequest_AcceptAndMakePayment,
} from '../../../src/ledger/daml/splice/subscription-request.ts'
import { templates } from '../../../src/ledger/daml/splice/templates.ts'
import type { ContractId, Party } from '../../../src/ledger/value.ts'
import { foundingCommands, roundAfter } from '../founding.ts'
import { create, exercise, MemoryLedger } from './memory-ledger.ts'

export const dso = `DSO::1220${'d'.repeat(64)}`
export const alice = `alice::1220${'a'.repeat(64)}`
export const bob = `bob::1220${'b'.repeat(64)}`

export const minute = 60_000_000
export const day = 24 * 60 * minute

export class Network {
  readonly ledger = new MemoryLedger(templates)
  readonly ansRules: ContractId
  readonly amuletRules: ContractId

  constructor(amuletPrice: Decimal = decimal('0.005')) {
    const { now } = this.ledger
    const synchronizerId = `global-domain::1220${'e'.repeat(64)}`
    const founding = foundingCommands({ dso, synchronizerId, acronym: 'cns', amuletPrice, now })
    done(this.ledger.submit({ actAs: [dso] }, ...founding))
    this.ansRules = this.ledger.only(AnsRules).contractId
    this.amuletRules = this.ledger.only(AmuletRules).contractId
  }

  get round() {
    const open = this.ledger
      .list(OpenMiningRound)
      .filter(({ argument }) => Date.parse(argument.opensAt) * 1000 <= this.ledger.now)
    return open.at(-1) as (typeof open)[number]
  }

  get transferContext() {
    return { amuletRules: this.amuletRules, openMiningRound: this.round.contractId, featuredAppRight: null }
  }

  get paymentContext() {
    return {
      amuletRules: this.amuletRules,
      context: {
        openMiningRound: this.round.contractId,
        issuingMiningRounds: [],
        validatorRights: [],
        featuredAppRight: null,
      },
    }
  }

  get reference() {
    return [
      ...this.ledger.list(AnsRules),
      ...this.ledger.list(AmuletRules),
      ...this.ledger.list(OpenMiningRound),
    ]
  }

  as(...actAs: readonly Party[]) {
    return { actAs, disclosed: this.reference }
  }

  coinsOf(owner: Party) {
    return this.ledger.list(Amulet).filter(({ argument }) => argument.owner === owner)
  }

  inputsOf(owner: Party) {
    return this.coinsOf(owner).map(({ contractId }) => ({ tag: 'InputAmulet', value: contractId }) as const)
  }

  tap(receiver: Party, amount: string) {
    const argument = { receiver, amount: decimal(amount), openRound: this.round.contractId }
    return this.ledger.submit(this.as(receiver), exercise(AmuletRules_DevNet_Tap, this.amuletRules, argument))
  }

  request(user: Party, name: string, url = '', description = '') {
    const argument = { name, url, description, user }
    return this.ledger.submit(this.as(user), exercise(AnsRules_RequestEntry, this.ansRules, argument))
  }

  accept(user: Party, request = this.ledger.only(SubscriptionRequest).contractId) {
    return this.ledger.submit(
      this.as(user),
      exercise(SubscriptionRequest_AcceptAndMakePayment, request, this.#payment(user)),
    )
  }

  collect(payment = this.ledger.only(SubscriptionInitialPayment)) {
    return this.ledger.submit(
      { actAs: [dso] },
      exercise(AnsEntryContext_CollectInitialEntryPayment, this.contextOf(payment), {
        paymentCid: payment.contractId,
        transferContext: this.transferContext,
        ansRulesCid: this.ansRules,
      }),
    )
  }

  rejectPayment(payment = this.ledger.only(SubscriptionInitialPayment)) {
    return this.ledger.submit(
      { actAs: [dso] },
      exercise(AnsEntryContext_RejectEntryInitialPayment, this.contextOf(payment), {
        paymentCid: payment.contractId,
        transferContext: this.transferContext,
        ansRulesCid: this.ansRules,
      }),
    )
  }

  renew(user: Party, idle = this.ledger.only(SubscriptionIdleState).contractId) {
    return this.ledger.submit(
      this.as(user),
      exercise(SubscriptionIdleState_MakePayment, idle, this.#payment(user)),
    )
  }

  collectRenewal(
    payment = this.ledger.only(SubscriptionPayment),
    entryCid = this.ledger.only(AnsEntry).contractId,
  ) {
    return this.ledger.submit(
      { actAs: [dso] },
      exercise(AnsEntryContext_CollectEntryRenewalPayment, this.contextOf(payment), {
        paymentCid: payment.contractId,
        entryCid,
        transferContext: this.transferContext,
        ansRulesCid: this.ansRules,
      }),
    )
  }

  register(user: Party, name: string): void {
    done(this.tap(user, '1000'))
    done(this.request(user, name))
    done(this.accept(user))
    done(this.collect())
  }

  advance(micros: number): void {
    this.ledger.now += micros
  }

  /** Archives the oldest round and creates the next round, as the DSO does at the end of a tick. */
  nextRound(amuletPrice?: Decimal): void {
    const rounds = this.ledger.list(OpenMiningRound)
    const [oldest] = rounds
    const latest = rounds.at(-1)
    if (oldest === undefined || latest === undefined) throw new Error('no rounds')
    const next = roundAfter(latest.argument, this.ledger.now, amuletPrice ?? latest.argument.amuletPrice)
    const archive = {
      kind: 'exercise',
      template: OpenMiningRound.name,
      contractId: oldest.contractId,
      choice: 'Archive',
      argument: {},
    } as const
    done(this.ledger.submit({ actAs: [dso] }, archive, create(OpenMiningRound, next)))
  }

  contextOf({ argument }: { readonly argument: { readonly reference: ContractId } }): ContractId {
    const context = this.ledger
      .list(AnsEntryContext)
      .find((context) => context.argument.reference === argument.reference)
    if (context === undefined) throw new Error('no context')
    return context.contractId
  }

  #payment(user: Party) {
    return { inputs: this.inputsOf(user), context: this.paymentContext, walletProvider: user }
  }
}

export function done(outcome: Interpretation | Refusal): Interpretation {
  if (outcome.kind === 'refused') throw new Error(`${outcome.code}: ${outcome.message}`)
  return outcome
}

export function refusal(outcome: Interpretation | Refusal): string {
  return outcome.kind === 'refused' ? `${outcome.code}: ${outcome.message}` : 'it was not refused'
}

export function unmet(requirement: string): string {
  return `INTERPRETATION_USER_ERROR: The requirement '${requirement}' was not met.`
}
