import { type Account, authenticated, ensure, ensureActive, mayKnow } from './accounts.ts'
import { refused } from './errors.ts'
import type { Json, Reply } from './json.ts'
import { type FakeLedger, participantId } from './ledger.ts'

const directories = ['authenticated-user', 'users', 'parties', 'packages']

/** What the fake tells of users, parties and packages; undefined for another path. */
export function directoryReply(
  ledger: FakeLedger,
  path: string,
  query: URLSearchParams,
  caller: Account | undefined,
): Reply | undefined {
  const [, , kind = '', name = '', member] = path.split('/').map(decodeURIComponent)
  if (!directories.includes(kind)) return undefined
  ensureActive(caller)
  const account = authenticated(caller)
  const { isAdmin } = account.rights
  switch (`${kind} ${member ?? (name === '' ? '' : 'one')}`.trim()) {
    case 'authenticated-user':
      return [200, userJson(account)]
    case 'users one':
    case 'users rights':
      ensure(account.id === name || isAdmin)
      if (account.id !== name)
        throw refused(ledger.version, 'USER_NOT_FOUND', { resources: [['USER', name]] })
      return [200, member === 'rights' ? { rights: rightsJson(account) } : userJson(account)]
    case 'parties':
      ensure(isAdmin)
      return [200, { partyDetails: ledger.parties.map(partyJson), nextPageToken: '' }]
    case 'parties one': {
      if (name === 'participant-id') return [200, { participantId }]
      const parties = new Set([name, ...query.getAll('parties')])
      for (const party of parties) ensure(mayKnow(account, party))
      return [200, { partyDetails: [...parties].filter((party) => ledger.hosts(party)).map(partyJson) }]
    }
    case 'packages':
      return [200, { packageIds: ['ab'.repeat(32)] }]
  }
  return undefined
}

const metadata = { resourceVersion: '0', annotations: {} }

function userJson({ id, primaryParty, isDeactivated }: Account): Json {
  const more = { metadata, identityProviderId: '', primaryPartyAuthentication: false }
  return { user: { id, primaryParty, isDeactivated, ...more } }
}

function partyJson(party: string): Json {
  return { party, isLocal: true, localMetadata: metadata, identityProviderId: '' }
}

function rightsJson({ rights }: Account): Json {
  return [
    ...rights.actAs.map((party) => ({ kind: { CanActAs: { value: { party } } } })),
    ...(rights.isAdmin ? [{ kind: { ParticipantAdmin: { value: {} } } }] : []),
  ]
}
