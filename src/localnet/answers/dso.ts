import { whenKnown } from '../../lib/maybe-promise.ts'
import type { Answer } from '../node-context.ts'
import { jsonReply, unexpectedError } from '../reply.ts'
import { cachedContract, notInitialised } from './asked.ts'

export const getAmuletRules = cachedContract(
  'amulet_rules_update',
  'cached_amulet_rules_contract_id',
  (view) => view.amuletRules(),
)

export const getDsoPartyId: Answer = (view) => jsonReply(JSON.stringify({ dso_party_id: view.dsoParty() }))

export const listDsoScans: Answer = (view) =>
  view.initialised ? jsonReply(JSON.stringify(view.scans())) : notInitialised

export const getDsoInfo: Answer = (view, { member }) =>
  view.initialised
    ? whenKnown(view.dso(member), (info) =>
        info === undefined ? unexpectedError : jsonReply(JSON.stringify(info)),
      )
    : notInitialised

export const getSpliceInstanceNames: Answer = (view) => jsonReply(JSON.stringify(view.instanceNames()))
