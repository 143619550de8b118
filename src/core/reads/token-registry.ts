import { compareCodePoints } from './code-points.ts'
import type { choiceContext, instrument } from './endpoints/token-registry.ts'
import { endpoints, type ReadId } from './endpoints.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead, type Read } from './read.ts'

const cache = { fresh: '1m', stale: '10m', absent: '5s' } as const

function proxied(id: ReadId) {
  const { method, scanPath } = endpoints[id]
  return { proxy: { method, path: `/v0/scan-proxy${scanPath}` } }
}

const getRegistryInfo = defineRead('getRegistryInfo', {
  summary: 'Who administers the tokens of this registry, and which parts of the standard it has.',
  ...proxied('getRegistryInfo'),
  cache,
})

type Instrument = TypeOf<typeof instrument>

/**
 * Removes the supply of a token. Each scan reports the supply in its own last snapshot, and these
 * snapshots differ. For the other members, null means the same as false.
 */
function withoutSupply(value: Instrument): Instrument {
  const { paused, showAccountInputFields } = value
  return {
    ...value,
    totalSupply: null,
    totalSupplyAsOf: null,
    paused: paused ?? false,
    showAccountInputFields: showAccountInputFields ?? false,
  }
}

const supplyLeftOut =
  '`totalSupply` and `totalSupplyAsOf` are null: each scan tells those of the last snapshot that it took'

const getInstrument = defineRead('getInstrument', {
  summary: 'A token of this registry.',
  ...proxied('getInstrument'),
  normalise: withoutSupply,
  normalises: supplyLeftOut,
  absent: ['No instrument with id {instrumentId} found'],
  cache,
})

const listInstruments = defineRead('listInstruments', {
  summary: 'The tokens of this registry, in pages.',
  ...proxied('listInstruments'),
  answersQuestion: (value, params) => value.instruments.length <= Number(params['pageSize'] ?? 25),
  normalise: (value) => ({ ...value, instruments: value.instruments.map(withoutSupply) }),
  normalises: supplyLeftOut,
  cache,
  maxBytes: '1MiB',
})

type ChoiceContext = TypeOf<typeof choiceContext>

function inOrder(context: ChoiceContext): ChoiceContext {
  return {
    ...context,
    disclosedContracts: context.disclosedContracts.toSorted((a, b) =>
      compareCodePoints(a.contractId, b.contractId),
    ),
  }
}

const normalises =
  '`disclosedContracts` are by contract id, without the debug fields, which depend on the release of a scan'

/** No caching, for answers that contain the open round: that round may change at any moment. */
const moving = { fresh: '0s', stale: '0s', absent: '0s' } as const

const choice = { normalises, cache: moving, maxBytes: '4MiB' } as const

/** Each factory has a purpose, in the words of its description. */
const factories = {
  getTransferFactory: 'make a transfer',
  getTransferFactoryV2: 'make a transfer by v2 of the standard',
  getAllocationFactory: 'make an allocation',
  getAllocationFactoryV2: 'make an allocation by v2 of the standard',
  getSettlementFactory: 'settle allocations',
} as const

function factory(id: keyof typeof factories): Read {
  return defineRead(id, {
    ...choice,
    summary: `What it takes to ${factories[id]}.`,
    ...proxied(id),
    normalise: (value) => ({ ...value, choiceContext: inOrder(value.choiceContext) }),
    absent: ['No open usable OpenMiningRound found.'],
    maxBodyBytes: '1MiB',
  })
}

const noInstruction = "AmuletTransferInstruction '{transferInstructionId}' not found."
const noAllocation = "AmuletAllocation '{allocationId}' not found."
const noAllocationInstruction = "AllocationInstruction '{allocationInstructionId}' not found."

/** Each context has a purpose, and the text with which a scan says that it lacks the contract. */
const contexts = {
  getTransferInstructionAcceptContext: ['accept a transfer instruction', noInstruction],
  getTransferInstructionRejectContext: ['reject a transfer instruction', noInstruction],
  getTransferInstructionWithdrawContext: ['withdraw a transfer instruction', noInstruction],
  getTransferInstructionAcceptContextV2: ['accept a transfer instruction', noInstruction],
  getTransferInstructionRejectContextV2: ['reject a transfer instruction', noInstruction],
  getTransferInstructionWithdrawContextV2: ['withdraw a transfer instruction', noInstruction],
  getAllocationTransferContext: ['execute transfer for an allocation', noAllocation],
  getAllocationWithdrawContext: ['withdraw for an allocation', noAllocation],
  getAllocationCancelContext: ['cancel for an allocation', noAllocation],
  getAllocationWithdrawContextV2: ['withdraw for an allocation', noAllocation],
  getAllocationCancelContextV2: ['cancel for an allocation', noAllocation],
  getAllocationInstructionAcceptContext: ['accept an allocation instruction', noAllocationInstruction],
  getAllocationInstructionWithdrawContext: ['withdraw an allocation instruction', noAllocationInstruction],
} as const

function context(id: keyof typeof contexts): Read {
  const [purpose, absent] = contexts[id]
  return defineRead(id, {
    ...choice,
    summary: `What it takes to ${purpose}.`,
    ...proxied(id),
    normalise: inOrder,
    absent: [absent],
    maxBodyBytes: '64KiB',
  })
}

function rowsOf<Id extends ReadId>(table: Readonly<Record<Id, unknown>>, row: (id: Id) => Read) {
  const ids = Object.keys(table) as Id[]
  return Object.fromEntries(ids.map((id) => [id, row(id)])) as Record<Id, Read>
}

export const tokenRegistry = {
  getRegistryInfo,
  getInstrument,
  listInstruments,
  ...rowsOf(factories, factory),
  ...rowsOf(contexts, context),
}
