import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { byCreation, contract, jsonObject, textIn as payloadText } from './contract.ts'
import { textIn } from './params.ts'
import { boolean, integer, list, object, optional, string } from './pattern.ts'
import { defineRead } from './read.ts'
import { maybe, noToken, pageSize, party, text, texts } from './request-bodies.ts'
import { thereIsMore } from './topology.ts'

const oneVoteRequest = object({ dso_rules_vote_request: contract })

export const lookupDsoRulesVoteRequest = defineRead({
  id: 'lookupDsoRulesVoteRequest',
  summary: 'A request for a vote of the super validators.',
  method: 'GET',
  scanPath: '/v0/voterequests/{vote_request_contract_id}',
  alsoWithoutPrefix: false,
  params: [textIn('vote_request_contract_id', 'path', "The request's contract id.")],
  reply: oneVoteRequest,
  answersQuestion: ({ dso_rules_vote_request: request }, params) => {
    const asked = params['vote_request_contract_id']
    return request.contract_id === asked || payloadText(request, 'trackingCid') === asked
  },
  agree: { on: 'whole' },
  absent: ['No VoteRequest found contract: {vote_request_contract_id}'],
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '1MiB',
})

const voteRequests = object({ dso_rules_vote_requests: list(contract) })

export const listDsoRulesVoteRequests = defineRead({
  id: 'listDsoRulesVoteRequests',
  summary: 'The requests that super validators can vote on.',
  method: 'GET',
  scanPath: '/v0/admin/sv/voterequests',
  alsoWithoutPrefix: false,
  params: [],
  reply: voteRequests,
  normalise: (value) => ({ dso_rules_vote_requests: value.dso_rules_vote_requests.toSorted(byCreation) }),
  normalises: 'requests are in the order of their creation',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '8MiB',
})

const trackedRequests = object({ vote_requests: list(contract) })

export const listVoteRequestsByTrackingCid = defineRead({
  id: 'listVoteRequestsByTrackingCid',
  summary: 'Several requests for votes, by the ids that they are tracked by.',
  method: 'POST',
  scanPath: '/v0/voterequest',
  alsoWithoutPrefix: false,
  params: [],
  body: { pattern: object({ vote_request_contract_ids: texts }), maxBytes: '256KiB' },
  reply: trackedRequests,
  normalise: (value) => ({ vote_requests: value.vote_requests.toSorted(byCreation) }),
  normalises: 'requests are in the order of their creation',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '8MiB',
})

const priceVotes = object({ amulet_price_votes: list(contract) })

export const listAmuletPriceVotes = defineRead({
  id: 'listAmuletPriceVotes',
  summary: 'What each super validator votes the price of the coin to be.',
  method: 'GET',
  scanPath: '/v0/amulet-price/votes',
  alsoWithoutPrefix: false,
  params: [],
  reply: priceVotes,
  normalise: (value) => ({ amulet_price_votes: value.amulet_price_votes.toSorted(byCreation) }),
  normalises: 'votes are in the order of their creation',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '4MiB',
})

const filters = {
  actionName: maybe(text),
  accepted: maybe(boolean),
  requester: maybe(text),
  effectiveFrom: maybe(text),
  effectiveTo: maybe(text),
}
const results = object({
  dso_rules_vote_results: list(jsonObject),
  next_page_token: optional(integer),
})

export const listVoteRequestResults = defineRead({
  id: 'listVoteRequestResults',
  summary: 'How votes ended: one page.',
  method: 'POST',
  scanPath: '/v0/admin/sv/voteresults',
  alsoWithoutPrefix: false,
  params: [],
  body: {
    pattern: object({
      ...filters,
      limit: pageSize,
      pageToken: noToken('Narrow the page by effectiveFrom and effectiveTo.'),
    }),
    maxBytes: '64KiB',
  },
  reply: results,
  normalise: ({ dso_rules_vote_results: all, next_page_token: token }) => ({
    dso_rules_vote_results: all
      .map((result) => ({ result, text: canonicalJson(result as Json) }))
      .sort((a, b) => compareCodePoints(a.text, b.text))
      .map(({ result }) => result),
    next_page_token: token === null ? null : thereIsMore,
  }),
  normalises:
    'results are in an order of their own; `next_page_token` is 1 where there is more, and null where there is not',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '16MiB',
})

const count = object({ count: integer })

export const countVoteRequestResults = defineRead({
  id: 'countVoteRequestResults',
  summary: 'The number of vote results that match a filter.',
  method: 'POST',
  scanPath: '/v0/admin/sv/voteresults/count',
  alsoWithoutPrefix: false,
  params: [],
  body: { pattern: object(filters), maxBytes: '64KiB' },
  reply: count,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '64KiB',
})

const weight = object({ rewardWeight: optional(string) })

export const getPreviousSvRewardWeight = defineRead({
  id: 'getPreviousSvRewardWeight',
  summary: 'The weight that a super validator had before, null where nothing changed it.',
  method: 'POST',
  scanPath: '/v0/admin/sv/previous-sv-reward-weight',
  alsoWithoutPrefix: false,
  params: [],
  body: { pattern: object({ svParty: party, effectiveBefore: maybe(text) }), maxBytes: '64KiB' },
  reply: weight,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '64KiB',
})
