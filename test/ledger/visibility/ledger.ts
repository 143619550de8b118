import { defineInterface, defineTemplate } from '../../../src/ledger/daml/template.ts'
import { party, record } from '../../../src/ledger/daml/type.ts'
import type {
  ActiveContract,
  Contract,
  Node,
  PartyAllocated,
  Transaction,
} from '../../../src/ledger/update.ts'
import type { Party } from '../../../src/ledger/value.ts'
import { catalogOf } from '../../../src/ledger/visibility/catalog.ts'
import {
  type CumulativeFilter,
  type EventFormat,
  type Filters,
  type TransactionShape,
  type TypeReference,
  tryReference,
  type UpdateFormat,
} from '../../../src/ledger/visibility/format.ts'
import type { ReadRights } from '../../../src/ledger/visibility/rights.ts'

export const synchronizerId = 'global-domain::1220'

// A house of package `alpha` has the interface `Owned`. A boat has `Owned` and `Sailing`. No template has the interface
// `Unused`.

const packageOf = (name: string, digit: string) => ({ name, id: digit.repeat(64) })
const [alpha, alphaNext, beta, api] = [
  packageOf('alpha', '1'),
  packageOf('alpha', '2'),
  packageOf('beta', '3'),
  packageOf('api', '4'),
]
export const Owned = defineInterface('Api:Owned', api)
export const Sailing = defineInterface('Api:Sailing', api)
const Unused = defineInterface('Api:Unused', api)

const argument = record({ owner: party })
const signatories = ({ owner }: { readonly owner: Party }) => [owner]
const owned = { interface: Owned, view: ({ owner }: { readonly owner: Party }) => ({ owner }) }
const sailing = { interface: Sailing, view: () => ({ sails: '3' }) }

export const House = defineTemplate('Main:House', {
  package: alpha,
  argument,
  signatories,
  interfaces: [owned],
})
export const Boat = defineTemplate('Main:Boat', {
  package: alpha,
  argument,
  signatories,
  interfaces: [sailing, owned],
})
const Tree = defineTemplate('Main:House', { package: beta, argument, signatories })

export const catalog = catalogOf({
  templates: [House, Boat, Tree],
  interfaces: [Owned, Sailing, Unused],
  packages: [alphaNext],
})

/** The types of contracts: every template, and one template of a later version of its package. */
export const contractTypes = [
  { templateId: House.templateId, packageName: 'alpha' },
  { templateId: `${alphaNext.id}:Main:House`, packageName: 'alpha' },
  { templateId: Boat.templateId, packageName: 'alpha' },
  { templateId: Tree.templateId, packageName: 'beta' },
] as const

export function contractOf(
  contractId: string,
  type: (typeof contractTypes)[number],
  signatories: readonly Party[],
  observers: readonly Party[] = [],
): Contract {
  return {
    contractId,
    ...type,
    argument: { owner: signatories[0] as Party },
    signatories,
    observers,
    createdEventBlob: `blob of ${contractId}`,
    createdAt: 5,
  }
}

/** Each letter of `signatories` and `observers` is a party. */
export function house(contractId: string, signatories: string, observers = ''): Contract {
  return contractOf(contractId, contractTypes[0], [...signatories], [...observers])
}

export type Action =
  | { readonly kind: 'create'; readonly contract: Contract }
  | {
      readonly kind: 'exercise'
      readonly contract: Contract
      readonly consuming: boolean
      readonly actors: readonly Party[]
      readonly consequences: readonly Action[]
    }

export function create(contract: Contract): Action {
  return { kind: 'create', contract }
}

export function consume(contract: Contract, actors: string, ...consequences: Action[]): Action {
  return { kind: 'exercise', contract, consuming: true, actors: [...actors], consequences }
}

export function use(contract: Contract, actors: string, ...consequences: Action[]): Action {
  return { kind: 'exercise', contract, consuming: false, actors: [...actors], consequences }
}

