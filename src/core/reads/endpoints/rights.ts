import { contract, contractWithState, oneOf } from '../contract.ts'
import { get } from '../endpoint.ts'
import { integerIn, partyIn, partyParam, textIn } from '../params.ts'
import { firstOf, leaf, list, literal, object, optional, record, string } from '../pattern.ts'

export const featuredApps = object({ featured_apps: list(contract) })

export const featuredApp = object({ featured_app_right: optional(contract) })

const provider = partyIn('provider_party_id', 'path')

const preapproval = object({ transfer_preapproval: contractWithState })

const counter = object({ transfer_command_counter: contractWithState })

const status = firstOf(
  object({ status: literal('created') }),
  object({ status: literal('sent') }),
  object({
    status: literal('failed'),
    failure_kind: oneOf<'failed' | 'expired' | 'withdrawn'>(),
    reason: string,
  }),
  leaf<never>('other command status'),
)

const commands = object({
  transfer_commands_by_contract_id: record(object({ contract, status })),
})

const coupons = object({ 'unclaimed-development-fund-coupons': list(contractWithState) })

export const endpoints = {
  listFeaturedAppRights: get('/v0/featured-apps', { reply: featuredApps }),
  listFeaturedAppRightsByProvider: get('/v0/featured-apps/by-provider/{provider_party_id}', {
    params: [provider],
    reply: featuredApps,
  }),
  lookupFeaturedAppRight: get('/v0/featured-apps/{provider_party_id}', {
    params: [provider],
    reply: featuredApp,
  }),
  lookupFeaturedAppRightByContractId: get('/v0/featured-apps/by-contract-id/{contract_id}', {
    params: [textIn('contract_id', 'path')],
    reply: featuredApp,
  }),
  lookupTransferPreapprovalByParty: get('/v0/transfer-preapprovals/by-party/{party}', {
    params: [partyParam],
    reply: preapproval,
  }),
  lookupTransferCommandCounterByParty: get('/v0/transfer-command-counter/{party}', {
    params: [partyParam],
    reply: counter,
  }),
  lookupTransferCommandStatus: get('/v0/transfer-command/status', {
    params: [partyIn('sender', 'query'), integerIn('nonce', 'query')],
    reply: commands,
  }),
  listUnclaimedDevelopmentFundCoupons: get('/v0/unclaimed-development-fund-coupons', { reply: coupons }),
}
