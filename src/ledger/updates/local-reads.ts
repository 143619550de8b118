import { CantonError } from '../../errors/canton.ts'
import type { Clock } from '../../lib/clock.ts'
import { ascending, type CheckRead, descending, follow } from '../feed/feed.ts'
import { digestOf, type Render, rendering } from '../feed/rendering.ts'
import type { Tail } from '../feed/tail.ts'
import type { Ledger } from '../ledger.ts'
import type { EventPosition, OffsetCheckpoint, Update } from '../update.ts'
import type {
  ConnectedSynchronizer,
  ContractsPage,
  DirectoryQuestion,
  Element,
  Elements,
  UpdateReads,
  UpdatesPage,
} from '../update-service.ts'
import type { Party } from '../value.ts'
import type { Catalog } from '../visibility/catalog.ts'
import type { EventFormat } from '../visibility/format.ts'
import {
  mayReadAs,
  mayReadEvents,
  mayReadUpdates,
  type ReaderAccess,
  type ReadRights,
} from '../visibility/rights.ts'
import { contractView } from '../visibility/visible.ts'
import type {
  ActiveContractsRequest,
  CompletionsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from '../wire/requests.ts'
import { completionText, contractText, updateText } from '../wire/responses.ts'
import {
  checkActiveContracts,
  checkCompletions,
  checkContractsPage,
  checkKnownTypes,
  checkMoment,
  checkOrder,
  checkPage,
  checkPruned,
  checkSynchronizers,
  checkUpdate,
  checkUpdates,
  notFound,
  requiredFormat,
} from './checks.ts'
import { directoryAnswer } from './directory.ts'
import {
  contractsStart,
  type Placed,
  pageStart,
  positionBytes,
  readPage,
  readPosition,
  takeContractsPage,
} from './pages.ts'

const contractsAtOnce = 100
/** The alias that Splice's validators give to the synchronizer of their network. */
const synchronizerAlias = 'global'

export interface Shared {
  readonly ledger: Ledger
  readonly catalog: Catalog
  readonly clock: Clock
  readonly tokenClock: Pick<Clock, 'wall'>
  readonly ledgerId: string
  readonly synchronizerId: string
  readonly mostStreams: number
  readonly anyPartyUsers: ReadonlySet<string>
  readonly tail: Tail
}

export class LocalReads implements UpdateReads {
  readonly #access: ReaderAccess
  readonly #shared: Shared

  constructor(access: ReaderAccess, shared: Shared) {
    this.#access = access
    this.#shared = shared
  }

  async ledgerEnd(): Promise<OffsetCheckpoint> {
    return this.#shared.ledger.checkpoint()
  }

  async prunedUpTo(): Promise<number> {
    return this.#shared.ledger.prunedUpTo()
  }

  async updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements> {
    const { format } = request.updateFormat
    const rights = this.#rights((reader) => mayReadUpdates(reader, format))
    const { ledger, tail, clock, catalog, mostStreams } = this.#shared
    checkUpdates(request, await tail.end())
    checkKnownTypes(format, catalog)
    checkOrder(request)
    const { beginExclusive: after, endInclusive: upTo } = request
    const check = this.#checkRead
    if (after !== upTo) await check(after)
    const render = rendering(format, rights, catalog)
    if (upTo !== undefined) {
      const read = request.descendingOrder ? descending : ascending
      return this.#whileValid(read({ after, upTo }, { ledger, render, check }))
    }
    if (tail.readers >= mostStreams) throw new CantonError('overloaded')
    const deps = { tail, clock, render, checkpointText: updateText, check }
    return this.#whileValid(follow(after, deps, signal))
  }

  async page(request: UpdatesPageRequest): Promise<UpdatesPage> {
    const { ledger, tail, catalog, ledgerId } = this.#shared
    const requested = requiredFormat(request.updateFormat)
    const rights = this.#rights((reader) => mayReadUpdates(reader, requested.format))
    const end = await tail.end()
    checkPage(request, end)
    checkKnownTypes(requested.format, catalog)
    const pruned = await ledger.prunedUpTo()
    const id = digestOf([ledgerId, { ...request, pageToken: undefined }])
    const start = pageStart(request, id, end, pruned)
    const check = this.#checkPage(request)
    await check(start.after)
    const { format } = requested
    const render = rendering(format, rights, catalog)
    const read = request.descendingOrder ? descending : ascending
    const elements = this.#whileValid(read(start, { ledger, render, check }))
    return readPage(request, start, id, elements)
  }

  async update(request: UpdateRequest): Promise<Element> {
    const requested = requiredFormat(request.updateFormat)
    const rights = this.#rights((reader) => mayReadUpdates(reader, requested.format))
    checkUpdate(request)
    checkKnownTypes(requested.format, this.#shared.catalog)
    const found = await this.#find(request)
    const render = rendering(requested.format, rights, this.#shared.catalog)
    const element = found && render(found)
    if (element === undefined) throw notFound(request)
    return element
  }

  async activeContracts(request: ActiveContractsRequest): Promise<Elements> {
    const { activeAtOffset: at, eventFormat, streamContinuationToken: token } = request
    const rights = this.#rights((reader) => mayReadEvents(reader, eventFormat))
    const { tail, catalog } = this.#shared
    checkActiveContracts(request, await tail.end())
    checkKnownTypes(eventFormat, catalog)
    await this.#checkActive(at)
    const position = token.length === 0 ? undefined : readPosition(token, this.#contractsId(at, eventFormat))
    if (typeof position === 'string') throw new CantonError('invalidContinuationToken')
    return this.#whileValid(this.#active({ at, after: position, eventFormat, rights }))
  }

  async contractsPage(request: ContractsPageRequest): Promise<ContractsPage> {
    const eventFormat = requiredFormat(request.eventFormat, 'event_format')
    const rights = this.#rights((reader) => mayReadEvents(reader, eventFormat))
    const { tail, catalog } = this.#shared
    const end = await tail.end()
    checkContractsPage(request, end)
    checkKnownTypes(eventFormat, catalog)
    const idOf = (at: number) => this.#contractsId(at, eventFormat)
    const { at, after } = contractsStart(request, end, idOf)
    checkMoment(at, end)
    await this.#checkActive(at)
    const active = this.#whileValid(this.#active({ at, after, eventFormat, rights }))
    return takeContractsPage(request, at, idOf(at), active)
  }

  async synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]> {
    const { party, participantId } = request
    this.#rights((rights) => party === undefined || mayReadAs(rights, party))
    checkSynchronizers(request)
    const { ledger, ledgerId, synchronizerId } = this.#shared
    if (party === undefined)
      return [{ synchronizerAlias, synchronizerId, permission: 'PARTICIPANT_PERMISSION_UNSPECIFIED' }]
    if ((participantId ?? ledgerId) !== ledgerId || !(await ledger.hosts(party))) return []
    return [{ synchronizerAlias, synchronizerId, permission: 'PARTICIPANT_PERMISSION_SUBMISSION' }]
  }

  async completions(request: CompletionsRequest, signal: AbortSignal): Promise<Elements> {
    const { userId: own } = this.#access
    const { of, userId, parties, beginExclusive: after } = request
    this.#rights(
      (rights) =>
        (userId === '' || userId === own) &&
        (parties.length === 0 ? rights.readAsAnyParty : parties.every((party) => mayReadAs(rights, party))),
    )
    const { tail, clock, mostStreams } = this.#shared
    checkCompletions(request, await tail.end())
    await this.#checkRead(after)
    if (tail.readers >= mostStreams) throw new CantonError('overloaded')
    const render = completionRendering(of === 'completions' ? own : undefined, parties)
    const check = this.#checkRead
    const deps = { tail, clock, render, checkpointText: completionText, check }
    return this.#whileValid(follow(after, deps, signal))
  }

  directory(question: DirectoryQuestion): Promise<object> {
    return directoryAnswer(question, this.#access, this.#shared)
  }

  async *#active({ at, after: begin, eventFormat, rights }: ActiveRead): AsyncGenerator<readonly Placed[]> {
    const { ledger, catalog } = this.#shared
    const id = this.#contractsId(at, eventFormat)
    const view = contractView(eventFormat, rights, catalog)
    for (let after = begin; at > 0; ) {
      const active = await ledger.activeContracts(at, contractsAtOnce, after)
      await this.#checkActive(at)
      const elements = active.flatMap((each): Placed[] => {
        const delivered = view(each)
        if (delivered === undefined) return []
        const continuation = positionBytes(each, id).toString('base64')
        const { offset, nodeId } = each
        return [{ offset, nodeId, text: contractText(delivered, continuation) }]
      })
      if (elements.length > 0) yield elements
      after = active.at(-1)
      if (active.length < contractsAtOnce) return
    }
  }

  async #checkActive(at: number): Promise<void> {
    if (at > 0) checkPruned(at, await this.#shared.ledger.prunedUpTo(), `Active contracts at offset ${at}`)
  }

  #contractsId(at: number, eventFormat: EventFormat): string {
    return digestOf([this.#shared.ledgerId, at, eventFormat])
  }

  async #find({ key }: UpdateRequest): Promise<Update | undefined> {
    const { ledger } = this.#shared
    // Only transactions that were signed outside of the participant have a hash. This ledger has
    // none.
    if (key.by === 'hash') return undefined
    const pruned = await ledger.prunedUpTo()
    const update =
      key.by === 'id'
        ? await ledger.findUpdate(key.updateId)
        : (await ledger.updates(key.offset - 1, key.offset, 1))[0]
    return update !== undefined && update.offset > pruned ? update : undefined
  }

  readonly #checkRead: CheckRead = async (after) => {
    checkPruned(after, await this.#shared.ledger.prunedUpTo(), `The read of updates above offset ${after}`)
  }

  /**
   * Returns the check that runs with each batch of a page. It throws if updates that the page must
   * contain were pruned. A request without a beginning asks only for updates that are not pruned.
   * But an ascending page must continue the previous page without a gap.
   */
  #checkPage({ beginOffsetExclusive: begin, pageToken, descendingOrder }: UpdatesPageRequest): CheckRead {
    if (descendingOrder) return begin === undefined ? noCheck : () => this.#checkRead(begin)
    return begin === undefined && pageToken.length === 0 ? noCheck : this.#checkRead
  }

  #rights(cover: (rights: ReadRights) => boolean): ReadRights {
    const { rights } = this.#access
    if (cover(rights)) return rights
    throw new CantonError('permissionDenied')
  }

  #whileValid<T>(elements: AsyncIterable<T>): AsyncIterable<T> {
    const { expiresAt } = this.#access
    return expiresAt === undefined ? elements : untilExpiry(expiresAt, this.#shared.tokenClock, elements)
  }
}

/** @param user whose commands are completed; undefined for those of all users. */
function completionRendering(user: string | undefined, parties: readonly Party[]): Render {
  return (update) => {
    if (update.kind !== 'transaction' || (user ?? update.userId) !== update.userId) return undefined
    const actAs =
      parties.length === 0 ? update.actAs : update.actAs.filter((party) => parties.includes(party))
    return actAs.length === 0
      ? undefined
      : { offset: update.offset, text: completionText({ ...update, actAs }) }
  }
}

interface ActiveRead {
  readonly at: number
  readonly after: EventPosition | undefined
  readonly eventFormat: EventFormat
  readonly rights: ReadRights
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

const noCheck: CheckRead = async () => {}
