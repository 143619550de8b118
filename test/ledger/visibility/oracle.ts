import type { Contract, Transaction } from '../../../src/ledger/update.ts'
import type { Party } from '../../../src/ledger/value.ts'
import {
  type CumulativeFilter,
  type EventFormat,
  type Filters,
  referenceText,
  type TransactionShape,
} from '../../../src/ledger/visibility/format.ts'
import type { ReadRights } from '../../../src/ledger/visibility/rights.ts'
import { type Action, informeesOf } from './ledger.ts'

// The oracle follows Canton's rules of visibility in the simplest way: party by party, and filter by filter. The
// templates and interfaces are listed by hand.

export interface Reader {
  readonly format: EventFormat
  readonly rights: ReadRights
}

export interface Sight {
  readonly kind: 'created' | 'archived' | 'exercised'
  readonly nodeId: number
  readonly contractId: string
  readonly witnessParties: readonly Party[]
  readonly acsDelta: boolean | undefined
  readonly createdEventBlob: string | undefined
  /** The interfaces whose views a created contract shows. For other kinds of events, the interfaces of the contract. */
  readonly interfaces: readonly string[]
}

const selectedBy: Readonly<Record<string, readonly string[]>> = {
  '#alpha:Main:House': ['alpha Main:House'],
  '#alpha:Main:Boat': ['alpha Main:Boat'],
  '#beta:Main:House': ['beta Main:House'],
  [`${'2'.repeat(64)}:Main:House`]: ['alpha Main:House'],
  '#none:Main:House': [],
  '#api:Api:Owned': ['alpha Main:House', 'alpha Main:Boat'],
  [`${'4'.repeat(64)}:Api:Owned`]: ['alpha Main:House', 'alpha Main:Boat'],
  '#api:Api:Sailing': ['alpha Main:Boat'],
  '#api:Api:Unused': [],
}

export function sightsOf(
  actions: readonly Action[],
  shape: TransactionShape,
  reader: Reader,
): readonly Sight[] {
  const sights: Sight[] = []
  let nodeId = 0
  const visit = (action: Action, above: readonly Action[]): void => {
    const sight = sightOf(action, nodeId++, above, shape, reader, isTransient(action.contract, actions))
    if (sight !== undefined) sights.push(sight)
    if (action.kind === 'exercise')
      for (const consequence of action.consequences) visit(consequence, [...above, action])
  }
  for (const action of actions) visit(action, [])
  return sights
}

function sightOf(
  action: Action,
  nodeId: number,
  above: readonly Action[],
  shape: TransactionShape,
  reader: Reader,
  transient: boolean,
): Sight | undefined {
  const { contract } = action
  const stakeholders = [...contract.signatories, ...contract.observers]
  const changes = !transient && (action.kind === 'create' || action.consuming)
  if (shape === 'ACS_DELTA' && !changes) return undefined
  const told = shape === 'ACS_DELTA' ? stakeholders : [...above, action].flatMap(informeesOf)
  const seen = look(contract, told, reader)
  if (seen === undefined) return undefined
  const { blob, interfaces, ...rest } = seen
  const common = { nodeId, contractId: contract.contractId, ...rest }
  const acsDelta = changes && witnesses(stakeholders, reader).length > 0
  if (action.kind === 'create') {
    const createdEventBlob = blob ? contract.createdEventBlob : ''
    return { kind: 'created', ...common, interfaces, createdEventBlob, acsDelta }
  }
  const none = { createdEventBlob: undefined, interfaces: action.consuming ? interfaces : [] }
  return shape === 'ACS_DELTA'
    ? { kind: 'archived', ...common, ...none, acsDelta: undefined }
    : { kind: 'exercised', ...common, ...none, acsDelta }
}

export function commandIdFor({ actAs, commandId }: Transaction, reader: Reader): string {
  return witnesses(actAs, reader).length > 0 ? commandId : ''
}

/**
 * Returns what the reader's filters select of an event on the contract. Undefined if no filter selects the contract.
 * @param told the parties that are informed of the event.
 */
function look(
  contract: Pick<Contract, 'packageName' | 'templateId'>,
  told: readonly Party[],
  reader: Reader,
): { witnessParties: readonly Party[]; blob: boolean; interfaces: readonly string[] } | undefined {
  const template = `${contract.packageName} ${contract.templateId.slice(65)}`
  const matching: CumulativeFilter[] = []
  for (const party of [...new Set(told)])
    for (const filters of filtersOf(party, reader))
      for (const filter of filters) if (isOf(filter, template)) matching.push(filter)
  if (matching.length === 0) return undefined
  const interfaces = matching.flatMap((filter) =>
    filter.kind === 'interface' && filter.includeInterfaceView
      ? [`${'4'.repeat(64)}:${filter.interfaceId.entity}`]
      : [],
  )
  return {
    witnessParties: witnesses(told, reader),
    blob: matching.some((filter) => filter.kind !== 'empty' && filter.includeCreatedEventBlob),
    interfaces: [...new Set(interfaces)].sort(),
  }
}

function filtersOf(party: Party, { format, rights }: Reader): readonly (readonly CumulativeFilter[])[] {
  const all: (readonly CumulativeFilter[])[] = []
  const own = format.filtersByParty.get(party)
  if (own !== undefined && (rights.readAsAnyParty || rights.readAs.has(party))) all.push(spelledOut(own))
  if (format.filtersForAnyParty !== undefined && rights.readAsAnyParty)
    all.push(spelledOut(format.filtersForAnyParty))
  return all
}

function spelledOut({ cumulative }: Filters): readonly CumulativeFilter[] {
  const filters = cumulative.filter(({ kind }) => kind !== 'empty')
  return filters.length > 0 ? filters : [{ kind: 'wildcard', includeCreatedEventBlob: false }]
}

function isOf(filter: CumulativeFilter, template: string): boolean {
  if (filter.kind === 'wildcard') return true
  if (filter.kind === 'empty') return false
  const reference = filter.kind === 'template' ? filter.templateId : filter.interfaceId
  return selectedBy[referenceText(reference)]?.includes(template) === true
}

function witnesses(told: readonly Party[], { format, rights }: Reader): readonly Party[] {
  const isAny = format.filtersForAnyParty !== undefined && rights.readAsAnyParty
  return [...new Set(told)]
    .filter(
      (party) =>
        isAny || (format.filtersByParty.has(party) && (rights.readAsAnyParty || rights.readAs.has(party))),
    )
    .sort()
}

function isTransient({ contractId }: Contract, actions: readonly Action[]): boolean {
  const all = everyActionIn(actions).filter(({ contract }) => contract.contractId === contractId)
  return (
    all.some(({ kind }) => kind === 'create') &&
    all.some((action) => action.kind === 'exercise' && action.consuming)
  )
}

function everyActionIn(actions: readonly Action[]): readonly Action[] {
  return actions.flatMap((action) => [
    action,
    ...(action.kind === 'exercise' ? everyActionIn(action.consequences) : []),
  ])
}
