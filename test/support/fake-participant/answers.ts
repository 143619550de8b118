import { type Json, Refused, type Reply, redacted, refused } from './errors.ts'
import { contractJson, created, type FakeLedger, synchronizerId, transactionJson } from './ledger.ts'
import {
  completionsRequest,
  contractsRequest,
  decoded,
  type EventFormat,
  eventsRequest,
  submission,
  updatesRequest,
} from './requests.ts'

export type Version = '3.4' | '3.5' | '3.6'

export interface Account {
  readonly id: string
  readonly primaryParty: string
  readonly actAs: readonly string[]
  readonly isAdmin: boolean
}

interface Call {
  readonly account: Account
  readonly body: string
  readonly limit: number
}

/** The answers of a participant to the users of the fake, who read and act as their own parties only. */
export class Answers {
  readonly #ledger: FakeLedger
  readonly #version: Version
  readonly #mostListed: number
  /** The offset of each command that was carried out. */
  readonly #commands = new Map<string, number>()

  constructor(ledger: FakeLedger, version: Version, mostListed: number) {
    this.#ledger = ledger
    this.#version = version
    this.#mostListed = mostListed
  }

  judge(method: string, target: string, account: Account | undefined, body: string): Reply {
    try {
      return this.#judge(method, target, account, body)
    } catch (error) {
      if (error instanceof Refused) return error.reply
      throw error
    }
  }

