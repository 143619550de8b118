import { compareCodePoints } from './code-points.ts'
import { byCreation, contract, isoTime, setOfTexts } from './contract.ts'
import { optionalParam, partyIn, sizeInQuery, textIn, tokenInQuery } from './params.ts'
import { integer, list, object, optional, string } from './pattern.ts'
import { defineRead } from './read.ts'
import { textsOf } from './request.ts'

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

export const listDsoSequencers = defineRead({
  id: 'listDsoSequencers',
  summary: 'The sequencers that the super validators publish, by synchronizer.',
  method: 'GET',
  scanPath: '/v0/dso-sequencers',
  alsoWithoutPrefix: false,
  params: [],
  reply: sequencers,
  normalise: ({ domainSequencers }) => ({
    domainSequencers: domainSequencers
      .map(({ domainId, sequencers: all }) => ({
        domainId,
        sequencers: all.toSorted(
          (a, b) =>
            compareCodePoints(a.svName, b.svName) ||
            a.migrationId - b.migrationId ||
            compareCodePoints(a.id, b.id) ||
            compareCodePoints(a.url, b.url),
        ),
      }))
      .sort((a, b) => compareCodePoints(a.domainId, b.domainId)),
  }),
  normalises: 'sequencers are by super validator and migration',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '1MiB',
})

const domainId = textIn('domain_id', 'path', 'The id of the synchronizer.')
const partyId = partyIn('party_id', 'path', "The party's id.")
const participant = object({ participant_id: string })

export const getPartyToParticipant = defineRead({
  id: 'getPartyToParticipant',
  summary: 'The one participant that hosts a party.',
  method: 'GET',
  scanPath: '/v0/domains/{domain_id}/parties/{party_id}/participant-id',
  alsoWithoutPrefix: false,
  params: [domainId, partyId],
  reply: participant,
  agree: { on: 'whole' },
  absent: ['No participant id found hosting party: {party_id}'],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '64KiB',
})

const participants = object({ participant_ids: setOfTexts })

export const getPartyToParticipantV1 = defineRead({
  id: 'getPartyToParticipantV1',
  summary: 'The participants that host a party.',
  method: 'GET',
  scanPath: '/v1/domains/{domain_id}/parties/{party_id}/participant-id',
  alsoWithoutPrefix: false,
  params: [domainId, partyId],
  reply: participants,
  agree: { on: 'whole' },
  absent: ['Party not found: {party_id}'],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '64KiB',
})

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
  ...partyIn('validator_ids', 'query', "The validators' party ids, one each time the parameter is given."),
  list: true,
} as const

export const getValidatorFaucetsByValidator = defineRead({
  id: 'getValidatorFaucetsByValidator',
  summary: 'In which rounds validators were alive, for those of the given ones that are validators.',
  method: 'GET',
  scanPath: '/v0/validators/validator-faucets',
  alsoWithoutPrefix: false,
  params: [validatorIds],
  reply: faucets,
  answersQuestion: ({ validatorsReceivedFaucets: all }, params) => {
    const asked = new Set(textsOf(params['validator_ids'] ?? '[]'))
    return all.every(({ validator }) => asked.has(validator))
  },
  normalise: ({ validatorsReceivedFaucets: all }) => ({
    validatorsReceivedFaucets: all.toSorted((a, b) => compareCodePoints(a.validator, b.validator)),
  }),
  normalises: 'validators are in order',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '0s', stale: '0s', absent: '0s' },
  maxBytes: '1MiB',
})

const licenses = object({
  validator_licenses: list(contract),
  next_page_token: optional(integer),
})

/**
 * Replaces a page token, which only one scan understands. Callers see that there is more, but
 * cannot request it.
 */
export const thereIsMore = 1

export const listValidatorLicenses = defineRead({
  id: 'listValidatorLicenses',
  summary: 'The licenses of validators, the newest first: one page.',
  method: 'GET',
  scanPath: '/v0/admin/validator/licenses',
  alsoWithoutPrefix: false,
  params: [
    tokenInQuery('after', 'Ask for as many as 1000 at once.'),
    optionalParam(sizeInQuery('limit', 'The most licenses to answer; 1000 where it is left out.')),
  ],
  reply: licenses,
  answersQuestion: ({ validator_licenses: all }, params) => all.length <= Number(params['limit'] ?? 1000),
  normalise: ({ validator_licenses: all, next_page_token: token }) => ({
    validator_licenses: all.toSorted((a, b) => byCreation(b, a)),
    next_page_token: token === null ? null : thereIsMore,
  }),
  normalises:
    'licenses are by their creation; `next_page_token` is 1 where there is more, and null where there is not',
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '8MiB',
})

const schedule = object({ time: isoTime, migration_id: integer })

export const getMigrationSchedule = defineRead({
  id: 'getMigrationSchedule',
  summary: 'When the network migrates next.',
  method: 'GET',
  scanPath: '/v0/migrations/schedule',
  alsoWithoutPrefix: false,
  params: [],
  reply: schedule,
  agree: { on: 'whole' },
  absent: ['No migration is scheduled.', ''],
  cache: { fresh: '1m', stale: '10m', absent: '30s' },
  maxBytes: '64KiB',
})

const instanceNames = object({
  network_name: string,
  network_favicon_url: string,
  amulet_name: string,
  amulet_name_acronym: string,
  name_service_name: string,
  name_service_name_acronym: string,
})

export const getSpliceInstanceNames = defineRead({
  id: 'getSpliceInstanceNames',
  summary: 'What the network calls itself, its coin and its name service.',
  method: 'GET',
  scanPath: '/v0/splice-instance-names',
  alsoWithoutPrefix: false,
  params: [],
  reply: instanceNames,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '64KiB',
})
