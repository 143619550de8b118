import { contract, isoTime, setOfTexts } from '../contract.ts'
import { get } from '../endpoint.ts'
import { optionalParam, partyIn, sizeIn, textIn, tokenInQuery } from '../params.ts'
import { integer, list, object, optional, string } from '../pattern.ts'

const sequencer = object({
  migrationId: integer,
  synchronizerSerial: optional(integer),
  id: string,
  url: string,
  svName: string,
  availableAfter: isoTime,
})

const sequencers = object({
  domainSequencers: list(object({ domainId: string, sequencers: list(sequencer) })),
})

const domainId = textIn('domain_id', 'path')

const partyId = partyIn('party_id', 'path')

const participant = object({ participant_id: string })

const participants = object({ participant_ids: setOfTexts })

const faucets = object({
  validatorsReceivedFaucets: list(
    object({
      validator: string,
      numRoundsCollected: integer,
      numRoundsMissed: integer,
      firstCollectedInRound: integer,
      lastCollectedInRound: integer,
    }),
  ),
})

const validatorIds = {
  ...partyIn('validator_ids', 'query'),
  list: true,
} as const

const licenses = object({
  validator_licenses: list(contract),
  next_page_token: optional(integer),
})

const schedule = object({ time: isoTime, migration_id: integer })

const instanceNames = object({
  network_name: string,
  network_favicon_url: string,
  amulet_name: string,
  amulet_name_acronym: string,
  name_service_name: string,
  name_service_name_acronym: string,
})

export const endpoints = {
  listDsoSequencers: get('/v0/dso-sequencers', { reply: sequencers }),
  getPartyToParticipant: get('/v0/domains/{domain_id}/parties/{party_id}/participant-id', {
    params: [domainId, partyId],
    reply: participant,
  }),
  getPartyToParticipantV1: get('/v1/domains/{domain_id}/parties/{party_id}/participant-id', {
    params: [domainId, partyId],
    reply: participants,
  }),
  getValidatorFaucetsByValidator: get('/v0/validators/validator-faucets', {
    params: [validatorIds],
    reply: faucets,
  }),
  listValidatorLicenses: get('/v0/admin/validator/licenses', {
    params: [
      tokenInQuery('after', 'Ask for as many as 1000 at once.'),
      optionalParam(sizeIn('limit', 'query')),
    ],
    reply: licenses,
  }),
  getMigrationSchedule: get('/v0/migrations/schedule', { reply: schedule }),
  getSpliceInstanceNames: get('/v0/splice-instance-names', { reply: instanceNames }),
}
