import { compareCodePoints } from './code-points.ts'
import type { choiceContext, instrument } from './endpoints/token-registry.ts'
import { endpoints, type ReadId } from './endpoints.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead } from './read.ts'

const cache = { fresh: '1m', stale: '10m', absent: '5s' } as const

function proxied(id: ReadId) {
  const { method, scanPath } = endpoints[id]
  return { proxy: { method, path: `/v0/scan-proxy${scanPath}` } }
}

export const getRegistryInfo = defineRead('getRegistryInfo', {
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

export const getInstrument = defineRead('getInstrument', {
  summary: 'A token of this registry.',
  ...proxied('getInstrument'),
  normalise: withoutSupply,
  normalises: supplyLeftOut,
  absent: ['No instrument with id {instrumentId} found'],
  cache,
})

export const listInstruments = defineRead('listInstruments', {
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

function factory(
  id: `get${'TransferFactory' | 'AllocationFactory'}${'' | 'V2'}` | 'getSettlementFactory',
  summary: string,
) {
  return defineRead(id, {
    summary,
    ...proxied(id),
    normalise: (value) => ({ ...value, choiceContext: inOrder(value.choiceContext) }),
    normalises,
    absent: ['No open usable OpenMiningRound found.'],
    cache: moving,
    maxBodyBytes: '1MiB',
    maxBytes: '4MiB',
  })
}

function context(id: ReadId & `get${string}Context${'' | 'V2'}`, choice: string, absent: string) {
  return defineRead(id, {
    summary: `What it takes to ${choice}.`,
    ...proxied(id),
    normalise: inOrder,
    normalises,
    absent: [absent],
    cache: moving,
    maxBodyBytes: '64KiB',
    maxBytes: '4MiB',
  })
}

const noInstruction = "AmuletTransferInstruction '{transferInstructionId}' not found."
const noAllocation = "AmuletAllocation '{allocationId}' not found."
const noAllocationInstruction = "AllocationInstruction '{allocationInstructionId}' not found."

export const getTransferFactory = factory('getTransferFactory', 'What it takes to make a transfer.')
export const getTransferFactoryV2 = factory(
  'getTransferFactoryV2',
  'What it takes to make a transfer by v2 of the standard.',
)
export const getAllocationFactory = factory('getAllocationFactory', 'What it takes to make an allocation.')
export const getAllocationFactoryV2 = factory(
  'getAllocationFactoryV2',
  'What it takes to make an allocation by v2 of the standard.',
)
export const getSettlementFactory = factory('getSettlementFactory', 'What it takes to settle allocations.')

export const getTransferInstructionAcceptContext = context(
  'getTransferInstructionAcceptContext',
  'accept a transfer instruction',
  noInstruction,
)
export const getTransferInstructionRejectContext = context(
  'getTransferInstructionRejectContext',
  'reject a transfer instruction',
  noInstruction,
)
export const getTransferInstructionWithdrawContext = context(
  'getTransferInstructionWithdrawContext',
  'withdraw a transfer instruction',
  noInstruction,
)
export const getTransferInstructionAcceptContextV2 = context(
  'getTransferInstructionAcceptContextV2',
  'accept a transfer instruction',
  noInstruction,
)
export const getTransferInstructionRejectContextV2 = context(
  'getTransferInstructionRejectContextV2',
  'reject a transfer instruction',
  noInstruction,
)
export const getTransferInstructionWithdrawContextV2 = context(
  'getTransferInstructionWithdrawContextV2',
  'withdraw a transfer instruction',
  noInstruction,
)
export const getAllocationTransferContext = context(
  'getAllocationTransferContext',
  'execute transfer for an allocation',
  noAllocation,
)
export const getAllocationWithdrawContext = context(
  'getAllocationWithdrawContext',
  'withdraw for an allocation',
  noAllocation,
)
export const getAllocationCancelContext = context(
  'getAllocationCancelContext',
  'cancel for an allocation',
  noAllocation,
)
export const getAllocationWithdrawContextV2 = context(
  'getAllocationWithdrawContextV2',
  'withdraw for an allocation',
  noAllocation,
)
export const getAllocationCancelContextV2 = context(
  'getAllocationCancelContextV2',
  'cancel for an allocation',
  noAllocation,
)
export const getAllocationInstructionAcceptContext = context(
  'getAllocationInstructionAcceptContext',
  'accept an allocation instruction',
  noAllocationInstruction,
)
export const getAllocationInstructionWithdrawContext = context(
  'getAllocationInstructionWithdrawContext',
  'withdraw an allocation instruction',
  noAllocationInstruction,
)
