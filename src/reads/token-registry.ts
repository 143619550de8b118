import { compareCodePoints } from './code-points.ts'
import { isoTime, jsonObject, oneOf } from './contract.ts'
import { optionalParam, sizeInQuery, textIn } from './params.ts'
import {
  boolean,
  integer,
  list,
  nullable,
  object,
  optional,
  type PatternOf,
  record,
  string,
  type TypeOf,
  withDefault,
} from './pattern.ts'
import { defineRead } from './read.ts'
import { maybe, openObject } from './request-bodies.ts'

const versions = record(integer)
const info = object({ adminId: string, supportedApis: versions })

const cache = { fresh: '1m', stale: '10m', absent: '5s' } as const

/** Scans serve the token registry at their root, not under `/api/scan`. */
const base = ''

function proxied(method: 'GET' | 'POST', path: string) {
  return {
    scanPath: path,
    alsoWithoutPrefix: false,
    proxy: { method, path: `/v0/scan-proxy${path}` },
  } as const
}

export const getRegistryInfo = defineRead({
  id: 'getRegistryInfo',
  summary: 'Who administers the tokens of this registry, and which parts of the standard it has.',
  method: 'GET',
  base,
  ...proxied('GET', '/registry/metadata/v1/info'),
  params: [],
  reply: info,
  agree: { on: 'whole' },
  absent: [],
  cache,
  maxBytes: '64KiB',
})

