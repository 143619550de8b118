import {
  byCreation,
  contract,
  contractWithState,
  newestOf,
  oneOf,
  textIn as payloadText,
} from './contract.ts'
import { laterFirst } from './instant.ts'
import { integerIn, partyIn, partyParam, textIn } from './params.ts'
import { firstOf, leaf, list, literal, object, optional, record, string, type TypeOf } from './pattern.ts'
import { defineRead } from './read.ts'

const featuredApps = object({ featured_apps: list(contract) })
const featuredApp = object({ featured_app_right: optional(contract) })

const provider = partyIn('provider_party_id', 'path', "A provider's party id.")

const sortedApps = {
  normalise: (value: TypeOf<typeof featuredApps>) => ({
    featured_apps: value.featured_apps.toSorted(byCreation),
  }),
  normalises: '`featured_apps` are in the order of their creation',
}

export const listFeaturedAppRights = defineRead({
  id: 'listFeaturedAppRights',
  summary: 'The rights of all featured apps.',
  method: 'GET',
  scanPath: '/v0/featured-apps',
  alsoWithoutPrefix: false,
  params: [],
  reply: featuredApps,
  ...sortedApps,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '8MiB',
})

export const listFeaturedAppRightsByProvider = defineRead({
  id: 'listFeaturedAppRightsByProvider',
  summary: "A provider's rights of featured apps.",
  method: 'GET',
  scanPath: '/v0/featured-apps/by-provider/{provider_party_id}',
  alsoWithoutPrefix: false,
  params: [provider],
  reply: featuredApps,
  ...sortedApps,
  answersQuestion: ({ featured_apps }, params) =>
    featured_apps.every((right) => payloadText(right, 'provider') === params['provider_party_id']),
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '1MiB',
})

/**
 * If several contracts have enough votes, the daemon serves the one with the smallest id. It serves
 * "no right" only if no contract has enough votes.
 */
const byRight = {
  on: 'ranked',
  rankInWords: 'by contract id, none last',
  rank: ({ featured_app_right: right }: TypeOf<typeof featuredApp>) => right?.contract_id ?? '~',
} as const

export const lookupFeaturedAppRight = defineRead({
  id: 'lookupFeaturedAppRight',
  summary: "A provider's right of a featured app, null where it has none; of several any one.",
  method: 'GET',
  scanPath: '/v0/featured-apps/{provider_party_id}',
  alsoWithoutPrefix: false,
  proxy: { method: 'GET', path: '/v0/scan-proxy/featured-apps/{provider_party_id}' },
  params: [provider],
  reply: featuredApp,
  answersQuestion: ({ featured_app_right: right }, params) =>
    right === null || payloadText(right, 'provider') === params['provider_party_id'],
  // Each scan returns the first row that its database finds (DbScanStore.scala,
  // lookupFeaturedAppRight), so honest scans may give different rights.
  agree: { ...byRight, isPick: ({ featured_app_right: right }) => right !== null },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '64KiB',
})

export const lookupFeaturedAppRightByContractId = defineRead({
  id: 'lookupFeaturedAppRightByContractId',
  summary: 'A right of a featured app by its contract id, null where there is none.',
  method: 'GET',
  scanPath: '/v0/featured-apps/by-contract-id/{contract_id}',
  alsoWithoutPrefix: false,
  params: [textIn('contract_id', 'path', 'A contract id.')],
  reply: featuredApp,
  answersQuestion: ({ featured_app_right: right }, params) =>
    right === null || right.contract_id === params['contract_id'],
  agree: byRight,
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '64KiB',
})

const preapproval = object({ transfer_preapproval: contractWithState })

