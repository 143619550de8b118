import { CantonError, PlainError } from '../../errors/canton.ts'
import { isParty } from '../daml/parties.ts'
import type { HostedParty, Ledger } from '../ledger.ts'
import type { DirectoryPage, DirectoryQuestion } from '../update-service.ts'
import type { Party } from '../value.ts'
import type { Catalog } from '../visibility/catalog.ts'
import { mayReadAs, type ReaderAccess } from '../visibility/rights.ts'
import { checkSize } from './checks.ts'

const mostUsers = 1_000
const mostParties = 10_000

export interface DirectoryDeps {
  readonly ledger: Pick<Ledger, 'findParty' | 'hosts' | 'parties'>
  readonly catalog: Catalog
  readonly ledgerId: string
  /** Users who read as any party. They also are the administrators of this ledger. */
  readonly anyPartyUsers: ReadonlySet<string>
}

/**
 * Answers questions about users, parties and packages as Canton does. An ordinary user learns of
 * the user itself and of its own party, an administrator of all.
 */
export async function directoryAnswer(
  question: DirectoryQuestion,
  access: ReaderAccess,
  deps: DirectoryDeps,
): Promise<object> {
  const { ledger, catalog, ledgerId, anyPartyUsers } = deps
  const isAdmin = anyPartyUsers.has(access.userId)
  const ensure = (isAllowed: boolean) => {
    if (!isAllowed) throw new CantonError('permissionDenied')
  }
  switch (question.kind) {
    case 'user':
    case 'rights': {
      const { userId = access.userId } = question
      ensure(isAdmin || userId === access.userId)
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
      ensure(isAdmin || parties.every((party) => mayReadAs(access.rights, party)))
      const bad = parties.find((party) => !isParty(party))
      if (bad !== undefined) throw new CantonError('invalidParty', { party: bad })
      const hosted = await Promise.all(parties.map((party) => ledger.hosts(party)))
      return { partyDetails: parties.filter((_, index) => hosted[index]).map(partyJson) }
    }
    case 'participant-id':
      return { participantId: ledgerId }
    case 'packages':
      return { packageIds: [...catalog.packageNames.keys()] }
    case 'package-status': {
      const isKnown = catalog.packageNames.has(question.packageId)
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
  ledger: Pick<Ledger, 'parties'>,
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
