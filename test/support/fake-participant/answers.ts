import {
  type Account,
  authenticated,
  ensure,
  ensureActive,
  ensureMayReadEvents,
  mayKnow,
} from './accounts.ts'
import { checkContracts, checkEventFormat, checkLookup, checkUpdates } from './checks.ts'
import { directoryReply } from './directory.ts'
import { ledgerError, missingField, refused } from './errors.ts'
import { contractsRequest, eventFormat, type Key, keyOf, updateFormat, updatesRequest } from './formats.ts'
import { type Json, objectAt, optional, Refused, type Reply, textAt, tryParse, undecodable } from './json.ts'
import { type FakeLedger, synchronizer } from './ledger.ts'
import { completionsFor, continuationOf, contractElements, placeIn, updatesPage } from './pages.ts'
import { Submissions } from './submissions.ts'
import { activeJson } from './visible.ts'

/** The operations that Canton 3.6 refuses by default. */
const deprecated = [
  'POST /v2/updates/flats',
  'POST /v2/updates/trees',
  'POST /v2/updates/transaction-by-id',
  'POST /v2/updates/transaction-by-offset',
  'GET /v2/updates/transaction-tree-by-id',
  'GET /v2/updates/transaction-tree-by-offset',
  'GET /v2/state/active-contracts-page',
]

const pruned = { participantPrunedUpToInclusive: 0, allDivulgedContractsPrunedUpToInclusive: 0 }

const treeKey = /^(\/v2\/updates\/transaction-tree-by-\w+)\/.*/

interface Asked {
  readonly account: Account | undefined
  readonly body: Json
  readonly query: URLSearchParams
}

type Answer = (asked: Asked) => Reply

export class Answers {
  readonly #ledger: FakeLedger
  readonly #submissions: Submissions
  readonly #mostListed: number
  readonly #served: ReadonlyMap<string, Answer>

