import { compareCodePoints } from './code-points.ts'
import { byCreation } from './contract.ts'
import { defineRead } from './read.ts'
import { textsOf } from './request.ts'

export const listDsoSequencers = defineRead('listDsoSequencers', {
  summary: 'The sequencers that the super validators publish, by synchronizer.',
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
  maxBytes: '1MiB',
})

export const getPartyToParticipant = defineRead('getPartyToParticipant', {
  summary: 'The one participant that hosts a party.',
  absent: ['No participant id found hosting party: {party_id}'],
})

export const getPartyToParticipantV1 = defineRead('getPartyToParticipantV1', {
  summary: 'The participants that host a party.',
  absent: ['Party not found: {party_id}'],
})

export const getValidatorFaucetsByValidator = defineRead('getValidatorFaucetsByValidator', {
  summary: 'In which rounds validators were alive, for those of the given ones that are validators.',
  answersQuestion: ({ validatorsReceivedFaucets: all }, params) => {
    const asked = new Set(textsOf(params['validator_ids'] ?? '[]'))
    return all.every(({ validator }) => asked.has(validator))
  },
  normalise: ({ validatorsReceivedFaucets: all }) => ({
    validatorsReceivedFaucets: all.toSorted((a, b) => compareCodePoints(a.validator, b.validator)),
  }),
  normalises: 'validators are in order',
  cache: { fresh: '0s', stale: '0s', absent: '0s' },
  maxBytes: '1MiB',
})

/**
 * Replaces a page token, which only one scan understands. Callers see that there is more, but
 * cannot request it.
 */
export const thereIsMore = 1

export const listValidatorLicenses = defineRead('listValidatorLicenses', {
  summary: 'The licenses of validators, the newest first: one page.',
  answersQuestion: ({ validator_licenses: all }, params) => all.length <= Number(params['limit'] ?? 1000),
  normalise: ({ validator_licenses: all, next_page_token: token }) => ({
    validator_licenses: all.toSorted((a, b) => byCreation(b, a)),
    next_page_token: token === null ? null : thereIsMore,
  }),
  normalises:
    'licenses are by their creation; `next_page_token` is 1 where there is more, and null where there is not',
  maxBytes: '8MiB',
})

export const getMigrationSchedule = defineRead('getMigrationSchedule', {
  summary: 'When the network migrates next.',
  absent: ['No migration is scheduled.', ''],
  cache: { fresh: '1m', stale: '10m', absent: '30s' },
})

export const getSpliceInstanceNames = defineRead('getSpliceInstanceNames', {
  summary: 'What the network calls itself, its coin and its name service.',
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
})
