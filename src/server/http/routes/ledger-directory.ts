import { z } from 'zod'
import type { CantonErrorKind } from '../../../base/errors/canton.ts'
import type { Directory, DirectoryPage } from '../../../registry/ledger/api/directory.ts'
import {
  type DescribedOperation,
  integerOf,
  type SingleOperation,
  secured,
  textsOf,
} from './ledger-operations.ts'
import type { RouteContext } from './route.ts'

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
export const directoryOperations: readonly SingleOperation[] = [
  get('/v2/authenticated-user', 'getAuthenticatedUser', 'The user of the token.', {
    gives: z.object({ user }),
    textQuery: ['identity-provider-id'],
    answer: (directory) => directory.user(),
  }),
  get('/v2/users', 'listUsers', 'All users, for administrators.', {
    gives: z.object({ users: z.array(user), nextPageToken }),
    query: ['pageSize'],
    textQuery: ['pageToken'],
    refusals: paged,
    answer: (directory, c) => directory.users(pageOf(c)),
  }),
  get('/v2/users/{user-id}', 'getUser', 'One user; any but the own for administrators alone.', {
    gives: z.object({ user }),
    textQuery: ['identity-provider-id'],
    refusals: ['userNotFound'],
    answer: (directory, c) => directory.user(c.req.param('user-id')),
  }),
  get('/v2/users/{user-id}/rights', 'listUserRights', 'What a user may do.', {
    gives: z.object({ rights: z.array(z.object({ kind: z.record(z.string(), z.unknown()) })) }),
    refusals: ['userNotFound'],
    answer: (directory, c) => directory.rights(c.req.param('user-id')),
  }),
  get('/v2/parties', 'listParties', 'All parties, for administrators.', {
    gives: z.object({ partyDetails, nextPageToken }),
    query: ['pageSize'],
    textQuery: ['pageToken', 'filter-party', 'identity-provider-id'],
    refusals: paged,
    answer: (directory, c) => directory.parties(pageOf(c), textsOf(c, 'filter-party')[0]),
  }),
  get('/v2/parties/participant-id', 'getParticipantId', 'The id of the participant.', {
    gives: z.object({ participantId: z.string() }),
    answer: (directory) => directory.participantId(),
  }),
  get('/v2/parties/{party}', 'getParties', 'Those of the named parties that the participant knows.', {
    gives: z.object({ partyDetails }),
    textQuery: ['parties', 'identity-provider-id'],
    refusals: ['invalidParty'],
    answer: (directory, c) =>
      directory.namedParties([c.req.param('party') ?? '', ...(c.req.queries('parties') ?? [])]),
  }),
  get('/v2/packages', 'listPackages', 'The ids of the packages.', {
    gives: z.object({ packageIds: z.array(z.string()) }),
    answer: (directory) => directory.packages(),
  }),
  get('/v2/packages/{package-id}/status', 'getPackageStatus', 'Whether a package is known.', {
    gives: z.object({ packageStatus: z.string() }),
    answer: (directory, c) => directory.packageStatus(c.req.param('package-id') ?? ''),
  }),
]

function get(
  path: string,
  id: string,
  summary: string,
  rest: Pick<DescribedOperation, 'gives' | 'query' | 'textQuery'> & {
    readonly refusals?: readonly CantonErrorKind[]
    readonly answer: (directory: Directory, c: RouteContext) => object | Promise<object>
  },
): SingleOperation {
  const refusals = [...secured, ...(rest.refusals ?? [])]
  const answer: SingleOperation['answer'] = async ({ directory }, c) =>
    JSON.stringify(await rest.answer(directory, c))
  return { method: 'GET', path, id, summary, ...rest, refusals, answer }
}

function pageOf(c: RouteContext): DirectoryPage {
  return { size: integerOf(c, 'pageSize') ?? 0, token: textsOf(c, 'pageToken')[0] ?? '' }
}
