import { isoTime, jsonObject, oneOf } from '../contract.ts'
import { get, type Param, post } from '../endpoint.ts'
import { optionalParam, sizeIn, textIn } from '../params.ts'
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
  withDefault,
} from '../pattern.ts'
import { maybe, openObject } from '../request-bodies.ts'

const versions = record(integer)

const info = object({ adminId: string, supportedApis: versions })

export const instrument = object({
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
  accountInputFieldsToShow: optional(list(oneOf<'provider' | 'accountId'>())),
})

const instruments = object({ instruments: list(instrument), nextPageToken: optional(string) })

const disclosed = object({
  templateId: string,
  contractId: string,
  createdEventBlob: string,
  synchronizerId: string,
})

export const choiceContext = object({ choiceContextData: jsonObject, disclosedContracts: list(disclosed) })

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

const factoryWithContext = object({ factoryId: string, choiceContext })

const transferFactory = object({
  factoryId: string,
  transferKind: oneOf<'self' | 'direct' | 'offer'>(),
  choiceContext,
})

/** Scans serve the token registry at their root, not under `/api/scan`. */
const base = ''

function factory<Value>(path: string, reply: PatternOf<Value>) {
  return post(`/registry/${path}`, { base, body: factoryRequest, reply })
}

function context<const Of extends Param>(path: string, of: Of) {
  return post(`/registry/${path}`, { base, params: [of], body: contextRequest, reply: choiceContext })
}

const transferInstructionId = textIn('transferInstructionId', 'path')
const allocationId = textIn('allocationId', 'path')
const allocationInstructionId = textIn('allocationInstructionId', 'path')

type Version = 'v1' | 'v2'

function ofInstruction(version: Version, choice: string) {
  const path = `transfer-instruction/${version}/{transferInstructionId}/choice-contexts/${choice}`
  return context(path, transferInstructionId)
}

function ofAllocation(version: Version, choice: string) {
  return context(`allocations/${version}/{allocationId}/choice-contexts/${choice}`, allocationId)
}

function ofAllocationInstruction(choice: string) {
  const path = `allocation-instruction/v2/{allocationInstructionId}/choice-contexts/${choice}`
  return context(path, allocationInstructionId)
}

export const endpoints = {
  getRegistryInfo: get('/registry/metadata/v1/info', { base, reply: info }),
  getInstrument: get('/registry/metadata/v1/instruments/{instrumentId}', {
    base,
    params: [textIn('instrumentId', 'path')],
    reply: instrument,
    repeats: { member: ['id'], param: 'instrumentId' },
  }),
  listInstruments: get('/registry/metadata/v1/instruments', {
    base,
    params: [optionalParam(sizeIn('pageSize', 'query')), optionalParam(textIn('pageToken', 'query'))],
    reply: instruments,
  }),
  getTransferFactory: factory('transfer-instruction/v1/transfer-factory', transferFactory),
  getTransferFactoryV2: factory('transfer-instruction/v2/transfer-factory', transferFactory),
  getAllocationFactory: factory('allocation-instruction/v1/allocation-factory', factoryWithContext),
  getAllocationFactoryV2: factory('allocation-instruction/v2/allocation-factory', factoryWithContext),
  getSettlementFactory: factory('allocation/v2/settlement-factory', factoryWithContext),
  getTransferInstructionAcceptContext: ofInstruction('v1', 'accept'),
  getTransferInstructionRejectContext: ofInstruction('v1', 'reject'),
  getTransferInstructionWithdrawContext: ofInstruction('v1', 'withdraw'),
  getTransferInstructionAcceptContextV2: ofInstruction('v2', 'accept'),
  getTransferInstructionRejectContextV2: ofInstruction('v2', 'reject'),
  getTransferInstructionWithdrawContextV2: ofInstruction('v2', 'withdraw'),
  getAllocationTransferContext: ofAllocation('v1', 'execute-transfer'),
  getAllocationWithdrawContext: ofAllocation('v1', 'withdraw'),
  getAllocationCancelContext: ofAllocation('v1', 'cancel'),
  getAllocationWithdrawContextV2: ofAllocation('v2', 'withdraw'),
  getAllocationCancelContextV2: ofAllocation('v2', 'cancel'),
  getAllocationInstructionAcceptContext: ofAllocationInstruction('accept'),
  getAllocationInstructionWithdrawContext: ofAllocationInstruction('withdraw'),
}