/** Returns the parties that an action informs by itself, without the parties that only a parent action informs. */
export function informeesOf(action: Action): readonly Party[] {
  const { signatories, observers } = action.contract
  if (action.kind === 'create') return [...signatories, ...observers]
  return [...signatories, ...(action.consuming ? observers : []), ...action.actors]
}

function nodesOf(actions: readonly Action[]): readonly Node[] {
  const nodes: Node[] = []
  const add = (action: Action, above: readonly Party[]): void => {
    const nodeId = nodes.length
    const witnesses = [...new Set([...above, ...informeesOf(action)])].sort()
    if (action.kind === 'create') {
      nodes.push({ kind: 'create', nodeId, contract: action.contract, witnesses })
      return
    }
    const { contractId, templateId, packageName, signatories, observers } = action.contract
    const node = {
      kind: 'exercise' as const,
      nodeId,
      lastDescendantNodeId: nodeId,
      contractId,
      templateId,
      packageName,
      choice: action.consuming ? 'Consume' : 'Use',
      argument: { of: nodeId },
      result: { to: nodeId },
      consuming: action.consuming,
      actingParties: action.actors,
      signatories,
      observers,
      witnesses,
    } as unknown as Extract<Node, { kind: 'exercise' }>
    nodes.push(node)
    for (const consequence of action.consequences) add(consequence, witnesses)
    nodes[nodeId] = { ...node, lastDescendantNodeId: nodes.length - 1 }
  }
  for (const action of actions) add(action, [])
  return nodes
}

export function transaction(actions: readonly Action[], actAs = 'a'): Transaction {
  return {
    kind: 'transaction',
    offset: 7,
    updateId: '1220aa',
    commandId: 'command',
    userId: 'user',
    actAs: [...actAs],
    workflowId: 'flow',
    effectiveAt: 5,
    recordTime: 6,
    synchronizerId,
    nodes: nodesOf(actions),
  }
}

export function allocation(of: Party): PartyAllocated {
  return {
    kind: 'party',
    offset: 8,
    updateId: '1220bb',
    recordTime: 7,
    synchronizerId,
    party: of,
    userId: `user of ${of}`,
    participantId: 'participant::1220',
  }
}

export function active(contract: Contract): ActiveContract {
  return { contract, offset: 7, nodeId: 2, workflowId: 'flow', synchronizerId }
}

export function reference(text: string): TypeReference {
  const read = tryReference(text)
  if (read === undefined) throw new TypeError(`no reference: ${text}`)
  return read
}

export const wildcard: CumulativeFilter = { kind: 'wildcard', includeCreatedEventBlob: false }

export function ofTemplate(text: string, includeCreatedEventBlob = false): CumulativeFilter {
  return { kind: 'template', templateId: reference(text), includeCreatedEventBlob }
}

export function ofInterface(text: string, includeInterfaceView = false): CumulativeFilter {
  const interfaceId = reference(text)
  return { kind: 'interface', interfaceId, includeInterfaceView, includeCreatedEventBlob: false }
}

/** Makes an event format from filters by party. The filters under `*` are for any party. */
export function events(filters: Readonly<Record<string, readonly CumulativeFilter[]>>): EventFormat {
  const { '*': any, ...byParty } = Object.fromEntries(
    Object.entries(filters).map(([who, cumulative]): [string, Filters] => [who, { cumulative }]),
  )
  const filtersByParty = new Map(Object.entries(byParty))
  return { filtersByParty, filtersForAnyParty: any, verbose: false }
}

export function updates(eventFormat: EventFormat, transactionShape: TransactionShape): UpdateFormat {
  return {
    includeTransactions: { eventFormat, transactionShape },
    includeReassignments: eventFormat,
    includeTopologyEvents: undefined,
  }
}

export function topology(...parties: readonly Party[]): UpdateFormat {
  return {
    includeTransactions: undefined,
    includeReassignments: undefined,
    includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
  }
}

/** Each letter of `readAs` is a party. `*` is the right to read as any party. */
export function rights(readAs: string): ReadRights {
  return {
    readAs: new Set([...readAs].filter((one) => one !== '*')),
    readAsAnyParty: readAs.includes('*'),
  }
}