  #judge(method: string, target: string, given: Account | undefined, body: string): Reply {
    const [path = '', query] = target.split('?')
    if (path === '/v2/version') return [200, { version: `${this.#version}.7` }]
    const account = authenticated(given)
    const call = { account, body, limit: Number(new URLSearchParams(query).get('limit')) }
    switch (`${method} ${path}`) {
      case 'GET /v2/state/ledger-end':
        return [200, { offset: this.#ledger.end }]
      case 'GET /v2/state/connected-synchronizers':
        return [200, { connectedSynchronizers: [{ synchronizerAlias: 'global', synchronizerId }] }]
      case 'POST /v2/updates':
        return this.#updates(call)
      case 'POST /v2/state/active-contracts':
        return this.#contracts(call)
      case 'POST /v2/events/events-by-contract-id':
        return this.#events(call)
      case 'POST /v2/commands/submit-and-wait-for-transaction':
        return this.#submit(call)
    }
    const told = method === 'GET' ? directoryReply(path, account) : undefined
    return told ?? [404, { errors: [`[${method} ${target}]`], status: 404, ledgerApiError: null }]
  }

  #updates({ account, body, limit }: Call): Reply {
    const { beginExclusive, endInclusive, updateFormat } = decoded(updatesRequest, body)
    const format = updateFormat.includeTransactions.eventFormat
    ensureMayRead(account, format)
    if (endInclusive > this.#ledger.end) throw refused('OFFSET_AFTER_LEDGER_END')
    if (beginExclusive > endInclusive) throw refused('OFFSET_OUT_OF_RANGE')
    const updates = this.#ledger.transactions
      .filter(({ offset }) => offset > beginExclusive && offset <= endInclusive)
      .flatMap((transaction) => transactionJson(transaction, format) ?? [])
      .map((value) => ({ update: { Transaction: { value } } }))
    return this.#list(updates, limit)
  }

  /**
   * From Canton 3.5 on, each element has a token. A later request with the token of an element gets the elements after
   * that element.
   */
  #contracts({ account, body, limit }: Call): Reply {
    const { activeAtOffset: at, eventFormat, streamContinuationToken = '' } = decoded(contractsRequest, body)
    ensureMayRead(account, eventFormat)
    if (at > this.#ledger.end) throw refused('OFFSET_AFTER_LEDGER_END')
    const tokenAt = (index: number) => Buffer.from(`${at} ${index}`).toString('base64')
    const elements = this.#ledger
      .activeAt(at)
      .flatMap((contract) => contractJson(contract, eventFormat) ?? [])
      .map((active, index) => ({
        contractEntry: { JsActiveContract: { ...active, reassignmentCounter: 0 } },
        ...(this.#version !== '3.4' && { streamContinuationToken: tokenAt(index) }),
      }))
    const last = elements.findIndex(({ streamContinuationToken: token }) => token === streamContinuationToken)
    if (streamContinuationToken !== '' && last === -1) throw refused('INVALID_CONTINUATION_TOKEN')
    return this.#list(elements.slice(last + 1), limit)
  }

  #list(all: readonly Json[], limit: number): Reply {
    const taken = all.slice(0, limit)
    if (taken.length > this.#mostListed) throw refused('JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED')
    return [200, taken]
  }

  #events({ account, body }: Call): Reply {
    const { contractId, eventFormat } = decoded(eventsRequest, body)
    ensureMayRead(account, eventFormat)
    const contract = this.#ledger.contract(contractId)
    const json = contract && contractJson(contract, eventFormat)
    if (contract === undefined || json === undefined) throw refused('CONTRACT_EVENTS_NOT_FOUND')
    const { archivedAt: offset } = contract
    return [
      200,
      { created: json, archived: offset === undefined ? null : { archivedEvent: { offset, contractId } } },
    ]
  }

  /** Requests a name, which is the only choice that the fake knows. */
  #submit({ account, body }: Call): Reply {
    const { commands: given, transactionFormat } = decoded(submission, body)
    const { commandId, userId, actAs, disclosedContracts } = given
    const [{ ExerciseCommand: command }] = given.commands
    ensure(userId === account.id && actAs.every((party) => account.actAs.includes(party)))
    ensureMayRead(account, transactionFormat.eventFormat)
    const { refusal } = this.#ledger
    if (refusal !== undefined) return [refusal.status, refusal.error]
    const key = JSON.stringify([userId, actAs, commandId])
    if ((this.#commands.get(key) ?? 0) > given.deduplicationPeriod.DeduplicationOffset.value)
      throw refused('DUPLICATE_COMMAND')
    if (!disclosedContracts.some(({ contractId }) => contractId === command.contractId))
      throw refused('CONTRACT_NOT_FOUND')
    const [user] = actAs
    const subscription = 'Splice.Wallet.Subscriptions:SubscriptionRequest'
    const request = this.#ledger.creation(subscription, actAs, requestOf(user), 1)
    const { contractId: reference } = request
    const argument = { dso: user, ...command.choiceArgument, reference }
    const context = this.#ledger.creation('Splice.Ans:AnsEntryContext', actAs, argument, 2)
    const exerciseResult = { entryCid: context.contractId, requestCid: reference }
    const exercised = { parties: actAs, json: { ExercisedEvent: { ...command, exerciseResult } } }
    const events = [exercised, created(request), created(context)]
    const transaction = this.#ledger.commit({ events, commandId, actAs })
    this.#commands.set(key, transaction.offset)
    return [200, { transaction: transactionJson(transaction, transactionFormat.eventFormat) }]
  }
}

/** @throws Refused as `Answers` refuses requests. */
export function completionsFor(
  ledger: FakeLedger,
  account: Account | undefined,
  body: string,
): readonly Json[] {
  const { parties, beginExclusive } = decoded(completionsRequest, body)
  ensure(parties.every((party) => authenticated(account).actAs.includes(party)))
  return ledger.transactions
    .filter((entry) => entry.offset > beginExclusive && entry.actAs.some((party) => parties.includes(party)))
    .map(({ commandId, offset, actAs }) => ({ Completion: { value: { commandId, offset, actAs } } }))
    .map((completionResponse) => ({ completionResponse }))
}

function authenticated(account: Account | undefined): Account {
  if (account === undefined) throw redacted(401)
  return account
}

function ensure(isAllowed: boolean): void {
  if (!isAllowed) throw redacted(403)
}

function ensureMayRead({ actAs }: Account, { filtersByParty }: EventFormat): void {
  ensure(Object.keys(filtersByParty).every((party) => actAs.includes(party)))
}

/** Returns the reply about users, parties or packages; undefined for another path. */
function directoryReply(path: string, account: Account): Reply | undefined {
  const [, , kind, name, member] = path.split('/').map(decodeURIComponent)
  const { id, primaryParty, actAs, isAdmin } = account
  const user = { id, primaryParty, isDeactivated: false, identityProviderId: '' }
  if (kind === 'parties' && name === 'participant-id')
    return [200, { participantId: `participant1::1220${'6'.repeat(64)}` }]
  const partyDetails = [{ party: primaryParty, isLocal: true, identityProviderId: '' }]
  if (kind === 'parties' && name === undefined) return [200, { partyDetails, nextPageToken: '' }]
  if (kind === 'packages') return [200, { packageIds: ['ab'.repeat(32)] }]
  if (kind === 'authenticated-user') return [200, { user }]
  if (kind !== 'users' || name === undefined) return undefined
  ensure(id === name || isAdmin)
  if (id !== name) throw refused('USER_NOT_FOUND')
  if (member === undefined) return [200, { user }]
  const parties = actAs.map((party) => ({ kind: { CanActAs: { value: { party } } } }))
  return [200, { rights: [...parties, ...(isAdmin ? [{ kind: { ParticipantAdmin: { value: {} } } }] : [])] }]
}

function requestOf(user: string): Json {
  const lifetime = { microseconds: '7776000000000' }
  return {
    subscriptionData: { sender: user, receiver: user, provider: user, dso: user, description: '' },
    payData: {
      paymentAmount: { amount: '1.0000000000', unit: 'USDUnit' },
      paymentInterval: lifetime,
      paymentDuration: lifetime,
    },
  }
}
