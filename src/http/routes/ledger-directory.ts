import { z } from 'zod'
import type { CantonErrorKind } from '../../errors/canton.ts'
import type { DirectoryPage, DirectoryQuestion } from '../../ledger/api/directory.ts'
import { integerOf, type LedgerOperation, secured, textsOf } from './ledger-operations.ts'
import type { RouteContext } from './route.ts'

export interface DirectoryOperation extends LedgerOperation {
  question(c: RouteContext): DirectoryQuestion
}

const metadata = z.object({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()) })
const user = z.object({
  id: z.string(),
  primaryParty: z.string(),
  isDeactivated: z.boolean(),
  metadata,
  identityProviderId: z.string(),
  primaryPartyAuthentication: z.boolean(),
})
const partyDetails = z.array(
  z.object({
    party: z.string(),
    isLocal: z.boolean(),
    localMetadata: metadata,
    identityProviderId: z.string(),
  }),
)
const nextPageToken = z.string()
const paged = ['invalidPageSize'] as const

/** What a Canton participant tells of its users, parties and packages. */
export const directoryOperations: readonly DirectoryOperation[] = [
  get('/v2/authenticated-user', 'getAuthenticatedUser', 'The user of the token.', {
    gives: z.object({ user }),
    textQuery: ['identity-provider-id'],
    question: () => ({ kind: 'user' }),
  }),
  get('/v2/users', 'listUsers', 'All users, for administrators.', {
    gives: z.object({ users: z.array(user), nextPageToken }),
    query: ['pageSize'],
    textQuery: ['pageToken'],
    refusals: paged,
    question: (c) => ({ kind: 'users', page: pageOf(c) }),
  }),
  get('/v2/users/{user-id}', 'getUser', 'One user; any but the own for administrators alone.', {
    gives: z.object({ user }),
    textQuery: ['identity-provider-id'],
    refusals: ['userNotFound'],
    question: (c) => ({ kind: 'user', userId: c.req.param('user-id') ?? '' }),
  }),
  get('/v2/users/{user-id}/rights', 'listUserRights', 'What a user may do.', {
    gives: z.object({ rights: z.array(z.object({ kind: z.record(z.string(), z.unknown()) })) }),
    refusals: ['userNotFound'],
    question: (c) => ({ kind: 'rights', userId: c.req.param('user-id') ?? '' }),
  }),
  get('/v2/parties', 'listParties', 'All parties, for administrators.', {
    gives: z.object({ partyDetails, nextPageToken }),
    query: ['pageSize'],
    textQuery: ['pageToken', 'filter-party', 'identity-provider-id'],
    refusals: paged,
    question: (c) => ({ kind: 'parties', prefix: textsOf(c, 'filter-party')[0] ?? '', page: pageOf(c) }),
  }),
  get('/v2/parties/participant-id', 'getParticipantId', 'The id of the participant.', {
    gives: z.object({ participantId: z.string() }),
    question: () => ({ kind: 'participant-id' }),
  }),
  get('/v2/parties/{party}', 'getParties', 'Those of the named parties that the participant knows.', {
    gives: z.object({ partyDetails }),
    textQuery: ['parties', 'identity-provider-id'],
    refusals: ['invalidParty'],
    question: (c) => ({
      kind: 'named-parties',
      parties: [c.req.param('party') ?? '', ...(c.req.queries('parties') ?? [])],
    }),
  }),
  get('/v2/packages', 'listPackages', 'The ids of the packages.', {
    gives: z.object({ packageIds: z.array(z.string()) }),
    question: () => ({ kind: 'packages' }),
  }),
  get('/v2/packages/{package-id}/status', 'getPackageStatus', 'Whether a package is known.', {
    gives: z.object({ packageStatus: z.string() }),
    question: (c) => ({ kind: 'package-status', packageId: c.req.param('package-id') ?? '' }),
  }),
]

function get(
  path: string,
  id: string,
  summary: string,
  rest: Pick<DirectoryOperation, 'gives' | 'query' | 'textQuery' | 'question'> & {
    readonly refusals?: readonly CantonErrorKind[]
  },
): DirectoryOperation {
  return { method: 'GET', path, id, summary, ...rest, refusals: [...secured, ...(rest.refusals ?? [])] }
}

function pageOf(c: RouteContext): DirectoryPage {
  return { size: integerOf(c, 'pageSize') ?? 0, token: textsOf(c, 'pageToken')[0] ?? '' }
}
