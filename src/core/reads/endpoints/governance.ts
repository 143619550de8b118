import { contract, jsonObject } from '../contract.ts'
import { get, post } from '../endpoint.ts'
import { textIn } from '../params.ts'
import { boolean, integer, list, object, optional, string } from '../pattern.ts'
import { maybe, noToken, pageSize, party, text, texts } from '../request-bodies.ts'

const oneVoteRequest = object({ dso_rules_vote_request: contract })

const voteRequests = object({ dso_rules_vote_requests: list(contract) })

const trackedRequests = object({ vote_requests: list(contract) })

const priceVotes = object({ amulet_price_votes: list(contract) })

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

const count = object({ count: integer })

const weight = object({ rewardWeight: optional(string) })

export const endpoints = {
  lookupDsoRulesVoteRequest: get('/v0/voterequests/{vote_request_contract_id}', {
    params: [textIn('vote_request_contract_id', 'path')],
    reply: oneVoteRequest,
  }),
  listDsoRulesVoteRequests: get('/v0/admin/sv/voterequests', { reply: voteRequests }),
  listVoteRequestsByTrackingCid: post('/v0/voterequest', {
    body: object({ vote_request_contract_ids: texts }),
    reply: trackedRequests,
  }),
  listAmuletPriceVotes: get('/v0/amulet-price/votes', { reply: priceVotes }),
  listVoteRequestResults: post('/v0/admin/sv/voteresults', {
    body: object({
      ...filters,
      limit: pageSize,
      pageToken: noToken('Narrow the page by effectiveFrom and effectiveTo.'),
    }),
    reply: results,
  }),
  countVoteRequestResults: post('/v0/admin/sv/voteresults/count', {
    body: object(filters),
    reply: count,
  }),
  getPreviousSvRewardWeight: post('/v0/admin/sv/previous-sv-reward-weight', {
    body: object({ svParty: party, effectiveBefore: maybe(text) }),
    reply: weight,
  }),
}