const instrument = object({
  id: string,
  name: string,
  symbol: string,
  totalSupply: optional(string),
  totalSupplyAsOf: optional(isoTime),
  decimals: withDefault(integer, 10),
  paused: withDefault(nullable(boolean), false),
  pauseInfo: optional(object({ reason: optional(string), until: optional(isoTime) })),
  supportedApis: versions,
  showAccountInputFields: withDefault(nullable(boolean), false),
  accountInputFieldsToShow: optional(list(oneOf('provider', 'accountId'))),
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

export const getInstrument = defineRead({
  id: 'getInstrument',
  summary: 'A token of this registry.',
  method: 'GET',
  base,
  ...proxied('GET', '/registry/metadata/v1/instruments/{instrumentId}'),
  params: [textIn('instrumentId', 'path', "The token's id.")],
  reply: instrument,
  repeats: { member: ['id'], param: 'instrumentId' },
  normalise: withoutSupply,
  normalises: supplyLeftOut,
  agree: { on: 'whole' },
  absent: ['No instrument with id {instrumentId} found'],
  cache,
  maxBytes: '64KiB',
})

const instruments = object({ instruments: list(instrument), nextPageToken: optional(string) })

export const listInstruments = defineRead({
  id: 'listInstruments',
  summary: 'The tokens of this registry, in pages.',
  method: 'GET',
  base,
  ...proxied('GET', '/registry/metadata/v1/instruments'),
  params: [
    optionalParam(sizeInQuery('pageSize', 'The most tokens to answer; 25 where it is left out.')),
    optionalParam(textIn('pageToken', 'query', 'The `nextPageToken` of the page before.')),
  ],
  reply: instruments,
  answersQuestion: (value, params) => value.instruments.length <= Number(params['pageSize'] ?? 25),
  normalise: (value) => ({ ...value, instruments: value.instruments.map(withoutSupply) }),
  normalises: supplyLeftOut,
  agree: { on: 'whole' },
  absent: [],
  cache,
  maxBytes: '1MiB',
})

const disclosed = object({
  templateId: string,
  contractId: string,
  createdEventBlob: string,
  synchronizerId: string,
})
const choiceContext = object({ choiceContextData: jsonObject, disclosedContracts: list(disclosed) })

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

/**
 * Turns any value of `excludeDebugFields` into true, so that scans omit the debug fields. These
 * fields depend on the release of a scan, so no quorum could agree on them.
 */
const withoutDebugFields = maybe(boolean, { always: true })
const factoryRequest = object({
  choiceArguments: openObject,
  excludeDebugFields: withoutDebugFields,
})
const contextRequest = object({
  meta: maybe(record(string)),
  excludeDebugFields: withoutDebugFields,
})

/** No caching, for answers that contain the open round: that round may change at any moment. */
const moving = { fresh: '0s', stale: '0s', absent: '0s' } as const

const factoryWithContext = object({ factoryId: string, choiceContext })
const transferFactory = object({
  factoryId: string,
  transferKind: oneOf('self', 'direct', 'offer'),
  choiceContext,
})

function factory<Value extends { readonly choiceContext: ChoiceContext }>(
  id: string,
  summary: string,
  path: string,
  reply: PatternOf<Value>,
) {
  return defineRead({
    id,
    summary,
    method: 'POST',
    base,
    ...proxied('POST', path),
    params: [],
    body: { pattern: factoryRequest, maxBytes: '1MiB' },
    reply,
    normalise: (value) => ({ ...value, choiceContext: inOrder(value.choiceContext) }),
    normalises,
    agree: { on: 'whole' },
    absent: ['No open usable OpenMiningRound found.'],
    cache: moving,
    maxBytes: '4MiB',
  })
}

interface ContextRow<Name extends string> {
  readonly id: string
  readonly summary: string
  readonly path: string
  readonly name: Name
  readonly absent: string
}

function context<const Name extends string>({ id, summary, path, name, absent }: ContextRow<Name>) {
  return defineRead({
    id,
    summary,
    method: 'POST',
    base,
    ...proxied('POST', path),
    params: [textIn(name, 'path', 'A contract id.')],
    body: { pattern: contextRequest, maxBytes: '64KiB' },
    reply: choiceContext,
    normalise: inOrder,
    normalises,
    agree: { on: 'whole' },
    absent: [absent],
    cache: moving,
    maxBytes: '4MiB',
  })
}

function instructionContext(id: string, version: 'v1' | 'v2', choice: string) {
  return context({
    id,
    summary: `What it takes to ${choice} a transfer instruction.`,
    path: `/registry/transfer-instruction/${version}/{transferInstructionId}/choice-contexts/${choice}`,
    name: 'transferInstructionId',
    absent: "AmuletTransferInstruction '{transferInstructionId}' not found.",
  })
}

function allocationContext(id: string, version: 'v1' | 'v2', choice: string) {
  return context({
    id,
    summary: `What it takes to ${choice.replace('-', ' ')} for an allocation.`,
    path: `/registry/allocations/${version}/{allocationId}/choice-contexts/${choice}`,
    name: 'allocationId',
    absent: "AmuletAllocation '{allocationId}' not found.",
  })
}

function allocationInstructionContext(id: string, choice: string) {
  return context({
    id,
    summary: `What it takes to ${choice} an allocation instruction.`,
    path: `/registry/allocation-instruction/v2/{allocationInstructionId}/choice-contexts/${choice}`,
    name: 'allocationInstructionId',
    absent: "AllocationInstruction '{allocationInstructionId}' not found.",
  })
}

export const getTransferFactory = factory(
  'getTransferFactory',
  'What it takes to make a transfer.',
  '/registry/transfer-instruction/v1/transfer-factory',
  transferFactory,
)
export const getTransferFactoryV2 = factory(
  'getTransferFactoryV2',
  'What it takes to make a transfer by v2 of the standard.',
  '/registry/transfer-instruction/v2/transfer-factory',
  transferFactory,
)
export const getAllocationFactory = factory(
  'getAllocationFactory',
  'What it takes to make an allocation.',
  '/registry/allocation-instruction/v1/allocation-factory',
  factoryWithContext,
)
export const getAllocationFactoryV2 = factory(
  'getAllocationFactoryV2',
  'What it takes to make an allocation by v2 of the standard.',
  '/registry/allocation-instruction/v2/allocation-factory',
  factoryWithContext,
)
export const getSettlementFactory = factory(
  'getSettlementFactory',
  'What it takes to settle allocations.',
  '/registry/allocation/v2/settlement-factory',
  factoryWithContext,
)

export const getTransferInstructionAcceptContext = instructionContext(
  'getTransferInstructionAcceptContext',
  'v1',
  'accept',
)
export const getTransferInstructionRejectContext = instructionContext(
  'getTransferInstructionRejectContext',
  'v1',
  'reject',
)
export const getTransferInstructionWithdrawContext = instructionContext(
  'getTransferInstructionWithdrawContext',
  'v1',
  'withdraw',
)
export const getTransferInstructionAcceptContextV2 = instructionContext(
  'getTransferInstructionAcceptContextV2',
  'v2',
  'accept',
)
export const getTransferInstructionRejectContextV2 = instructionContext(
  'getTransferInstructionRejectContextV2',
  'v2',
  'reject',
)
export const getTransferInstructionWithdrawContextV2 = instructionContext(
  'getTransferInstructionWithdrawContextV2',
  'v2',
  'withdraw',
)
export const getAllocationTransferContext = allocationContext(
  'getAllocationTransferContext',
  'v1',
  'execute-transfer',
)
export const getAllocationWithdrawContext = allocationContext(
  'getAllocationWithdrawContext',
  'v1',
  'withdraw',
)
export const getAllocationCancelContext = allocationContext('getAllocationCancelContext', 'v1', 'cancel')
export const getAllocationWithdrawContextV2 = allocationContext(
  'getAllocationWithdrawContextV2',
  'v2',
  'withdraw',
)
export const getAllocationCancelContextV2 = allocationContext('getAllocationCancelContextV2', 'v2', 'cancel')
export const getAllocationInstructionAcceptContext = allocationInstructionContext(
  'getAllocationInstructionAcceptContext',
  'accept',
)
export const getAllocationInstructionWithdrawContext = allocationInstructionContext(
  'getAllocationInstructionWithdrawContext',
  'withdraw',
)
