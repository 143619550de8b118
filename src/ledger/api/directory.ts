import { CantonError, PlainError } from '../../errors/canton.ts'
import { packageIds } from '../daml/splice/templates.ts'
import type { EmbeddedLedger } from '../embedded/embedded-ledger.ts'
import type { HostedParty } from '../ledger.ts'
import { isParty, type Party } from '../value.ts'
import { checkParties, checkSize } from './checks.ts'
import { type LedgerReader, mayReadAs } from './rights.ts'

const mostUsers = 1_000
const mostParties = 10_000

export interface DirectoryPage {
  /** 0 means the largest page. */
  readonly size: number
  /** Empty for the first page. */
  readonly token: string
}

/** A question about users, parties and packages. Without `userId`, it is about the caller. */
export type DirectoryQuestion =
  | { readonly kind: 'user' | 'rights'; readonly userId?: string }
  | { readonly kind: 'users'; readonly page: DirectoryPage }
  | { readonly kind: 'parties'; readonly prefix: string; readonly page: DirectoryPage }
  | { readonly kind: 'named-parties'; readonly parties: readonly Party[] }
  | { readonly kind: 'participant-id' | 'packages' }
  | { readonly kind: 'package-status'; readonly packageId: string }

export interface DirectoryDeps {
  readonly ledger: Pick<EmbeddedLedger, 'findParty' | 'allocatedAt' | 'parties' | 'participantId'>
  /** Users who read as any party. They also are the administrators of this ledger. */
  readonly anyPartyUsers: ReadonlySet<string>
}

/**
 * Answers questions about users, parties and packages as Canton does. An ordinary user learns of
 * the user itself and of its own party, an administrator of all.
 */
export async function directoryAnswer(
  question: DirectoryQuestion,
  reader: LedgerReader,
  { ledger, anyPartyUsers }: DirectoryDeps,
): Promise<object> {
  const isAdmin = anyPartyUsers.has(reader.userId)
  const ensure = (isAllowed: boolean) => {
    if (!isAllowed) throw new CantonError('permissionDenied')
  }
  switch (question.kind) {
    case 'user':
    case 'rights': {
      const { userId = reader.userId } = question
      ensure(isAdmin || userId === reader.userId)
      const party = await ledger.findParty(userId)
      if (party === undefined && !anyPartyUsers.has(userId))
        throw new CantonError('userNotFound', { user: userId }, { resources: [['USER', userId]] })
      if (question.kind === 'user') return { user: userJson(userId, party) }
      return { rights: rightsJson(party, anyPartyUsers.has(userId)) }
    }
    case 'users': {
      ensure(isAdmin)
      const { hosted, nextPageToken } = await pageOf(question.page, '', mostUsers, ledger)
      const users = hosted.filter(({ userId }) => userId !== '')
      return { users: users.map(({ userId, party }) => userJson(userId, party)), nextPageToken }
    }
    case 'parties': {
      ensure(isAdmin)
      const { hosted, nextPageToken } = await pageOf(question.page, question.prefix, mostParties, ledger)
      return { partyDetails: hosted.map(({ party }) => partyJson(party)), nextPageToken }
    }
    case 'named-parties': {
      const parties = [...new Set(question.parties)]
      ensure(isAdmin || parties.every((party) => mayReadAs(reader, party)))
      checkParties(parties)
      const hosted = await Promise.all(parties.map((party) => ledger.allocatedAt(party)))
      return { partyDetails: parties.filter((_, index) => hosted[index] !== undefined).map(partyJson) }
    }
    case 'participant-id':
      return { participantId: ledger.participantId }
    case 'packages':
      return { packageIds }
    case 'package-status': {
      const isKnown = packageIds.includes(question.packageId)
      return { packageStatus: `PACKAGE_STATUS_${isKnown ? 'REGISTERED' : 'UNSPECIFIED'}` }
    }
  }
}

interface HostedPage {
  readonly hosted: readonly HostedParty[]
  readonly nextPageToken: string
}

/** The token of a page is the last party of the page before. */
async function pageOf(
  { size, token }: DirectoryPage,
  prefix: string,
  most: number,
  ledger: Pick<EmbeddedLedger, 'parties'>,
): Promise<HostedPage> {
  if (size !== 0) checkSize(size, most)
  const after = Buffer.from(token, 'base64url').toString()
  if (token !== '' && !isParty(after)) throw new PlainError('invalidQuery', { name: 'pageToken' })
  const limit = size || most
  const hosted = await ledger.parties({ prefix, after, limit })
  const last = hosted.length === limit ? hosted.at(-1) : undefined
  return { hosted, nextPageToken: Buffer.from(last?.party ?? '').toString('base64url') }
}

const common = { metadata: { resourceVersion: '0', annotations: {} }, identityProviderId: '' }

function userJson(id: string, party: Party | undefined): object {
  const { metadata, identityProviderId } = common
  return {
    id,
    primaryParty: party ?? '',
    isDeactivated: false,
    metadata,
    identityProviderId,
    primaryPartyAuthentication: false,
  }
}

function partyJson(party: Party): object {
  const { metadata: localMetadata, identityProviderId } = common
  return { party, isLocal: true, localMetadata, identityProviderId }
}

function rightsJson(party: Party | undefined, isAdmin: boolean): readonly object[] {
  return [
    ...(party === undefined ? [] : [{ kind: { CanActAs: { value: { party } } } }]),
    ...(isAdmin
      ? [{ kind: { CanReadAsAnyParty: { value: {} } } }, { kind: { ParticipantAdmin: { value: {} } } }]
      : []),
  ]
}
