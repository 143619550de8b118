import { ledgerError } from './errors.ts'
import type { Account, Json, Reply } from './json.ts'
import type { FakeLedger } from './ledger.ts'

/** Requests of entries, which are all that it takes. */
export class Submissions {
  readonly #ledger: FakeLedger
  readonly #commands = new Map<string, number>()

  constructor(ledger: FakeLedger) {
    this.#ledger = ledger
  }

  submit({ commands: given, transactionFormat }: Json, { id }: Account): Reply {
    if (this.#ledger.refusal !== undefined) return [this.#ledger.refusal.status, this.#ledger.refusal.error]
    const key = JSON.stringify([id, given.actAs.toSorted(), given.commandId])
    const before = this.#commands.get(key)
    const since = given.deduplicationPeriod?.DeduplicationOffset?.value ?? 0
    if (before !== undefined && before > since) {
      const context = { existing_submission_id: 'one-before', definite_answer: 'false' }
      return [409, ledgerError(this.#ledger, 'DUPLICATE_COMMAND', 10, 6, { context })]
    }
    const [{ ExerciseCommand: command }] = given.commands
    const { contractId, choice, choiceArgument, templateId } = command
    const shown = given.disclosedContracts.find((each: Json) => each.contractId === contractId)
    if (shown === undefined) {
      const resources = [['CONTRACT_ID', contractId]] as const
      return [404, ledgerError(this.#ledger, 'CONTRACT_NOT_FOUND', 11, 5, { resources })]
    }
    if (
      templateId !== '#splice-amulet-name-service:Splice.Ans:AnsRules' ||
      choice !== 'AnsRules_RequestEntry'
    )
      return [400, 'Invalid value for: body (a choice that nobody knows)']
    const [user] = given.actAs
    const offset = this.#ledger.end + 1
    const request = this.#ledger.created(
      'Splice.Wallet.Subscriptions:SubscriptionRequest',
      [user],
      requestOf(user),
      offset,
      1,
    )
    const reference = request.contractId
    const context = this.#ledger.created(
      'Splice.Ans:AnsEntryContext',
      [user],
      { dso: user, ...choiceArgument, reference },
      offset,
      2,
    )
    const exercised = {
      offset,
      nodeId: 0,
      contractId,
      templateId: `${'a'.repeat(64)}:Splice.Ans:AnsRules`,
      interfaceId: null,
      choice,
      choiceArgument,
      actingParties: given.actAs,
      consuming: false,
      witnessParties: given.actAs,
      lastDescendantNodeId: 2,
      exerciseResult: { entryCid: context.contractId, requestCid: reference },
      packageName: 'splice-amulet-name-service',
      implementedInterfaces: [],
      acsDelta: false,
    }
    const events = [{ ExercisedEvent: exercised }, { CreatedEvent: request }, { CreatedEvent: context }]
    const entry = this.#ledger.commit(given.commandId, given.actAs, events)
    this.#commands.set(key, entry.offset)
    const shape = transactionFormat?.transactionShape
    return [200, { transaction: this.#ledger.transaction(entry, shape) }]
  }
}

function requestOf(user: string): Json {
  const lifetime = { microseconds: '7776000000000' }
  return {
    subscriptionData: { sender: user, receiver: user, provider: user, dso: user, description: '' },
    payData: {
      paymentAmount: { amount: '1.0000000000', unit: 'USDUnit' },
      paymentInterval: lifetime,
      paymentDuration: lifetime,
    },
  }
}
