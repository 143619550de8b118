import { declaredError } from '../reply.ts'
import type { Annals } from '../world/annals.ts'
import { fromAnnals, fromView, get, indexOf, limited, partyOf, post, refuse, rotatedByNode } from './asked.ts'

const voteRequest = fromAnnals(({ voteRequests }, { lastArgument }) => {
  const found = voteRequests.find(({ contract_id: id }) => id === lastArgument)
  return found === undefined
    ? refuse(declaredError(404, `No VoteRequest found contract: ${lastArgument}`))
    : { dso_rules_vote_request: found }
})

const voteRequests = fromAnnals((annals, question) => ({
  dso_rules_vote_requests: rotatedByNode(annals.voteRequests, question),
}))

const trackedRequests = fromAnnals((annals, question) => {
  const { vote_request_contract_ids: ids } = question.json
  const asked = Array.isArray(ids) ? ids : []
  const found = annals.voteRequests.filter(({ contract_id: id }) => asked.includes(id))
  return { vote_requests: rotatedByNode(found, question) }
})

const priceVotes = fromAnnals((annals, question) => ({
  amulet_price_votes: rotatedByNode(annals.priceVotes, question),
}))

function isWanted(
  { completedAt }: { readonly completedAt?: unknown },
  body: Readonly<Record<string, unknown>>,
) {
  const { effectiveFrom: from, effectiveTo: to } = body
  const at = Date.parse(String(completedAt))
  return (
    !(typeof from === 'string' && at < Date.parse(from)) && !(typeof to === 'string' && at >= Date.parse(to))
  )
}

const voteResults = fromAnnals((annals, question) => {
  const { json: body } = question
  const limit = limited(body['limit'])
  const found = annals.voteResults.filter((result) => isWanted(result, body))
  return {
    dso_rules_vote_results: rotatedByNode(found.slice(0, limit), question),
    next_page_token: found.length > limit ? 1_000 * (indexOf(question.member) + 1) + limit : null,
  }
})

const voteResultCount = fromAnnals((annals, { json: body }) => ({
  count: annals.voteResults.filter((result) => isWanted(result, body)).length,
}))

const rewardWeight = fromView((_view, { json }) => {
  partyOf(json['svParty'])
  return { rewardWeight: '10000' }
})

const rewardsOf = ({ rewards }: Annals, number = '') =>
  rewards().find(({ round }) => String(round) === number)

const activityTotals = fromAnnals((annals, { lastArgument }) => {
  const found = rewardsOf(annals, lastArgument)
  if (found === undefined) return { status: 'Undetermined' }
  return { status: 'Ok', round_number: found.round, ...(found.totals as object) }
})

const rootHash = fromAnnals((annals, { lastArgument }) => {
  const found = rewardsOf(annals, lastArgument)
  if (found === undefined) return { status: 'CannotProvide' }
  return { status: 'Ok', round_number: found.round, root_hash: found.rootHash }
})

const batch = fromAnnals((annals, { args: [number, hash = ''] }) => {
  const found = rewardsOf(annals, number)?.batches.get(hash)
  return found ?? refuse(declaredError(404, `No batch found for hash ${hash}`))
})

const earliestRound = fromAnnals(({ rewards }) => {
  const [first] = rewards()
  return first === undefined
    ? refuse(declaredError(404, 'No round with complete app activity available'))
    : { earliest_round: first.round }
})

const process = '/api/scan/v0/internal/reward-accounting-process/rounds'
const round = `${process}/{}`

export const governanceReads = [
  get('vote-request', '/api/scan/v0/voterequests/{}', voteRequest),
  get('vote-requests', '/api/scan/v0/admin/sv/voterequests', voteRequests),
  post('tracked-requests', '/api/scan/v0/voterequest', trackedRequests),
  get('price-votes', '/api/scan/v0/amulet-price/votes', priceVotes),
  post('vote-results', '/api/scan/v0/admin/sv/voteresults', voteResults),
  post('vote-result-count', '/api/scan/v0/admin/sv/voteresults/count', voteResultCount),
  post('reward-weight', '/api/scan/v0/admin/sv/previous-sv-reward-weight', rewardWeight),
  get('earliest-round', `${process}/earliest-available`, earliestRound),
  get('activity-totals', `${round}/activity-totals`, activityTotals),
  get('root-hash', `${round}/root-hash`, rootHash),
  get('reward-batch', `${round}/batches/{}`, batch),
] as const
