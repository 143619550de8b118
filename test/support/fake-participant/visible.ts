import { resolved } from './catalog.ts'
import type { Contract, Entry, Node, TopologyEntry, TransactionEntry } from './entries.ts'
import type { Version } from './errors.ts'
import type { EventFormat, Filter, Shape, UpdateFormat } from './formats.ts'
import type { Json } from './json.ts'

// These functions decide, by Canton's rules, what a participant delivers of an update.

export interface Writing {
  readonly version: Version
  /** The hashes of transactions in hex, by offset. Only externally signed transactions have a hash. */
  readonly hashes: ReadonlyMap<number, string>
}

export function delivered(entry: Entry, format: UpdateFormat, writing: Writing): Json | undefined {
  switch (entry.kind) {
    case 'transaction': {
      const { events, shape } = format.transactions ?? {}
      if (events === undefined || shape === undefined || shape === 'TRANSACTION_SHAPE_UNSPECIFIED')
        return undefined
      const value = transactionJson(entry, events, shape, writing)
      return value.events.length === 0 ? undefined : { update: { Transaction: { value } } }
    }
    case 'topology':
      return format.topology && topologyJson(entry, format.topology)
  }
}

export function transactionJson(
  entry: TransactionEntry,
  format: EventFormat,
  shape: Shape,
  writing: Writing,
): Json {
  const { version, hashes } = writing
  const { updateId, workflowId, effectiveAt, offset, synchronizerId, recordTime, actAs } = entry
  const hash = hashes.get(offset) ?? null
  return {
    updateId,
    commandId: asked(actAs, format).length > 0 ? entry.commandId : '',
    workflowId,
    effectiveAt,
    events: eventsIn(entry, format, shape, writing),
    offset,
    synchronizerId,
    traceContext: null,
    recordTime,
    externalTransactionHash: hash,
    ...(version !== '3.4' && { paidTrafficCost: null }),
    ...(version === '3.6' && { transactionHash: hash }),
  }
}

function eventsIn(
  { nodes, offset }: TransactionEntry,
  format: EventFormat,
  shape: Shape,
  writing: Writing,
): Json[] {
  const idOf = (node: Node) => node.contract.contractId
  const created = new Set(nodes.filter(({ kind }) => kind === 'create').map(idOf))
  const archived = new Set(nodes.filter((node) => node.kind === 'exercise' && node.isConsuming).map(idOf))
  return nodes.flatMap((node): Json[] => {
    const isTransient = created.has(idOf(node)) && archived.has(idOf(node))
    const isChange = !isTransient && (node.kind === 'create' || node.isConsuming)
    const stakeholders = [...node.contract.signatories, ...node.contract.observers]
    if (shape === 'TRANSACTION_SHAPE_ACS_DELTA' && !isChange) return []
    const told = shape === 'TRANSACTION_SHAPE_ACS_DELTA' ? stakeholders : node.witnesses
    const look = looked(node.contract, told, format)
    if (look === undefined) return []
    const acsDelta = isChange && asked(stakeholders, format).length > 0
    if (node.kind === 'create')
      return [
        {
          CreatedEvent: createdJson(node.contract, { offset, nodeId: node.nodeId }, look, acsDelta, writing),
        },
      ]
    const { contractId, templateId, packageName } = node.contract
    const place = { offset, nodeId: node.nodeId, contractId, templateId }
    const implementedInterfaces: readonly string[] = []
    const { witnessParties } = look
    if (shape === 'TRANSACTION_SHAPE_ACS_DELTA')
      return [{ ArchivedEvent: { ...place, witnessParties, packageName, implementedInterfaces } }]
    const exercised = {
      ...place,
      interfaceId: null,
      choice: node.choice,
      choiceArgument: node.argument,
      actingParties: node.actors,
      consuming: node.isConsuming,
      witnessParties,
      lastDescendantNodeId: node.lastDescendantNodeId,
      exerciseResult: node.result,
      packageName,
      implementedInterfaces,
      acsDelta,
    }
    return [{ ExercisedEvent: exercised }]
  })
}

function topologyJson(entry: TopologyEntry, parties: readonly string[]): Json | undefined {
  const { party: partyId, participantId, updateId, offset, synchronizerId, recordTime } = entry
  if (parties.length > 0 && !parties.includes(partyId)) return undefined
  const value = { partyId, participantId, participantPermission: 'PARTICIPANT_PERMISSION_SUBMISSION' }
  const events = [{ event: { ParticipantAuthorizationAdded: { value } } }]
  return {
    update: {
      TopologyTransaction: {
        value: { updateId, offset, synchronizerId, recordTime, events, traceContext: null },
      },
    },
  }
}

export function activeJson(
  contract: Contract,
  place: { readonly offset: number; readonly nodeId: number },
  format: EventFormat,
  writing: Writing,
): Json | undefined {
  const look = looked(contract, [...contract.signatories, ...contract.observers], format)
  return look && createdJson(contract, place, look, true, writing)
}

interface Look {
  readonly witnessParties: readonly string[]
  readonly blob: boolean
}

/**
 * Returns the parts of an event that the filters of a format select. Undefined if no filter selects the contract of the
 * event.
 * @param told the parties that learn of the event.
 */
function looked(
  contract: Pick<Contract, 'templateId' | 'packageName'>,
  told: readonly string[],
  format: EventFormat,
): Look | undefined {
  const template = templateOf(contract)
  const parties = [...new Set(told)]
  const inForce = [
    ...parties.flatMap((party) => filtersIn(format.byParty.get(party))),
    ...(parties.length > 0 ? filtersIn(format.any) : []),
  ]
  const matching = inForce.filter((filter) => matches(filter, template))
  if (matching.length === 0) return undefined
  return {
    witnessParties: asked(parties, format),
    blob: matching.some((filter) => filter.kind !== 'empty' && filter.blob),
  }
}

function asked(parties: readonly string[], { byParty, any }: EventFormat): readonly string[] {
  return any === undefined ? parties.filter((party) => byParty.has(party)) : parties
}

/** As in Canton, a list of filters is a wildcard if it is empty or has empty filters only. */
function filtersIn(filters: readonly Filter[] | undefined): readonly Filter[] {
  if (filters === undefined) return []
  const real = filters.filter(({ kind }) => kind !== 'empty')
  return real.length === 0 ? [{ kind: 'wildcard', blob: false }] : real
}

/** No template of this participant implements an interface. */
function matches(filter: Filter, template: string): boolean {
  return filter.kind === 'wildcard' || (filter.kind === 'template' && resolved(filter.id) === template)
}

function templateOf({ templateId, packageName }: Pick<Contract, 'templateId' | 'packageName'>): string {
  return `${packageName}${templateId.slice(templateId.indexOf(':'))}`
}

function createdJson(
  contract: Contract,
  { offset, nodeId }: { readonly offset: number; readonly nodeId: number },
  { witnessParties, blob }: Look,
  acsDelta: boolean,
  { version }: Writing,
): Json {
  const { contractId, templateId, argument, signatories, observers, createdAt, packageName } = contract
  return {
    offset,
    nodeId,
    contractId,
    templateId,
    contractKey: null,
    ...(version !== '3.4' && { contractKeyHash: '' }),
    createArgument: argument,
    createdEventBlob: blob ? contract.blob : '',
    interfaceViews: [],
    witnessParties,
    signatories,
    observers,
    createdAt,
    packageName,
    representativePackageId: templateId.slice(0, templateId.indexOf(':')),
    acsDelta,
  }
}
