import { valueAt } from '../../base/lib/value-at.ts'
import { shortest } from '../../registry/ledger/daml/decimal.ts'
import { timeOf } from '../../registry/ledger/daml/time.ts'
import type { Answer, NodeRequest } from '../node-context.ts'
import { declaredError, thrownError } from '../reply.ts'
import type { Annals, Pending } from '../world/annals.ts'
import type { ContractWithState } from '../world/contract.ts'
import { totalOf } from '../world/snapshots.ts'
import type { View } from '../world/view.ts'
import { type Asked, always, fromView, get, indexOf, post, refuse } from './asked.ts'

const apis = [
  'metadata-v1',
  'holding-v1',
  'transfer-instruction-v1',
  'allocation-v1',
  'allocation-instruction-v1',
  'holding-v2',
  'allocation-v2',
  'allocation-instruction-v2',
  'transfer-instruction-v2',
  'transfer-events-v2',
].map((name) => [`splice-api-token-${name}`, 1] as const)

const info = always((view) => ({
  adminId: view.dsoParty(),
  supportedApis: { 'splice-api-token-metadata-v1': 1 },
}))

/**
 * Returns the metadata of the instrument Amulet. Every second node reports the supply of the
 * second-to-last snapshot, like a real node that lacks the last snapshot.
 */
async function amulet(view: View, { member }: NodeRequest) {
  const snapshots = view.snapshots()
  const last = snapshots.upTo(Number.POSITIVE_INFINITY)
  const at = last !== undefined && indexOf(member) % 2 === 1 ? snapshots.upTo(last - 1) : last
  return {
    id: 'Amulet',
    name: 'Amulet',
    symbol: 'AMT',
    totalSupply: at === undefined ? null : shortest(totalOf(await snapshots.contracts(at))),
    totalSupplyAsOf: at === undefined ? null : timeOf(at),
    decimals: 10,
    paused: false,
    pauseInfo: null,
    supportedApis: Object.fromEntries(apis),
    showAccountInputFields: false,
    accountInputFieldsToShow: null,
  }
}

const instruments = fromView(async (view, question) => ({
  instruments: [await amulet(view, question)],
  nextPageToken: null,
}))

const instrument = fromView((view, question) =>
  question.lastArgument === 'Amulet'
    ? amulet(view, question)
    : refuse(declaredError(404, `No instrument with id ${question.lastArgument} found`)),
)

function disclosed(
  { contract, domain_id }: ContractWithState,
  member: NodeRequest['member'],
  debug: boolean,
) {
  return {
    templateId: contract.template_id,
    contractId: contract.contract_id,
    createdEventBlob: contract.created_event_blob,
    synchronizerId: domain_id,
    // The package name differs from node to node, as on a network whose nodes run different releases.
    debugPackageName: debug ? `splice-amulet-0.1.${20 + indexOf(member)}` : null,
    debugPayload: debug ? contract.payload : null,
    debugCreatedAt: debug ? contract.created_at : null,
  }
}

type RulesAndRound = readonly [rules: ContractWithState, round: ContractWithState]

function contextOf(contracts: RulesAndRound, { json, member }: Asked) {
  const [rules, round] = contracts.map(({ contract }) => ({
    tag: 'AV_ContractId',
    value: contract.contract_id,
  }))
  return {
    choiceContextData: { values: { 'amulet-rules': rules, 'open-round': round } },
    disclosedContracts: contracts.map((contract) =>
      disclosed(contract, member, json['excludeDebugFields'] !== true),
    ),
  }
}

const noUsableRound = thrownError(404, 'No open usable OpenMiningRound found.')

async function rulesAndRound(view: View): Promise<RulesAndRound> {
  const rules = await view.amuletRules()
  const { usableRound: round } = await view.annals()
  return rules === undefined || round === undefined ? refuse(noUsableRound) : [rules, round]
}

function factory(valid: string, kind: object): Answer {
  return fromView(async (view, question) => {
    const contracts = await rulesAndRound(view)
    if (valueAt(question.json, ['choiceArguments', 'expectedAdmin']) === undefined) {
      const problem = `Field \`choiceArguments\` does not contain a valid \`${valid}\`: expectedAdmin is missing`
      refuse(thrownError(400, problem))
    }
    const { externalPartyRules } = await view.annals()
    return {
      factoryId: externalPartyRules.contract.contract_id,
      ...kind,
      choiceContext: contextOf(contracts, question),
    }
  })
}

function context(what: string, pending: (annals: Annals) => readonly Pending[]): Answer {
  return fromView(async (view, question) => {
    const { lastArgument } = question
    if (!pending(await view.annals()).some(({ contractId }) => contractId === lastArgument))
      refuse(thrownError(404, `${what} '${lastArgument}' not found.`))
    return contextOf(await rulesAndRound(view), question)
  })
}

const unsupported: Answer = () =>
  thrownError(
    400,
    'Allocation instruction choice contexts are unsupported because amulet does not create allocation instructions.',
  )

const instruction = context('AmuletTransferInstruction', ({ instructions }) => instructions)
const allocation = context('AmuletAllocation', ({ allocations }) => allocations)
const transfer = factory('TransferFactory_Transfer', { transferKind: 'offer' })
const allocate = factory('AllocationFactory_Allocate', {})
const settle = factory('SettlementFactory_SettleBatch', {})

export const tokenRegistryReads = [
  get('registry-info', '/registry/metadata/v1/info', info),
  get('instruments', '/registry/metadata/v1/instruments', instruments),
  get('instrument', '/registry/metadata/v1/instruments/{}', instrument),
  post('transfer-factory', '/registry/transfer-instruction/v1/transfer-factory', transfer),
  post('transfer-factory-v2', '/registry/transfer-instruction/v2/transfer-factory', transfer),
  post('allocation-factory', '/registry/allocation-instruction/v1/allocation-factory', allocate),
  post('allocation-factory-v2', '/registry/allocation-instruction/v2/allocation-factory', allocate),
  post('settlement-factory', '/registry/allocation/v2/settlement-factory', settle),
  ...(['v1', 'v2'] as const).flatMap((version) =>
    (['accept', 'reject', 'withdraw'] as const).map((choice) =>
      post(
        `instruction-${choice}-${version}`,
        `/registry/transfer-instruction/${version}/{}/choice-contexts/${choice}`,
        instruction,
      ),
    ),
  ),
  ...(['execute-transfer', 'withdraw', 'cancel'] as const).map((choice) =>
    post(`allocation-${choice}-v1`, `/registry/allocations/v1/{}/choice-contexts/${choice}`, allocation),
  ),
  ...(['withdraw', 'cancel'] as const).map((choice) =>
    post(`allocation-${choice}-v2`, `/registry/allocations/v2/{}/choice-contexts/${choice}`, allocation),
  ),
  ...(['accept', 'withdraw'] as const).map((choice) =>
    post(
      `allocation-instruction-${choice}`,
      `/registry/allocation-instruction/v2/{}/choice-contexts/${choice}`,
      unsupported,
    ),
  ),
] as const
