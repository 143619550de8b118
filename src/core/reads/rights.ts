import { byCreation, newestOf, textIn as payloadText } from './contract.ts'
import type { featuredApp, featuredApps } from './endpoints/rights.ts'
import { laterFirst } from './instant.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead } from './read.ts'

const sortedApps = {
  normalise: (value: TypeOf<typeof featuredApps>) => ({
    featured_apps: value.featured_apps.toSorted(byCreation),
  }),
  normalises: '`featured_apps` are in the order of their creation',
}

export const listFeaturedAppRights = defineRead('listFeaturedAppRights', {
  summary: 'The rights of all featured apps.',
  ...sortedApps,
  maxBytes: '8MiB',
})

export const listFeaturedAppRightsByProvider = defineRead('listFeaturedAppRightsByProvider', {
  summary: "A provider's rights of featured apps.",
  ...sortedApps,
  answersQuestion: ({ featured_apps }, params) =>
    featured_apps.every((right) => payloadText(right, 'provider') === params['provider_party_id']),
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

export const lookupFeaturedAppRight = defineRead('lookupFeaturedAppRight', {
  summary: "A provider's right of a featured app, null where it has none; of several any one.",
  proxy: { method: 'GET', path: '/v0/scan-proxy/featured-apps/{provider_party_id}' },
  answersQuestion: ({ featured_app_right: right }, params) =>
    right === null || payloadText(right, 'provider') === params['provider_party_id'],
  // Each scan returns the first row that its database finds (DbScanStore.scala,
  // lookupFeaturedAppRight), so honest scans may give different rights.
  agree: { ...byRight, isPick: ({ featured_app_right: right }) => right !== null },
})

export const lookupFeaturedAppRightByContractId = defineRead('lookupFeaturedAppRightByContractId', {
  summary: 'A right of a featured app by its contract id, null where there is none.',
  answersQuestion: ({ featured_app_right: right }, params) =>
    right === null || right.contract_id === params['contract_id'],
  agree: byRight,
})

export const lookupTransferPreapprovalByParty = defineRead('lookupTransferPreapprovalByParty', {
  summary:
    'The contract by which a party lets others transfer to it; of several the one that holds since last.',
  proxy: { method: 'GET', path: '/v0/scan-proxy/transfer-preapprovals/by-party/{party}' },
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
})

export const lookupTransferCommandCounterByParty = defineRead('lookupTransferCommandCounterByParty', {
  summary: "The nonce of a party's next transfer command.",
  proxy: { method: 'GET', path: '/v0/scan-proxy/transfer-command-counter/{party}' },
  answersQuestion: ({ transfer_command_counter: { contract: found } }, params) =>
    payloadText(found, 'sender') === params['party'],
  // A party that has a counter always has one: a command replaces it by the next, and nothing else
  // archives it. An absence is therefore older than any counter.
  version: { of: (value) => newestOf([value.transfer_command_counter.contract]), absence: 'older' },
  absent: [
    'No TransferCommandCounter found for party: {party}',
    'No TransferCommandCounter found for party: {party}, use 0 for the nonce',
  ],
  cache: { fresh: '2s', stale: '2s', absent: '2s' },
})

export const lookupTransferCommandStatus = defineRead('lookupTransferCommandStatus', {
  summary: 'What became of the transfer commands of a sender with a nonce, of the last 24 hours.',
  proxy: { method: 'GET', path: '/v0/scan-proxy/transfer-command/status' },
  answersQuestion: ({ transfer_commands_by_contract_id: found }, params) =>
    Object.entries(found).every(
      ([id, { contract: command }]) =>
        id === command.contract_id &&
        payloadText(command, 'sender') === params['sender'] &&
        payloadText(command, 'nonce') === params['nonce'],
    ),
  absent: ["Couldn't find transfer command for sender {sender} with nonce {nonce} created in the last 24h"],
  cache: { fresh: '2s', stale: '2s', absent: '2s' },
  maxBytes: '1MiB',
})

export const listUnclaimedDevelopmentFundCoupons = defineRead('listUnclaimedDevelopmentFundCoupons', {
  summary: 'The coupons of the development fund that nobody claimed yet.',
  proxy: { method: 'GET', path: '/v0/scan-proxy/unclaimed-development-fund-coupons' },
  normalise: (value) => ({
    'unclaimed-development-fund-coupons': value['unclaimed-development-fund-coupons'].toSorted((a, b) =>
      byCreation(a.contract, b.contract),
    ),
  }),
  normalises: 'the coupons are in the order of their creation',
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '8MiB',
})
