import { dso, synchronizer } from './contracts.ts'

const instrument = {
  id: 'Amulet',
  name: 'Amulet',
  symbol: 'AMT',
  totalSupply: null,
  totalSupplyAsOf: null,
  decimals: 10,
  paused: false,
  pauseInfo: null,
  supportedApis: { 'splice-api-token-metadata-v1': 1 },
  showAccountInputFields: false,
  accountInputFieldsToShow: null,
}
const context = {
  choiceContextData: { values: { 'expire-lock': { tag: 'AV_Bool', value: true } } },
  disclosedContracts: [
    {
      templateId: `${'0'.repeat(64)}:Splice.AmuletRules:AmuletRules`,
      contractId: '00a1b2',
      createdEventBlob: 'CgMyLjESAAo=',
      synchronizerId: synchronizer,
    },
  ],
}
const factoryBody = JSON.stringify({ choiceArguments: { expectedAdmin: dso }, excludeDebugFields: true })
const contextBody = JSON.stringify({ excludeDebugFields: true })

const transferFactory = {
  params: { body: factoryBody },
  reply: { factoryId: '00a1', transferKind: 'offer', choiceContext: context },
} as const
const otherFactory = { params: { body: factoryBody }, reply: { factoryId: '00a1', choiceContext: context } }
const instruction = { params: { transferInstructionId: '00c1', body: contextBody }, reply: context }
const allocation = { params: { allocationId: '00c2', body: contextBody }, reply: context }
const allocationInstruction = {
  params: { allocationInstructionId: '00c3', body: contextBody },
  reply: context,
}

export const tokenRegistrySamples = {
  getRegistryInfo: {
    params: {},
    reply: { adminId: dso, supportedApis: { 'splice-api-token-metadata-v1': 1 } },
  },
  getInstrument: { params: { instrumentId: 'Amulet' }, reply: instrument },
  listInstruments: {
    params: { pageSize: '25' },
    reply: { instruments: [instrument], nextPageToken: null },
  },
  getTransferFactory: transferFactory,
  getTransferFactoryV2: transferFactory,
  getAllocationFactory: otherFactory,
  getAllocationFactoryV2: otherFactory,
  getSettlementFactory: otherFactory,
  getTransferInstructionAcceptContext: instruction,
  getTransferInstructionRejectContext: instruction,
  getTransferInstructionWithdrawContext: instruction,
  getTransferInstructionAcceptContextV2: instruction,
  getTransferInstructionRejectContextV2: instruction,
  getTransferInstructionWithdrawContextV2: instruction,
  getAllocationTransferContext: allocation,
  getAllocationWithdrawContext: allocation,
  getAllocationCancelContext: allocation,
  getAllocationWithdrawContextV2: allocation,
  getAllocationCancelContextV2: allocation,
  getAllocationInstructionAcceptContext: allocationInstruction,
  getAllocationInstructionWithdrawContext: allocationInstruction,
} as const
