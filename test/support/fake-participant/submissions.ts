import {
  type Account,
  authenticated,
  ensure,
  ensureMayReadAs,
  ensureMayReadEvents,
  mayActAs,
} from './accounts.ts'
import { names } from './catalog.ts'
import { checkEventFormat } from './checks.ts'
import type { Create, Exercise } from './entries.ts'
import { missingField, refused } from './errors.ts'
import { type TransactionFormat, transactionFormat } from './formats.ts'
import {
  type Json,
  listAt,
  objectAt,
  optional,
  type Reply,
  referenceAt,
  textAt,
  undecodable,
} from './json.ts'
import type { FakeLedger } from './ledger.ts'
import { transactionJson } from './visible.ts'

/** Performs commands, but knows only the choice that requests a name (`AnsRules_RequestEntry`). */
export class Submissions {
  readonly #ledger: FakeLedger
  readonly #commands = new Map<string, number>()

  constructor(ledger: FakeLedger) {
    this.#ledger = ledger
  }

  submit(body: Json, account: Account | undefined): Reply {
    const { version, refusal } = this.#ledger
    const given = objectAt(objectAt(body, '').commands, 'commands')
    const actAs = listAt(given.actAs, 'commands.actAs', textAt)
    const readAs = listAt(given.readAs, 'commands.readAs', textAt)
    const [command] = listAt(given.commands, 'commands.commands', requestOfEntry)
    const format = optional(body.transactionFormat, 'transactionFormat', transactionFormat)
    const { id } = ensureMaySubmit(account, given.userId, actAs, readAs, format)
    if (refusal !== undefined) return [refusal.status, refusal.error]
    if (actAs.length === 0) throw missingField(version, 'act_as')
    if (command === undefined) throw missingField(version, 'commands')
    if (format?.events !== undefined) checkEventFormat(this.#ledger.checked, format.events)
    const key = JSON.stringify([id, actAs.toSorted(), given.commandId])
    const before = this.#commands.get(key)
    const since = given.deduplicationPeriod?.DeduplicationOffset?.value ?? 0
    if (before !== undefined && before > since) {
      const context = { existing_submission_id: 'one-before', definite_answer: 'false' }
      throw refused(version, 'DUPLICATE_COMMAND', { context })
    }
    const { contractId, choiceArgument } = command
    if (!given.disclosedContracts.some((each: Json) => each.contractId === contractId))
      throw refused(version, 'CONTRACT_NOT_FOUND', { resources: [['CONTRACT_ID', contractId]] })
    const nodes = this.#nodes(actAs, contractId, choiceArgument)
    const entry = this.#ledger.commit({ nodes, commandId: given.commandId, actAs })
    this.#commands.set(key, entry.offset)
    const { events = everythingOf(actAs), shape = 'TRANSACTION_SHAPE_ACS_DELTA' } = format ?? {}
    if (shape === 'TRANSACTION_SHAPE_UNSPECIFIED') throw missingField(version, 'transaction_shape')
    return [200, { transaction: transactionJson(entry, events, shape, this.#ledger.writing) }]
  }

  #nodes(actAs: readonly string[], contractId: string, choiceArgument: Json): readonly (Create | Exercise)[] {
    const [user = ''] = actAs
    const common = { signatories: [user], observers: [] }
    const payment = 'Splice.Wallet.Subscriptions:SubscriptionRequest'
    const request = this.#ledger.creation({ template: payment, ...common, argument: requestOf(user) }, 1)
    const { contractId: reference } = request.contract
    const argument = { dso: user, ...choiceArgument, reference }
    const context = this.#ledger.creation({ template: 'Splice.Ans:AnsEntryContext', ...common, argument }, 2)
    const templateId = `${names.id}:Splice.Ans:AnsRules`
    const rules = {
      contractId,
      templateId,
      packageName: names.name,
      signatories: ['dso::1220'],
      observers: [],
    }
    const exercised: Exercise = {
      kind: 'exercise',
      nodeId: 0,
      lastDescendantNodeId: 2,
      contract: rules,
      choice: 'AnsRules_RequestEntry',
      argument: choiceArgument,
      result: { entryCid: context.contract.contractId, requestCid: reference },
      isConsuming: false,
      actors: actAs,
      witnesses: ['dso::1220', ...actAs],
    }
    return [exercised, request, context]
  }
}

function ensureMaySubmit(
  account: Account | undefined,
  userId: unknown,
  actAs: readonly string[],
  readAs: readonly string[],
  format: TransactionFormat | undefined,
): Account {
  const user = authenticated(account)
  ensure(userId === undefined || userId === null || userId === '' || userId === user.id)
  for (const party of actAs) ensure(mayActAs(user, party))
  ensureMayReadAs(user, readAs)
  ensureMayReadEvents(user, format?.events)
  return user
}

function requestOfEntry(
  given: Json,
  path: string,
): { readonly contractId: string; readonly choiceArgument: Json } {
  const command = objectAt(objectAt(given, path).ExerciseCommand, `${path}.ExerciseCommand`)
  const templateId = referenceAt(command.templateId, `${path}.ExerciseCommand.templateId`)
  const isKnown =
    templateId === `#${names.name}:Splice.Ans:AnsRules` && command.choice === 'AnsRules_RequestEntry'
  if (!isKnown) throw undecodable('body (a choice that nobody knows)')
  return { contractId: textAt(command.contractId, path), choiceArgument: command.choiceArgument }
}

function everythingOf(parties: readonly string[]) {
  return { byParty: new Map(parties.map((party) => [party, []])), any: undefined, isVerbose: true }
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