  constructor(ledger: FakeLedger, mostListed: number) {
    this.#ledger = ledger
    this.#submissions = new Submissions(ledger)
    this.#mostListed = mostListed
    const lookup =
      (by: Key['by']): Answer =>
      (asked) =>
        this.#lookup(by, asked)
    const served: Readonly<Record<string, Answer | false>> = {
      'GET /v2/version': () => [200, this.#versionAnswer()],
      'GET /v2/state/ledger-end': ({ account }) => [200, authenticated(account) && this.#ledgerEnd()],
      'GET /v2/state/latest-pruned-offsets': ({ account }) => [200, authenticated(account) && pruned],
      'GET /v2/state/connected-synchronizers': (asked) => this.#synchronizers(asked),
      'POST /v2/updates': (asked) => this.#updates(asked),
      'POST /v2/updates/update-by-offset': lookup('offset'),
      'POST /v2/updates/update-by-id': lookup('id'),
      'POST /v2/updates/update-by-hash': ledger.version === '3.6' && lookup('hash'),
      'POST /v2/updates/get-updates-page':
        ledger.version !== '3.4' && (({ body, account }) => updatesPage(ledger, body, account)),
      'POST /v2/state/active-contracts': (asked) => this.#contracts(asked),
      'POST /v2/events/events-by-contract-id': (asked) => this.#events(asked),
      'POST /v2/commands/submit-and-wait-for-transaction': ({ body, account }) =>
        this.#submissions.submit(body, account),
      'POST /v2/commands/completions': (asked) => this.#completions(asked),
      ...Object.fromEntries(
        deprecated.map((line) => [
          line,
          ledger.version === '3.6' && (() => ledgerError('3.6', 'DEPRECATED_API_DISABLED')),
        ]),
      ),
    }
    this.#served = new Map(
      Object.entries(served).flatMap(([line, answer]) => (answer === false ? [] : [[line, answer] as const])),
    )
  }

  judge(method: string, target: string, account: Account | undefined, body: string): Reply {
    try {
      return this.#judge(method, target, account, body)
    } catch (error) {
      if (error instanceof Refused) return error.reply
      throw error
    }
  }

  #judge(method: string, target: string, account: Account | undefined, body: string): Reply {
    const [path = '', query = ''] = target.split('?')
    const answer = this.#served.get(`${method} ${path.replace(treeKey, '$1')}`)
    const told =
      method === 'GET' && answer === undefined
        ? directoryReply(this.#ledger, path, new URLSearchParams(query), account)
        : undefined
    if (told !== undefined) return told
    if (answer === undefined) {
      const isPath = [...this.#served.keys()].some((line) => line.split(' ')[1] === path)
      if (isPath) return [405, 'Method Not Allowed']
      return [404, { errors: [`[${method} ${target}]`], status: 404, ledgerApiError: null }]
    }
    ensureActive(account)
    return answer({
      account,
      body: method === 'GET' ? undefined : parsed(body),
      query: new URLSearchParams(query),
    })
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

  #synchronizers({ account, query }: Asked): Reply {
    const party = query.get('party')
    ensure(party === null || mayKnow(authenticated(account), party))
    const isListed = party === null || this.#ledger.hosts(party)
    const permission = `PARTICIPANT_PERMISSION_${party === null ? 'UNSPECIFIED' : 'SUBMISSION'}`
    const listed = { synchronizerAlias: 'global', synchronizerId: synchronizer, permission }
    return [200, { connectedSynchronizers: isListed ? [listed] : [] }]
  }

  #updates({ body, account, query }: Asked): Reply {
    const limit = integerIn(query, 'limit')
    integerIn(query, 'stream_idle_timeout_ms')
    const request = updatesRequest(body)
    const { begin, end, isDescending } = request
    const format = checkUpdates(this.#ledger.checked, request, account)
    const all = this.#ledger.delivered(format, begin, end ?? this.#ledger.end).map(({ json }) => json)
    if (isDescending && this.#ledger.version !== '3.4') all.reverse()
    return this.#list(all, limit)
  }

  #contracts({ body, account, query }: Asked): Reply {
    const limit = integerIn(query, 'limit')
    integerIn(query, 'stream_idle_timeout_ms')
    const request = contractsRequest(body)
    const format = checkContracts(this.#ledger.checked, request, account)
    const at = request.at ?? 0
    const begin = request.token === '' ? 0 : placeIn(request.token, continuationOf(at, format))
    if (typeof begin !== 'number') throw refused(this.#ledger.version, 'INVALID_CONTINUATION_TOKEN')
    return this.#list(contractElements(this.#ledger, at, format).slice(begin), limit)
  }

  #completions({ body, account, query }: Asked): Reply {
    const limit = integerIn(query, 'limit')
    integerIn(query, 'stream_idle_timeout_ms')
    return this.#list(completionsFor(this.#ledger, account, body), limit)
  }

  #list(all: readonly Json[], limit: number | undefined): Reply {
    const taken = all.slice(0, Math.max(0, Math.min(limit ?? all.length, this.#mostListed + 1)))
    if (taken.length <= this.#mostListed) return [200, taken]
    return ledgerError(this.#ledger.version, 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED')
  }

  #lookup(by: Key['by'], { body, account }: Asked): Reply {
    const key = keyOf(by, body)
    const given = optional(body.updateFormat, 'updateFormat', updateFormat)
    const ledger = this.#ledger
    const format = checkLookup(ledger.checked, key, given, account)
    const hex = key.by === 'hash' ? Buffer.from(key.hash, 'base64').toString('hex') : ''
    const entry = ledger.entries.find(({ offset, updateId }) => {
      if (key.by === 'offset') return offset === key.offset
      return key.by === 'id' ? updateId === key.updateId : ledger.hashAt(offset) === hex
    })
    const [found] = entry !== undefined ? ledger.delivered(format, entry.offset - 1, entry.offset) : []
    if (found !== undefined) return [200, found.json]
    const resources = {
      offset: ['OFFSET', key.by === 'offset' ? String(key.offset) : ''],
      id: ['UPDATE_ID', key.by === 'id' ? key.updateId : ''],
      hash: ['TRANSACTION_HASH', hex],
    }
    return ledgerError(ledger.version, 'UPDATE_NOT_FOUND', { resources: [resources[by]] })
  }

  #events({ body, account }: Asked): Reply {
    const { version } = this.#ledger
    const contractId = textAt(objectAt(body, '').contractId, 'contractId')
    const format = optional(body.eventFormat, 'eventFormat', eventFormat)
    ensureMayReadEvents(authenticated(account), format)
    if (format === undefined) throw missingField(version, 'event_format')
    checkEventFormat(this.#ledger.checked, format)
    const held = this.#ledger.held(contractId)
    const createdEvent = held && activeJson(held.contract, held, format, this.#ledger.writing)
    if (held === undefined || createdEvent === undefined) throw refused(version, 'CONTRACT_EVENTS_NOT_FOUND')
    const { synchronizerId, archivedAt } = held
    const archivedEvent = { offset: archivedAt, nodeId: 0, contractId, templateId: held.contract.templateId }
    const archived = archivedAt === undefined ? null : { archivedEvent, synchronizerId }
    return [200, { created: { createdEvent, synchronizerId }, archived }]
  }
}

function integerIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name)
  if (given !== null && !/^-?\d+$/.test(given)) throw undecodable(`query parameter ${name}`)
  return given === null ? undefined : Number(given)
}

function parsed(body: string): Json {
  const value = tryParse(body)
  if (value === undefined) throw undecodable('body (no JSON)')
  return value
}