export const lookupTransferPreapprovalByParty = defineRead({
  id: 'lookupTransferPreapprovalByParty',
  summary:
    'The contract by which a party lets others transfer to it; of several the one that holds since last.',
  method: 'GET',
  scanPath: '/v0/transfer-preapprovals/by-party/{party}',
  alsoWithoutPrefix: false,
  proxy: { method: 'GET', path: '/v0/scan-proxy/transfer-preapprovals/by-party/{party}' },
  params: [partyParam],
  reply: preapproval,
  answersQuestion: ({ transfer_preapproval: { contract: found } }, params) =>
    payloadText(found, 'receiver') === params['party'],
  agree: {
    on: 'ranked',
    rankInWords: 'by `validFrom`, latest first, as each scan picks it',
    rank: ({ transfer_preapproval: { contract: found } }) =>
      `${laterFirst(payloadText(found, 'validFrom') ?? null)}\0${found.contract_id}`,
  },
  version: { of: (value) => newestOf([value.transfer_preapproval.contract]), absence: 'newer' },
  absent: ['No TransferPreapproval found for party: {party}'],
  cache: {
    fresh: '30s',
    stale: '5m',
    absent: '5s',
    ends: (value) => [payloadText(value.transfer_preapproval.contract, 'expiresAt') ?? null],
  },
  maxBytes: '64KiB',
})

const counter = object({ transfer_command_counter: contractWithState })

export const lookupTransferCommandCounterByParty = defineRead({
  id: 'lookupTransferCommandCounterByParty',
  summary: "The nonce of a party's next transfer command.",
  method: 'GET',
  scanPath: '/v0/transfer-command-counter/{party}',
  alsoWithoutPrefix: false,
  proxy: { method: 'GET', path: '/v0/scan-proxy/transfer-command-counter/{party}' },
  params: [partyParam],
  reply: counter,
  answersQuestion: ({ transfer_command_counter: { contract: found } }, params) =>
    payloadText(found, 'sender') === params['party'],
  agree: { on: 'whole' },
  // A party that has a counter always has one: a command replaces it by the next, and nothing else
  // archives it. An absence is therefore older than any counter.
  version: { of: (value) => newestOf([value.transfer_command_counter.contract]), absence: 'older' },
  absent: [
    'No TransferCommandCounter found for party: {party}',
    'No TransferCommandCounter found for party: {party}, use 0 for the nonce',
  ],
  cache: { fresh: '2s', stale: '2s', absent: '2s' },
  maxBytes: '64KiB',
})

const status = firstOf(
  object({ status: literal('created') }),
  object({ status: literal('sent') }),
  object({
    status: literal('failed'),
    failure_kind: oneOf('failed', 'expired', 'withdrawn'),
    reason: string,
  }),
  leaf<never>('other command status'),
)
const commands = object({
  transfer_commands_by_contract_id: record(object({ contract, status })),
})

export const lookupTransferCommandStatus = defineRead({
  id: 'lookupTransferCommandStatus',
  summary: 'What became of the transfer commands of a sender with a nonce, of the last 24 hours.',
  method: 'GET',
  scanPath: '/v0/transfer-command/status',
  alsoWithoutPrefix: false,
  proxy: { method: 'GET', path: '/v0/scan-proxy/transfer-command/status' },
  params: [
    partyIn('sender', 'query', "The sender's party id."),
    integerIn('nonce', 'query', 'The nonce of the command.'),
  ],
  reply: commands,
  answersQuestion: ({ transfer_commands_by_contract_id: found }, params) =>
    Object.entries(found).every(
      ([id, { contract: command }]) =>
        id === command.contract_id &&
        payloadText(command, 'sender') === params['sender'] &&
        payloadText(command, 'nonce') === params['nonce'],
    ),
  agree: { on: 'whole' },
  absent: ["Couldn't find transfer command for sender {sender} with nonce {nonce} created in the last 24h"],
  cache: { fresh: '2s', stale: '2s', absent: '2s' },
  maxBytes: '1MiB',
})

const coupons = object({ 'unclaimed-development-fund-coupons': list(contractWithState) })

export const listUnclaimedDevelopmentFundCoupons = defineRead({
  id: 'listUnclaimedDevelopmentFundCoupons',
  summary: 'The coupons of the development fund that nobody claimed yet.',
  method: 'GET',
  scanPath: '/v0/unclaimed-development-fund-coupons',
  alsoWithoutPrefix: false,
  proxy: { method: 'GET', path: '/v0/scan-proxy/unclaimed-development-fund-coupons' },
  params: [],
  reply: coupons,
  normalise: (value) => ({
    'unclaimed-development-fund-coupons': value['unclaimed-development-fund-coupons'].toSorted((a, b) =>
      byCreation(a.contract, b.contract),
    ),
  }),
  normalises: 'the coupons are in the order of their creation',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '8MiB',
})
