import { CantonError } from '../../../base/errors/canton.ts'
import type { Clock } from '../../../base/lib/clock.ts'
import type { EmbeddedLedger } from '../embedded/embedded-ledger.ts'
import type { EventPosition, OffsetCheckpoint, Update } from '../update.ts'
import {
  checkActiveContracts,
  checkCompletions,
  checkContractsPage,
  checkMoment,
  checkPage,
  checkSynchronizers,
  checkUpdate,
  checkUpdates,
  notFound,
  requiredFormat,
} from './checks.ts'
import { Directory } from './directory.ts'
import { batches, type Elements, type Followers } from './feed.ts'
import type { EventFormat } from './formats.ts'
import { contractsStart, PositionTokens, pageBounds, pageParts, pageStart } from './pages.ts'
import {
  checkpointPrinter,
  completionPrinter,
  contractPrinter,
  type Element,
  updatePrinter,
} from './print.ts'
import type {
  ActiveContractsRequest,
  CompletionsOf,
  CompletionsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from './requests.ts'
import { type LedgerReader, mayReadAs, mayReadEvents, mayReadParties, mayReadUpdates } from './rights.ts'

const contractsAtOnce = 100
const defaultPageSize = 100
const defaultContractsPageSize = 2000
/** The alias that Splice's validators give to the synchronizer of their network. */
const synchronizerAlias = 'global'

export interface ReadsDeps {
  readonly ledger: EmbeddedLedger
  readonly followers: Followers
  readonly tokenClock: Pick<Clock, 'wall'>
  readonly mostStreams: number
  readonly anyPartyUsers: ReadonlySet<string>
}

/**
 * The reads of Canton's JSON Ledger API for one caller. If several checks fail, a method rejects
 * with the `CantonError` of the check that Canton makes first.
 */
export class Reads {
  readonly #reader: LedgerReader
  readonly #deps: ReadsDeps

  constructor(reader: LedgerReader, deps: ReadsDeps) {
    this.#reader = reader
    this.#deps = deps
  }

  ledgerEnd(): Promise<OffsetCheckpoint> {
    return this.#deps.ledger.checkpoint()
  }

  /**
   * A request without an end continues with future updates and checkpoints until the signal aborts.
   */
  async updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements> {
    const { beginExclusive: after, endInclusive: upTo, descendingOrder, updateFormat: format } = request
    const { ledger } = this.#deps
    this.#ensure(mayReadUpdates(this.#reader, format))
    checkUpdates(request, await ledger.end())
    const print = updatePrinter(format)
    if (upTo === undefined)
      return this.#follow(after, { print, checkpoint: checkpointPrinter('update') }, signal)
    return this.#whileValid(batches({ after, upTo }, descendingOrder, ledger, print))
  }

  /** Returns the page's JSON in parts. */
  async page(request: UpdatesPageRequest): Promise<AsyncGenerator<string>> {
    const { ledger } = this.#deps
    const format = requiredFormat(request.updateFormat)
    this.#ensure(mayReadUpdates(this.#reader, format))
    const end = await ledger.end()
    checkPage(request, format, end)
    const { descendingOrder, maxPageSize = defaultPageSize } = request
    const tokens = new PositionTokens([ledger.participantId, { ...request, pageToken: undefined }])
    const start = pageStart(request, tokens, end)
    const elements = this.#whileValid(batches(start, descendingOrder === true, ledger, updatePrinter(format)))
    return pageParts('updates', maxPageSize, elements, (_, next) => pageBounds(request, start, tokens, next))
  }

  async update(request: UpdateRequest): Promise<Element> {
    const format = requiredFormat(request.updateFormat)
    this.#ensure(mayReadUpdates(this.#reader, format))
    checkUpdate(request, format)
    const found = await this.#find(request)
    const element = found && updatePrinter(format)(found)
    if (element === undefined) throw notFound(request)
    return element
  }

  async activeContracts(request: ActiveContractsRequest): Promise<Elements> {
    const { activeAtOffset: at, eventFormat: format, streamContinuationToken: token } = request
    this.#ensure(mayReadEvents(this.#reader, format))
    checkActiveContracts(at, format, await this.#deps.ledger.end())
    const position = token && this.#continuation(at, format).read(token)
    if (typeof position === 'string') throw new CantonError('invalidContinuationToken')
    const [offset = 0, nodeId = 0] = position ?? []
    return this.#whileValid(this.#active({ at, after: position && { offset, nodeId }, format }))
  }

  /** Returns the page's JSON in parts. */
  async contractsPage(request: ContractsPageRequest): Promise<AsyncGenerator<string>> {
    const { ledger } = this.#deps
    const format = requiredFormat(request.eventFormat, 'event_format')
    this.#ensure(mayReadEvents(this.#reader, format))
    const end = await ledger.end()
    checkContractsPage(request, format, end)
    const tokens = new PositionTokens([ledger.participantId, format])
    const { at, after } = contractsStart(request, tokens, end)
    checkMoment(at, end)
    const active = this.#whileValid(this.#active({ at, after, format }))
    const { maxPageSize: size = defaultContractsPageSize } = request
    return pageParts('activeContracts', size, active, (last, next) => ({
      activeAtOffset: at,
      nextPageToken: last && next ? tokens.make(at, last.offset, last.nodeId) : null,
    }))
  }

  /**
   * If the request has a party, returns only the synchronizers on which the participant hosts that
   * party.
   */
  async synchronizers(request: SynchronizersRequest) {
    const { party, participantId: asked } = request
    this.#ensure(party === undefined || mayReadAs(this.#reader, party))
    checkSynchronizers(request)
    const { ledger } = this.#deps
    const { participantId, synchronizerId } = ledger
    if (party === undefined)
      return [{ synchronizerAlias, synchronizerId, permission: 'PARTICIPANT_PERMISSION_UNSPECIFIED' }]
    if ((asked ?? participantId) !== participantId || (await ledger.allocatedAt(party)) === undefined)
      return []
    return [{ synchronizerAlias, synchronizerId, permission: 'PARTICIPANT_PERMISSION_SUBMISSION' }]
  }

  /** Like `updates` without an end. */
  async completions(of: CompletionsOf, request: CompletionsRequest, signal: AbortSignal): Promise<Elements> {
    const { userId: own } = this.#reader
    const { userId = '', parties, beginExclusive: after = 0 } = request
    this.#ensure((userId === '' || userId === own) && mayReadParties(this.#reader, parties))
    checkCompletions(of, request, await this.#deps.ledger.end())
    const print = completionPrinter(of === 'completions' ? own : undefined, parties)
    return this.#follow(after, { print, checkpoint: checkpointPrinter('completionResponse') }, signal)
  }

  get directory(): Directory {
    return new Directory(this.#reader, this.#deps)
  }

  #follow(...args: Parameters<Followers['follow']>): Elements {
    const { followers, mostStreams } = this.#deps
    if (followers.count >= mostStreams) throw new CantonError('overloaded')
    return this.#whileValid(followers.follow(...args))
  }

  async *#active({ at, after: begin, format }: ActiveRead) {
    const { ledger } = this.#deps
    const tokens = this.#continuation(at, format)
    const print = contractPrinter(format, ({ offset, nodeId }) => tokens.make(offset, nodeId))
    for (let after = begin; at > 0; ) {
      const active = await ledger.activeContracts(at, contractsAtOnce, after)
      const elements = active.map(print).filter((element) => element !== undefined)
      if (elements.length > 0) yield elements
      after = active.at(-1)
      if (active.length < contractsAtOnce) return
    }
  }

  /** Continuation tokens of a list of active contracts. */
  #continuation(at: number, format: EventFormat): PositionTokens {
    return new PositionTokens([this.#deps.ledger.participantId, at, format])
  }

  async #find(request: UpdateRequest): Promise<Update | undefined> {
    const { ledger } = this.#deps
    // Only transactions that were signed outside of the participant have a hash. This ledger has
    // none.
    if ('transactionHash' in request) return undefined
    return 'updateId' in request
      ? ledger.findUpdate(request.updateId)
      : (await ledger.updates(request.offset - 1, request.offset, 1))[0]
  }

  #ensure(isAllowed: boolean): void {
    if (!isAllowed) throw new CantonError('permissionDenied')
  }

  #whileValid<T>(elements: AsyncIterable<T>): AsyncIterable<T> {
    const { expiresAt } = this.#reader
    return expiresAt === undefined ? elements : untilExpiry(expiresAt, this.#deps.tokenClock, elements)
  }
}

interface ActiveRead {
  readonly at: number
  readonly after: EventPosition | undefined
  readonly format: EventFormat
}

/** Like Canton, checks before each batch whether the token has expired. */
async function* untilExpiry<T>(
  expiresAt: number,
  clock: Pick<Clock, 'wall'>,
  elements: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const some of elements) {
    if (clock.wall() >= expiresAt) throw new CantonError('accessTokenExpired')
    yield some
  }
}
