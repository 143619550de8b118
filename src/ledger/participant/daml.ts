import { conformKnown } from '../daml/conform.ts'
import { Refused } from '../daml/refused.ts'
import { tryMicros } from '../daml/time.ts'
import type { Shape } from '../daml/type.ts'
import type { Contract, Node, Transaction } from '../update.ts'
import type { DamlRecord, DamlValue, Micros } from '../value.ts'
import { asObject, Garbage, isObject, type Json, listIn, optionalText, textIn, wholeIn } from './reading.ts'

// Transactions and contracts of the JSON Ledger API as this ledger has them.

/**
 * `CreatedEvent`; the argument has what the type has, in its words, also where a later version of the package has more.
 * @throws Garbage
 */
export function contractOf(created: Json, argument?: Shape): Contract {
  const given = asObject(created['createArgument']) as DamlRecord
  return {
    contractId: textIn(created, 'contractId'),
    templateId: textIn(created, 'templateId'),
    packageName: textIn(created, 'packageName'),
    argument: argument === undefined ? given : (typed(argument, given) as DamlRecord),
    signatories: textsIn(created, 'signatories').toSorted(),
    observers: textsIn(created, 'observers').toSorted(),
    createdEventBlob: optionalText(created, 'createdEventBlob') ?? '',
    createdAt: timeIn(created, 'createdAt'),
  }
}

/**
 * `JsTransaction` in the shape `LEDGER_EFFECTS`. What it does not tell is empty: the stakeholders of what is exercised.
 * @throws Garbage
 */
export function transactionOf(
  transaction: Json,
  { userId, actAs }: Pick<Transaction, 'userId' | 'actAs'>,
): Transaction {
  return {
    kind: 'transaction',
    offset: wholeIn(transaction, 'offset'),
    updateId: textIn(transaction, 'updateId'),
    commandId: textIn(transaction, 'commandId'),
    userId,
    actAs,
    workflowId: optionalText(transaction, 'workflowId') ?? '',
    effectiveAt: timeIn(transaction, 'effectiveAt'),
    recordTime: timeIn(transaction, 'recordTime'),
    synchronizerId: textIn(transaction, 'synchronizerId'),
    nodes: listIn(transaction, 'events').map((event) => nodeOf(asObject(event))),
  }
}

function nodeOf({ CreatedEvent: created, ExercisedEvent: exercised }: Json): Node {
  if (isObject(created)) {
    const nodeId = wholeIn(created, 'nodeId')
    return {
      kind: 'create',
      nodeId,
      contract: contractOf(created),
      witnesses: textsIn(created, 'witnessParties'),
    }
  }
  const event = asObject(exercised)
  return {
    kind: 'exercise',
    nodeId: wholeIn(event, 'nodeId'),
    lastDescendantNodeId: wholeIn(event, 'lastDescendantNodeId'),
    contractId: textIn(event, 'contractId'),
    templateId: textIn(event, 'templateId'),
    packageName: textIn(event, 'packageName'),
    choice: textIn(event, 'choice'),
    argument: event['choiceArgument'] as DamlValue,
    result: event['exerciseResult'] as DamlValue,
    consuming: event['consuming'] === true,
    actingParties: textsIn(event, 'actingParties'),
    signatories: [],
    observers: [],
    witnesses: textsIn(event, 'witnessParties'),
  }
}

function typed(type: Shape, value: DamlValue): DamlValue {
  try {
    return conformKnown(type, value)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new Garbage(`The participant sent another value than its type has: ${error.message}`)
  }
}

function textsIn(of: Json, member: string): string[] {
  return listIn(of, member).filter((each) => typeof each === 'string')
}

function timeIn(of: Json, member: string): Micros {
  const micros = tryMicros(textIn(of, member))
  if (micros === undefined) throw new Garbage(`The participant sent a "${member}" that is no time.`)
  return micros
}
