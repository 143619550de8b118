import { shortest } from '../../ledger/daml/decimal.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import type { Answer, NodeRequest } from '../node-context.ts'
import { declaredError, jsonReply, thrownError } from '../reply.ts'
import type { Annals, Pending } from '../world/annals.ts'
import { type ContractWithState, isoTime } from '../world/contract.ts'
import { totalOf } from '../world/snapshots.ts'
import type { View } from '../world/view.ts'
import { fromBody, fromView, indexOf, ReplyError } from './asked.ts'

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

const info: Answer = (view) =>
  jsonReply(
    JSON.stringify({ adminId: view.dsoParty(), supportedApis: { 'splice-api-token-metadata-v1': 1 } }),
  )

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
    totalSupplyAsOf: at === undefined ? null : isoTime(at),
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
    : new ReplyError(declaredError(404, `No instrument with id ${question.lastArgument} found`)),
)

function disclosed(
  { contract, domain_id }: ContractWithState,
  member: NodeRequest['member'],
  debug: boolean,
) {
  const known = {
    templateId: contract.template_id,
    contractId: contract.contract_id,
    createdEventBlob: contract.created_event_blob,
    synchronizerId: domain_id,
    debugPackageName: null,
    debugPayload: null,
    debugCreatedAt: null,
  }
  if (!debug) return known
  // The package name differs from node to node, as on a network whose nodes run different releases.
  const debugPackageName = `splice-amulet-0.1.${20 + indexOf(member)}`
  return {
    ...known,
    debugPackageName,
    debugPayload: contract.payload,
    debugCreatedAt: contract.created_at,
  }
}

function contextOf(
  contracts: readonly ContractWithState[],
  { excludeDebugFields }: Readonly<Record<string, unknown>>,
  { member }: NodeRequest,
) {
  return {
    choiceContextData: {
      values: Object.fromEntries(
        contracts.map(({ contract }, at) => [
          at === 0 ? 'amulet-rules' : 'open-round',
          { tag: 'AV_ContractId', value: contract.contract_id },
        ]),
      ),
    },
    disclosedContracts: contracts.map((contract) => disclosed(contract, member, excludeDebugFields !== true)),
  }
}

const noUsableRound = thrownError(404, 'No open usable OpenMiningRound found.')

function factory(valid: string, kind: object): Answer {
  return (view, question) =>
    whenKnown(view.amuletRules(), (rules) =>
      fromBody((annals, body) => {
        const { usableRound: round } = annals
        if (round === undefined || rules === undefined) return new ReplyError(noUsableRound)
        const { choiceArguments } = body
        if (
          typeof choiceArguments !== 'object' ||
          choiceArguments === null ||
          !('expectedAdmin' in choiceArguments)
        )
          return new ReplyError(
            thrownError(
              400,
              `Field \`choiceArguments\` does not contain a valid \`${valid}\`: expectedAdmin is missing`,
            ),
          )
        return {
          factoryId: annals.externalPartyRules?.contract.contract_id ?? rules.contract.contract_id,
          ...kind,
          choiceContext: contextOf([rules, round], body, question),
        }
      })(view, question),
    )
}

function context(what: string, pending: (annals: Annals) => readonly Pending[]): Answer {
  return (view, question) =>
    whenKnown(view.amuletRules(), (rules) =>
      fromBody((annals, body) => {
        const { lastArgument } = question
        if (!pending(annals).some(({ contractId }) => contractId === lastArgument))
          return new ReplyError(thrownError(404, `${what} '${lastArgument}' not found.`))
        const { usableRound: round } = annals
        if (round === undefined || rules === undefined) return new ReplyError(noUsableRound)
        return contextOf([rules, round], body, question)
      })(view, question),
    )
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

const post = 'POST' as const

export const tokenRegistryReads = [
  { id: 'registry-info', method: 'GET', path: '/registry/metadata/v1/info', answer: info },
  { id: 'instruments', method: 'GET', path: '/registry/metadata/v1/instruments', answer: instruments },
  { id: 'instrument', method: 'GET', path: '/registry/metadata/v1/instruments/{}', answer: instrument },
  {
    id: 'transfer-factory',
    method: post,
    path: '/registry/transfer-instruction/v1/transfer-factory',
    answer: transfer,
  },
  {
    id: 'transfer-factory-v2',
    method: post,
    path: '/registry/transfer-instruction/v2/transfer-factory',
    answer: transfer,
  },
  {
    id: 'allocation-factory',
    method: post,
    path: '/registry/allocation-instruction/v1/allocation-factory',
    answer: allocate,
  },
  {
    id: 'allocation-factory-v2',
    method: post,
    path: '/registry/allocation-instruction/v2/allocation-factory',
    answer: allocate,
  },
  {
    id: 'settlement-factory',
    method: post,
    path: '/registry/allocation/v2/settlement-factory',
    answer: factory('SettlementFactory_SettleBatch', {}),
  },
  ...(['v1', 'v2'] as const).flatMap((version) =>
    (['accept', 'reject', 'withdraw'] as const).map((choice) => ({
      id: `instruction-${choice}-${version}` as const,
      method: post,
      path: `/registry/transfer-instruction/${version}/{}/choice-contexts/${choice}`,
      answer: instruction,
    })),
  ),
  ...(['execute-transfer', 'withdraw', 'cancel'] as const).map((choice) => ({
    id: `allocation-${choice}-v1` as const,
    method: post,
    path: `/registry/allocations/v1/{}/choice-contexts/${choice}`,
    answer: allocation,
  })),
  ...(['withdraw', 'cancel'] as const).map((choice) => ({
    id: `allocation-${choice}-v2` as const,
    method: post,
    path: `/registry/allocations/v2/{}/choice-contexts/${choice}`,
    answer: allocation,
  })),
  ...(['accept', 'withdraw'] as const).map((choice) => ({
    id: `allocation-instruction-${choice}` as const,
    method: post,
    path: `/registry/allocation-instruction/v2/{}/choice-contexts/${choice}`,
    answer: unsupported,
  })),
] as const
