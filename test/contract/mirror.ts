import type { Contract, Move, Node, Reassignment, Update } from '../../src/ledger/update.ts'
import { contractTypes } from '../ledger/visibility/ledger.ts'
import type { FakeCatalog, KnownInterface, View } from '../support/fake-participant/catalog.ts'
import type {
  Entry,
  Contract as FakeContract,
  Move as FakeMove,
  Node as FakeNode,
} from '../support/fake-participant/entries.ts'
import type { Json } from '../support/fake-participant/json.ts'

// The functions below copy a ledger of this project to the fake participant, where all offsets are doubled. The odd
// offsets belong to updates that these tests never see.

/** Zero (the beginning of the ledger) and negative offsets (which are invalid) stay as they are. */
export function offsetThere(offset: number): number {
  return offset <= 0 ? offset : 2 * offset
}

export function offsetHere(offset: number): number {
  return Math.floor(offset / 2)
}

/** The catalog of `test/ledger/visibility/ledger.ts`, written a second time without its code. */
export const mirroredCatalog: FakeCatalog = {
  packages: new Map([
    ['1'.repeat(64), 'alpha'],
    ['2'.repeat(64), 'alpha'],
    ['3'.repeat(64), 'beta'],
    ['4'.repeat(64), 'api'],
  ]),
  templates: new Set(['alpha:Main:House', 'alpha:Main:Boat', 'beta:Main:House']),
  interfaces: new Map([
    interfaceOf('Owned', ['House', 'Boat'], ({ owner }) => ({ owner })),
    interfaceOf('Sailing', ['Boat'], () => ({ sails: '3' })),
    interfaceOf('Unused', [], () => ({})),
  ]),
}

function interfaceOf(
  name: string,
  templates: readonly string[],
  view: (argument: Json) => Json,
): [string, KnownInterface] {
  const views = templates.map((template): [string, View] => [
    `alpha:Main:${template}`,
    { packageId: '1'.repeat(64), view },
  ])
  return [`api:Api:${name}`, { interfaceId: `${'4'.repeat(64)}:Api:${name}`, views: new Map(views) }]
}

export function mirrored(update: Update | Reassignment): Entry {
  const { updateId, synchronizerId } = update
  const place = {
    offset: offsetThere(update.offset),
    updateId,
    synchronizerId,
    recordTime: timeText(update.recordTime),
  }
  if (update.kind === 'party')
    return { kind: 'topology', ...place, party: update.party, participantId: update.participantId }
  const { commandId, actAs, workflowId } = update
  if (update.kind === 'reassignment')
    return { kind: 'reassignment', ...place, commandId, actAs, workflowId, moves: update.moves.map(moveOf) }
  const effectiveAt = timeText(update.effectiveAt)
  return {
    kind: 'transaction',
    ...place,
    commandId,
    actAs,
    workflowId,
    effectiveAt,
    nodes: update.nodes.map(nodeOf),
  }
}

function nodeOf(node: Node): FakeNode {
  const { nodeId, witnesses } = node
  if (node.kind === 'create')
    return { kind: 'create', nodeId, witnesses, contract: contractOf(node.contract) }
  const { contractId, templateId, packageName, signatories, observers, lastDescendantNodeId } = node
  return {
    kind: 'exercise',
    nodeId,
    lastDescendantNodeId,
    contract: { contractId, templateId, packageName, signatories, observers },
    choice: node.choice,
    argument: node.argument,
    result: node.result,
    isConsuming: node.consuming,
    actors: node.actingParties,
    witnesses,
  }
}

function moveOf(move: Move): FakeMove {
  const { kind, nodeId, contract, reassignmentId, source, target, submitter, reassignmentCounter } = move
  const place = { nodeId, reassignmentId, source, target, submitter, counter: reassignmentCounter }
  // The event of an unassigned contract shows only its stakeholders, so the other members may be empty.
  const whole = { ...contract, argument: {}, createdEventBlob: '', createdAt: 0 }
  return { kind, ...place, contract: contractOf(kind === 'assign' ? contract : whole) }
}

function contractOf(contract: Contract): FakeContract {
  const { contractId, templateId, packageName, argument, signatories, observers } = contract
  if (!contractTypes.some((type) => type.templateId === templateId)) throw new Error('another catalog')
  return {
    contractId,
    templateId,
    packageName,
    argument,
    signatories,
    observers,
    blob: contract.createdEventBlob,
    createdAt: timeText(contract.createdAt),
  }
}

/** Formats microseconds since 1970. The time must be within the first second. */
function timeText(micros: number): string {
  const fraction = String(micros).padStart(6, '0')
  return `1970-01-01T00:00:00${micros === 0 ? '' : `.${fraction}`}Z`
}
