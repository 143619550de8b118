import { whenKnown } from '../../lib/maybe-promise.ts'
import type { Answer } from '../node-context.ts'
import { declaredError, jsonReply, replyOf } from '../reply.ts'
import type { Contract } from '../world/contract.ts'
import { migrationId } from '../world/network.ts'
import {
  fromAnnals,
  fromView,
  indexOf,
  limited,
  notInitialised,
  partyOf,
  ReplyError,
  rotatedByNode,
} from './asked.ts'

const sequencers: Answer = (view) => {
  if (!view.initialised) return notInitialised
  const [synchronizer] = view.scans().scans
  return whenKnown(view.annals(), ({ sequencers: all }) =>
    jsonReply(
      JSON.stringify({ domainSequencers: [{ domainId: synchronizer?.domainId ?? '', sequencers: all }] }),
    ),
  )
}

const participant = fromView((view, { lastArgument }) =>
  whenKnown(view.participants(partyOf(lastArgument)), (found) => {
    if (found.length === 1) return { participant_id: found[0] }
    const several = `Party ${lastArgument} is hosted on multiple participants, which is not currently supported`
    return new ReplyError(
      found.length === 0
        ? declaredError(404, `No participant id found hosting party: ${lastArgument}`)
        : declaredError(500, several),
    )
  }),
)

const participants = fromView((view, question) =>
  whenKnown(view.participants(partyOf(question.lastArgument)), (found) =>
    found.length === 0
      ? new ReplyError(declaredError(404, `Party not found: ${question.lastArgument}`))
      : { participant_ids: rotatedByNode(found, question) },
  ),
)

function faucetOf({ payload }: Contract) {
  const state = payload['faucetState'] as Record<
    'firstReceivedFor' | 'lastReceivedFor',
    { number: string }
  > & {
    numCouponsMissed: string
  }
  const [first, last] = [Number(state.firstReceivedFor.number), Number(state.lastReceivedFor.number)]
  const missed = Number(state.numCouponsMissed)
  return {
    validator: payload['validator'],
    numRoundsCollected: last - first + 1 - missed,
    numRoundsMissed: missed,
    firstCollectedInRound: first,
    lastCollectedInRound: last,
  }
}

const faucets = fromAnnals(({ licenses }, question) => {
  const asked = question.all('validator_ids').map(partyOf)
  const found = licenses.filter(({ payload }) => asked.includes(String(payload['validator'])))
  return { validatorsReceivedFaucets: rotatedByNode(found.map(faucetOf), question) }
})

const licenses = fromAnnals(({ licenses: all }, question) => {
  const limit = limited(Number(question.query.get('limit') ?? 1000))
  if (typeof limit !== 'number') return new ReplyError(limit)
  return {
    validator_licenses: rotatedByNode(all.slice(0, limit), question),
    next_page_token: all.length > limit ? 1_000 * (indexOf(question.member) + 1) + limit : null,
  }
})

export const topologyReads = [
  { id: 'dso-sequencers', method: 'GET', path: '/api/scan/v0/dso-sequencers', answer: sequencers },
  {
    id: 'participant',
    method: 'GET',
    path: '/api/scan/v0/domains/{}/parties/{}/participant-id',
    answer: participant,
  },
  {
    id: 'participants',
    method: 'GET',
    path: '/api/scan/v1/domains/{}/parties/{}/participant-id',
    answer: participants,
  },
  { id: 'faucets', method: 'GET', path: '/api/scan/v0/validators/validator-faucets', answer: faucets },
  { id: 'licenses', method: 'GET', path: '/api/scan/v0/admin/validator/licenses', answer: licenses },
  {
    id: 'migration-schedule',
    method: 'GET',
    path: '/api/scan/v0/migrations/schedule',
    answer: () => replyOf(404, []),
  },
  {
    id: 'migration',
    method: 'GET',
    path: '/api/scan/v0/migrations/last',
    answer: fromAnnals(() => ({ migration_id: migrationId })),
  },
  { id: 'lsu', method: 'GET', path: '/api/scan/v0/lsu', answer: fromAnnals(() => ({ lsu: null })) },
] as const
