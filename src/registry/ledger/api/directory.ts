import { CantonError, PlainError } from '../../../base/errors/canton.ts'
import { packageIds } from '../daml/splice/templates.ts'
import type { EmbeddedLedger } from '../embedded/embedded-ledger.ts'
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

export interface DirectoryDeps {
  readonly ledger: Pick<EmbeddedLedger, 'findParty' | 'allocatedAt' | 'parties' | 'participantId'>
  /** Users who read as any party. They also are the administrators of this ledger. */
  readonly anyPartyUsers: ReadonlySet<string>
}

/**
 * Answers questions about users, parties and packages as Canton does. An ordinary user learns of
 * the user itself and of its own party, an administrator of all.
 */
export class Directory {
  readonly #reader: LedgerReader
  readonly #deps: DirectoryDeps

  constructor(reader: LedgerReader, deps: DirectoryDeps) {
    this.#reader = reader
    this.#deps = deps
  }

  async user(userId = this.#reader.userId): Promise<object> {
    return { user: userJson(userId, await this.#partyOf(userId)) }
  }

  async rights(userId = this.#reader.userId): Promise<object> {
    return { rights: rightsJson(await this.#partyOf(userId), this.#deps.anyPartyUsers.has(userId)) }
  }

  async users(page: DirectoryPage): Promise<object> {
    this.#ensure()
    const { hosted, nextPageToken } = await pageOf(page, '', mostUsers, this.#deps.ledger)
    const users = hosted.filter(({ userId }) => userId !== '')
    return { users: users.map(({ userId, party }) => userJson(userId, party)), nextPageToken }
  }

  async parties(page: DirectoryPage, prefix = ''): Promise<object> {
    this.#ensure()
    const { hosted, nextPageToken } = await pageOf(page, prefix, mostParties, this.#deps.ledger)
    return { partyDetails: hosted.map(({ party }) => partyJson(party)), nextPageToken }
  }

  async namedParties(named: readonly Party[]): Promise<object> {
    const parties = [...new Set(named)]
    this.#ensure(parties.every((party) => mayReadAs(this.#reader, party)))
    checkParties(parties)
    const hosted = await Promise.all(parties.map((party) => this.#deps.ledger.allocatedAt(party)))
    return { partyDetails: parties.filter((_, index) => hosted[index] !== undefined).map(partyJson) }
  }

  participantId(): object {
    return { participantId: this.#deps.ledger.participantId }
  }

  packages(): object {
    return { packageIds }
  }

  packageStatus(packageId: string): object {
    const isKnown = packageIds.includes(packageId)
    return { packageStatus: `PACKAGE_STATUS_${isKnown ? 'REGISTERED' : 'UNSPECIFIED'}` }
  }

  async #partyOf(userId: string): Promise<Party | undefined> {
    const { ledger, anyPartyUsers } = this.#deps
    this.#ensure(userId === this.#reader.userId)
    const party = await ledger.findParty(userId)
    if (party === undefined && !anyPartyUsers.has(userId))
      throw new CantonError('userNotFound', { user: userId }, { resources: [['USER', userId]] })
    return party
  }

  /** @throws CantonError `permissionDenied` if only administrators may ask this, and the reader is none. */
  #ensure(mayAnyone = false): void {
    if (!mayAnyone && !this.#deps.anyPartyUsers.has(this.#reader.userId))
      throw new CantonError('permissionDenied')
  }
}

/** The token of a page is the last party of the page before. */
async function pageOf(
  { size, token }: DirectoryPage,
  prefix: string,
  most: number,
  ledger: Pick<EmbeddedLedger, 'parties'>,
) {
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
