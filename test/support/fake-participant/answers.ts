import { ledgerError, rangeProblem, redacted } from './errors.ts'
import type { Account, Json, Reply } from './json.ts'
import { type Entry, type FakeLedger, synchronizer } from './ledger.ts'
import { Submissions } from './submissions.ts'

/** What is answered to requests over HTTP. */
export class Answers {
  readonly #ledger: FakeLedger
  readonly #submissions: Submissions
  readonly #mostListed: number

  constructor(ledger: FakeLedger, mostListed: number) {
    this.#ledger = ledger
    this.#submissions = new Submissions(ledger)
    this.#mostListed = mostListed
  }

  judge(method: string, target: string, account: Account | undefined, body: Json): Reply {
    const [path = '', query = ''] = target.split('?')
    if (path === '/v2/version') return [200, this.#versionAnswer()]
    if (account === undefined) return [401, redacted(16)]
    const limit = Number(new URLSearchParams(query).get('limit') ?? this.#mostListed + 1)
    switch (`${method} ${path}`) {
      case 'GET /v2/state/ledger-end':
        return [200, this.#ledgerEnd()]
      case 'GET /v2/state/latest-pruned-offsets':
        return [
          200,
          {
            participantPrunedUpToInclusive: this.#ledger.pruned,
            allDivulgedContractsPrunedUpToInclusive: this.#ledger.pruned,
          },
        ]
      case 'GET /v2/authenticated-user':
        return [200, { user: { ...account, isDeactivated: false, identityProviderId: '' } }]
      case 'POST /v2/updates':
        return this.#list(body, limit)
      case 'POST /v2/updates/update-by-offset':
        return this.#lookup(body, (entry) => entry.offset === body.offset, ['OFFSET', String(body.offset)])
      case 'POST /v2/updates/update-by-id':
        return this.#lookup(body, (entry) => entry.updateId === body.updateId, ['UPDATE_ID', body.updateId])
      case 'POST /v2/updates/update-by-hash': {
        if (this.#ledger.version !== '3.6') break
        const hex = Buffer.from(body.transactionHash, 'base64').toString('hex')
        return this.#lookup(body, ({ offset }) => this.#ledger.hashAt(offset) === hex, [
          'TRANSACTION_HASH',
          hex,
        ])
      }
      case 'POST /v2/events/events-by-contract-id':
        return this.#events(body)
      case 'POST /v2/commands/submit-and-wait-for-transaction':
        return this.#submissions.submit(body, account)
      case 'POST /v2/updates/get-updates-page':
        if (this.#ledger.version !== '3.4') return this.#page(body)
    }
    return [404, { errors: [`[${method} ${target}]`], status: 404, ledgerApiError: null }]
  }

  #versionAnswer(): Json {
    const supported = { supported: true }
    return {
      version: `${this.#ledger.version}.7`,
      features: {
        experimental: { staticTime: { supported: false }, commandInspectionService: supported },
        userManagement: { ...supported, maxRightsPerUser: 1000, maxUsersPageSize: 1000 },
        partyManagement: { maxPartiesPageSize: 10_000 },
        offsetCheckpoint: {
          maxOffsetCheckpointEmissionDelay: { seconds: 75, nanos: 0, unknownFields: { fields: {} } },
        },
        packageFeature: { maxVettedPackagesPageSize: 100 },
      },
    }
  }

  #ledgerEnd(): Json {
    if (this.#ledger.version !== '3.6') return { offset: this.#ledger.end }
    const recordTime = '2026-01-01T00:00:00Z'
    return { offset: this.#ledger.end, synchronizerTimes: [{ synchronizerId: synchronizer, recordTime }] }
  }

  #list(body: Json, limit: number): Reply {
    const problem = rangeProblem(this.#ledger, body)
    if (problem !== undefined) return problem
    const all = this.#ledger
      .visible(body.updateFormat)
      .filter(
        ({ offset }) => offset > body.beginExclusive && offset <= (body.endInclusive ?? this.#ledger.end),
      )
    if (body.descendingOrder && this.#ledger.version !== '3.4') all.reverse()
    const most = Math.min(limit, this.#mostListed + 1)
    const taken = all.slice(0, most)
    if (taken.length > this.#mostListed) {
      return [413, ledgerError(this.#ledger, 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED', 2, 10)]
    }
    return [200, taken.map((entry) => this.#ledger.update(entry, body.updateFormat))]
  }

  #page(body: Json): Reply {
    const { updateFormat, maxPageSize = 100, descendingOrder = false } = body
    const token = body.pageToken === undefined ? undefined : JSON.parse(atob(body.pageToken))
    const begin = token?.begin ?? body.beginOffsetExclusive ?? 0
    const end = token?.end ?? body.endOffsetInclusive ?? this.#ledger.end
    const all = this.#ledger.visible(updateFormat).filter(({ offset }) => offset > begin && offset <= end)
    if (descendingOrder) all.reverse()
    const page = all.slice(0, maxPageSize)
    const next = all[maxPageSize]?.offset
    const nextToken = (bounds: object) => btoa(JSON.stringify(bounds))
    const bounds = descendingOrder
      ? { lowest: next ?? begin, highest: end, token: next && nextToken({ begin, end: next }) }
      : { lowest: begin, highest: next ? next - 1 : end, token: next && nextToken({ begin: next - 1, end }) }
    return [
      200,
      {
        updates: page.map((entry) => this.#ledger.update(entry, updateFormat)),
        lowestPageOffsetExclusive: bounds.lowest,
        highestPageOffsetInclusive: bounds.highest,
        nextPageToken: bounds.token ?? null,
      },
    ]
  }

  #lookup(body: Json, is: (entry: Entry) => boolean, resource: [string, string]): Reply {
    const entry = this.#ledger.visible(body.updateFormat).find(is)
    if (entry !== undefined) return [200, this.#ledger.update(entry, body.updateFormat)]
    return [404, ledgerError(this.#ledger, 'UPDATE_NOT_FOUND', 11, 5, { resources: [resource] })]
  }

  #events({ contractId, eventFormat }: Json): Reply {
    const contract = this.#ledger.contract(contractId)
    const parties = Object.keys(eventFormat.filtersByParty)
    if (contract === undefined || !contract.parties.some((party) => parties.includes(party)))
      return [404, ledgerError(this.#ledger, 'CONTRACT_EVENTS_NOT_FOUND', 11, 5)]
    const archived =
      contract.archivedAt === undefined
        ? null
        : { archivedEvent: { offset: contract.archivedAt }, synchronizerId: synchronizer }
    return [200, { created: { createdEvent: contract.created, synchronizerId: synchronizer }, archived }]
  }
}
