import { valueAt } from '../../base/lib/value-at.ts'
import { declaredError, replyOf } from '../reply.ts'
import type { Contract } from '../world/contract.ts'
import { migrationId } from '../world/network.ts'
import { fromAnnals, fromView, get, indexOf, limited, partyOf, refuse, rotatedByNode } from './asked.ts'

const sequencers = fromView(async (view) => {
  const [synchronizer] = view.scans().scans
  const { sequencers } = await view.annals()
  return { domainSequencers: [{ domainId: synchronizer?.domainId ?? '', sequencers }] }
})

const participant = fromView(async (view, { lastArgument }) => {
  const [participant_id, ...others] = await view.participants(partyOf(lastArgument))
  if (participant_id === undefined)
    refuse(declaredError(404, `No participant id found hosting party: ${lastArgument}`))
  const several = `Party ${lastArgument} is hosted on multiple participants, which is not currently supported`
  if (others.length > 0) refuse(declaredError(500, several))
  return { participant_id }
})

const participants = fromView(async (view, question) => {
  const { lastArgument } = question
  const found = await view.participants(partyOf(lastArgument))
  if (found.length === 0) refuse(declaredError(404, `Party not found: ${lastArgument}`))
  return { participant_ids: rotatedByNode(found, question) }
})

function faucetOf({ payload }: Contract) {
  const numberAt = (...path: readonly string[]) => Number(valueAt(payload, ['faucetState', ...path]))
  const [first, last] = [numberAt('firstReceivedFor', 'number'), numberAt('lastReceivedFor', 'number')]
  const missed = numberAt('numCouponsMissed')
  return {
    validator: payload['validator'],
    numRoundsCollected: last - first + 1 - missed,
    numRoundsMissed: missed,
    firstCollectedInRound: first,
    lastCollectedInRound: last,
  }
}

const faucets = fromAnnals(({ licenses }, question) => {
  const asked = question.query.getAll('validator_ids').map(partyOf)
  const found = licenses.filter(({ payload }) => asked.includes(String(payload['validator'])))
  return { validatorsReceivedFaucets: rotatedByNode(found.map(faucetOf), question) }
})

const licenses = fromAnnals(({ licenses: all }, question) => {
  const limit = limited(question.query.get('limit') ?? 1000)
  return {
    validator_licenses: rotatedByNode(all.slice(0, limit), question),
    next_page_token: all.length > limit ? 1_000 * (indexOf(question.member) + 1) + limit : null,
  }
})

const migration = fromView(() => ({ migration_id: migrationId }))
const lsu = fromView(() => ({ lsu: null }))

export const topologyReads = [
  get('dso-sequencers', '/api/scan/v0/dso-sequencers', sequencers),
  get('participant', '/api/scan/v0/domains/{}/parties/{}/participant-id', participant),
  get('participants', '/api/scan/v1/domains/{}/parties/{}/participant-id', participants),
  get('faucets', '/api/scan/v0/validators/validator-faucets', faucets),
  get('licenses', '/api/scan/v0/admin/validator/licenses', licenses),
  get('migration-schedule', '/api/scan/v0/migrations/schedule', () => replyOf(404, [])),
  get('migration', '/api/scan/v0/migrations/last', migration),
  get('lsu', '/api/scan/v0/lsu', lsu),
] as const
