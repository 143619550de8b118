import { canonicalJson, type Json } from '../../base/lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { byCreation, textIn as payloadText } from './contract.ts'
import { defineRead } from './read.ts'
import { thereIsMore } from './topology.ts'

export const lookupDsoRulesVoteRequest = defineRead('lookupDsoRulesVoteRequest', {
  summary: 'A request for a vote of the super validators.',
  answersQuestion: ({ dso_rules_vote_request: request }, params) => {
    const asked = params['vote_request_contract_id']
    return request.contract_id === asked || payloadText(request, 'trackingCid') === asked
  },
  absent: ['No VoteRequest found contract: {vote_request_contract_id}'],
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '1MiB',
})

export const listDsoRulesVoteRequests = defineRead('listDsoRulesVoteRequests', {
  summary: 'The requests that super validators can vote on.',
  normalise: (value) => ({ dso_rules_vote_requests: value.dso_rules_vote_requests.toSorted(byCreation) }),
  normalises: 'requests are in the order of their creation',
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBytes: '8MiB',
})

export const listVoteRequestsByTrackingCid = defineRead('listVoteRequestsByTrackingCid', {
  summary: 'Several requests for votes, by the ids that they are tracked by.',
  normalise: (value) => ({ vote_requests: value.vote_requests.toSorted(byCreation) }),
  normalises: 'requests are in the order of their creation',
  cache: { fresh: '10s', stale: '1m', absent: '5s' },
  maxBodyBytes: '256KiB',
  maxBytes: '8MiB',
})

export const listAmuletPriceVotes = defineRead('listAmuletPriceVotes', {
  summary: 'What each super validator votes the price of the coin to be.',
  normalise: (value) => ({ amulet_price_votes: value.amulet_price_votes.toSorted(byCreation) }),
  normalises: 'votes are in the order of their creation',
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '4MiB',
})

export const listVoteRequestResults = defineRead('listVoteRequestResults', {
  summary: 'How votes ended: one page.',
  normalise: ({ dso_rules_vote_results: all, next_page_token: token }) => ({
    dso_rules_vote_results: all
      .map((result) => ({ result, text: canonicalJson(result as Json) }))
      .sort((a, b) => compareCodePoints(a.text, b.text))
      .map(({ result }) => result),
    next_page_token: token === null ? null : thereIsMore,
  }),
  normalises:
    'results are in an order of their own; `next_page_token` is 1 where there is more, and null where there is not',
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBodyBytes: '64KiB',
  maxBytes: '16MiB',
})

export const countVoteRequestResults = defineRead('countVoteRequestResults', {
  summary: 'The number of vote results that match a filter.',
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBodyBytes: '64KiB',
})

export const getPreviousSvRewardWeight = defineRead('getPreviousSvRewardWeight', {
  summary: 'The weight that a super validator had before, null where nothing changed it.',
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBodyBytes: '64KiB',
})
