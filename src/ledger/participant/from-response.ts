import { conformKnown } from '../daml/conform.ts'
import { Refused } from '../daml/refused.ts'
import type { DamlShape } from '../daml/type.ts'
import type { Contract, Node, Transaction } from '../update.ts'
import type { DamlRecord, DamlValue } from '../value.ts'
import {
  createdEvent,
  decode,
  MalformedResponse,
  type ReadCreatedEvent,
  type ReadTransaction,
} from './answers.ts'

/**
 * @param argument the type by which the contract's argument is normalised. If undefined, the
 * argument stays as the participant sent it.
 * @throws MalformedResponse
 */
export function contractOf(created: unknown, argument?: DamlShape): Contract {
  return contractFrom(decode(createdEvent, created), argument)
}

function contractFrom(event: ReadCreatedEvent, argument?: DamlShape): Contract {
  const { contractId, templateId, packageName, createArgument, createdEventBlob = '', createdAt } = event
  return {
    contractId,
    templateId,
    packageName,
    argument: argument === undefined ? createArgument : (typed(argument, createArgument) as DamlRecord),
    signatories: event.signatories.toSorted(),
    observers: event.observers.toSorted(),
    createdEventBlob,
    createdAt,
  }
}

/**
 * Leaves the signatories and observers of exercised contracts empty: the JSON Ledger API does not
 * send them.
 */
export function transactionOf(
  { events, workflowId = '', ...transaction }: ReadTransaction,
  { userId, actAs }: Pick<Transaction, 'userId' | 'actAs'>,
): Transaction {
  return { kind: 'transaction', ...transaction, userId, actAs, workflowId, nodes: events.map(nodeOf) }
}

function nodeOf(event: ReadTransaction['events'][number]): Node {
  if ('CreatedEvent' in event) {
    const { nodeId, witnessParties: witnesses } = event.CreatedEvent
    return { kind: 'create', nodeId, contract: contractFrom(event.CreatedEvent), witnesses }
  }
  const { choiceArgument, exerciseResult, witnessParties, ...exercised } = event.ExercisedEvent
  return {
    kind: 'exercise',
    ...exercised,
    argument: choiceArgument,
    result: exerciseResult,
    signatories: [],
    observers: [],
    witnesses: witnessParties,
  }
}

function typed(type: DamlShape, value: DamlValue): DamlValue {
  try {
    return conformKnown(type, value)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new MalformedResponse(`The participant sent another value than its type has: ${error.message}`)
  }
}
