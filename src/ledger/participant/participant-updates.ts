import { CantonError } from '../../errors/canton.ts'
import { tryMicros } from '../daml/time.ts'
import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts'
import type { OffsetCheckpoint } from '../update.ts'
import type {
  ConnectedSynchronizer,
  ContractsPage,
  Element,
  Elements,
  UpdateReads,
  UpdateService,
  UpdatesPage,
} from '../update-service.ts'
import {
  checkContractsPage,
  checkEventForm,
  checkKey,
  checkMoment,
  checkPage,
  checkUpdateForm,
  checkUpdates,
  notFound,
  requiredFormat,
} from '../updates/checks.ts'
import type { EventFormat, UpdateFormat } from '../visibility/format.ts'
import type {
  ActiveContractsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateKey,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from '../wire/requests.ts'
import { Admission } from './accounts.ts'
import { activeStream } from './active-contracts.ts'
import { boundedStream } from './bounded.ts'
import { readContractsPage } from './contracts-page.ts'
import { elementOf, Progress, updateIn } from './elements.ts'
import { liveStream } from './live.ts'
import { ledgerEnd, type Participant } from './participant.ts'
import { asObject, Garbage, listIn, optionalText, textIn, wholeIn } from './reading.ts'
import { updateFormatJson } from './request-json.ts'
import type { Reader } from './requests.ts'
import { synchronizersIn } from './synchronizers.ts'

export interface ParticipantUpdatesDeps {
  readonly participant: Participant
  /** Told why a stream without an end has to be opened anew. */
  readonly broke?: (error: unknown) => void
  /** Ends what waits for the participant where nobody else does. */
  readonly signal: AbortSignal
}

/** Reads of a participant, each with its caller's own token: who may see what is the participant's to say. */
export class ParticipantUpdates implements UpdateService {
  readonly #deps: ParticipantUpdatesDeps
  readonly #admission: Admission
  readonly #readers = new Set<object>()

  constructor(deps: ParticipantUpdatesDeps) {
    this.#deps = deps
    this.#admission = new Admission(deps.participant)
  }

  get readers(): number {
    return this.#readers.size
  }

  /** Its own: what it has depends on it. Its answer needs no token. */
  async version(): Promise<object> {
    const { participant, signal } = this.#deps
    const request = { method: 'GET', path: '/v2/version', token: undefined } as const
    try {
      return await participant.read(request, versionIn, signal)
    } catch (error) {
      throw inCantonsWord(error)
    }
  }

  async open(bearer: string): Promise<UpdateReads> {
    try {
      await this.#admission.admit(bearer, this.#deps.signal)
    } catch (error) {
      throw inCantonsWord(error)
    }
    return new ParticipantReads({ userId: '', token: bearer }, this.#deps, this.#readers)
  }
}

/** Larger than any ledger's: what hangs on the end is the participant's to say. */
const anyEnd = Number.MAX_SAFE_INTEGER

/**
 * What a request lacks in itself is said here, in the words that are said of any ledger; everything else the participant
 * says in its own. What it answers is passed on as it is, once it is known to be whole.
 */
class ParticipantReads implements UpdateReads {
  readonly #reader: Reader
  readonly #deps: ParticipantUpdatesDeps
  /** One for each stream without an end, of all callers. */
  readonly #readers: Set<object>

  constructor(reader: Reader, deps: ParticipantUpdatesDeps, readers: Set<object>) {
    this.#reader = reader
    this.#deps = deps
    this.#readers = readers
  }

  async ledgerEnd(): Promise<OffsetCheckpoint> {
    const { offset, synchronizerTimes } = await this.#get('/v2/state/ledger-end', ledgerEnd)
    return {
      kind: 'offset-checkpoint',
      offset,
      synchronizerTimes: synchronizerTimes.map(({ synchronizerId, recordTime }) => {
        return { synchronizerId, recordTime: tryMicros(recordTime) ?? 0 }
      }),
    }
  }

  prunedUpTo(): Promise<number> {
    return this.#get('/v2/state/latest-pruned-offsets', (value) =>
      wholeIn(asObject(value), 'participantPrunedUpToInclusive'),
    )
  }

  async updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements> {
    await this.#check(request.updateFormat.format, (end) => {
      checkUpdates(request, end)
      checkUpdateForm(request.updateFormat)
    })
    const { participant, broke = () => {} } = this.#deps
    const { beginExclusive, endInclusive, descendingOrder: descending, updateFormat } = request
    const asked = { beginExclusive, endInclusive, descending, format: updateFormat.format }
    if (endInclusive !== undefined)
      return inCantonsWords(boundedStream(participant, { ...asked, endInclusive }, this.#reader, signal))
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const told = { broke, opened: resolve }
    return begun(this.#counted(liveStream(participant, asked, this.#reader, signal, told), signal), opened)
  }

  async page(request: UpdatesPageRequest, signal: AbortSignal): Promise<UpdatesPage> {
    await this.#check(request.updateFormat?.format, (end) => {
      const requested = requiredFormat(request.updateFormat)
      checkPage(request, end)
      checkUpdateForm(requested)
    })
    const { beginOffsetExclusive, endOffsetInclusive, maxPageSize, descendingOrder, pageToken } = request
    const body = {
      ...(beginOffsetExclusive !== undefined && { beginOffsetExclusive }),
      ...(endOffsetInclusive !== undefined && { endOffsetInclusive }),
      ...(maxPageSize !== undefined && { maxPageSize }),
      updateFormat: updateFormatJson(requiredFormat(request.updateFormat).format),
      descendingOrder,
      ...(pageToken.length > 0 && { pageToken: pageToken.toString('base64') }),
    }
    return this.#post('/v2/updates/get-updates-page', body, (value) => pageIn(value, descendingOrder), signal)
  }

  async update(request: UpdateRequest): Promise<Element> {
    const { key } = request
    await this.#check(request.updateFormat?.format, () => {
      const requested = requiredFormat(request.updateFormat)
      checkKey(key)
      checkUpdateForm(requested)
    })
    const updateFormat = updateFormatJson(requiredFormat(request.updateFormat).format)
    try {
      const body = { ...keyJson(key), updateFormat }
      return await this.#post(
        `/v2/updates/update-by-${key.by}`,
        body,
        (value) => found(value, key),
        this.#deps.signal,
      )
    } catch (error) {
      if (isNotFound(error)) throw notFound(request)
      throw error
    }
  }

  async activeContracts(request: ActiveContractsRequest, signal: AbortSignal): Promise<Elements> {
    const { activeAtOffset, eventFormat: format, streamContinuationToken: token } = request
    await this.#check(updatesOf(format), (end) => {
      checkMoment(activeAtOffset, end)
      checkEventForm(format)
    })
    const streamContinuationToken = token.length === 0 ? undefined : token.toString('base64')
    const asked = { activeAtOffset, format, streamContinuationToken }
    return inCantonsWords(activeStream(this.#deps.participant, asked, this.#reader, signal))
  }

  async contractsPage(request: ContractsPageRequest, signal: AbortSignal): Promise<ContractsPage> {
    const { eventFormat } = request
    await this.#check(eventFormat && updatesOf(eventFormat), (end) => {
      const format = requiredFormat(eventFormat, 'event_format')
      checkContractsPage(request, end)
      checkEventForm(format)
    })
    const format = requiredFormat(eventFormat, 'event_format')
    try {
      return await readContractsPage(
        this.#deps.participant,
        { ...request, eventFormat: format },
        this.#reader,
        signal,
      )
    } catch (error) {
      throw inCantonsWord(error)
    }
  }

  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]> {
    const given = Object.entries(request).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(given).toString()
    return this.#get(`/v2/state/connected-synchronizers${query === '' ? '' : `?${query}`}`, synchronizersIn)
  }

  /** A reader is one until its stream ends, or it leaves. */
  async *#counted(stream: AsyncGenerator<readonly Element[]>, left: AbortSignal) {
    const reader = {}
    const leave = () => this.#readers.delete(reader)
    this.#readers.add(reader)
    left.addEventListener('abort', leave, { once: true })
    try {
      yield* inCantonsWords(stream)
    } finally {
      left.removeEventListener('abort', leave)
      leave()
    }
  }

  /**
   * Checks what a request lacks in itself. Where it lacks something, the participant is asked first whether the caller
   * may ask at all, and where its ledger ends: an offset behind the end is told before what is wrong with a format.
   */
  async #check(format: UpdateFormat | undefined, check: (ledgerEnd: number) => void): Promise<void> {
    try {
      check(anyEnd)
    } catch (error) {
      if (format !== undefined) await this.#ensureMayRead(format)
      check((await this.ledgerEnd()).offset)
      throw error
    }
  }

  /**
   * Rejects where the participant does not let the caller read this. It judges rights before offsets, so a request for
   * an offset below 0 shows the rights alone and reads nothing.
   */
  async #ensureMayRead(format: UpdateFormat): Promise<void> {
    const body = { beginExclusive: -1, updateFormat: updateFormatJson(format) }
    try {
      await this.#post('/v2/updates?limit=1', body, asIs, this.#deps.signal)
    } catch (error) {
      if (!(error instanceof CantonError) || error.status !== 400) throw error
    }
  }

  async #get<T>(path: string, understand: (value: unknown) => T): Promise<T> {
    const { participant, signal } = this.#deps
    try {
      return await participant.read({ method: 'GET', path, token: this.#reader.token }, understand, signal)
    } catch (error) {
      throw inCantonsWord(error)
    }
  }

  async #post<T>(
    path: string,
    body: object,
    understand: (value: unknown) => T,
    signal: AbortSignal,
  ): Promise<T> {
    const { participant } = this.#deps
    try {
      return await participant.read(
        { method: 'POST', path, token: this.#reader.token, body },
        understand,
        signal,
      )
    } catch (error) {
      throw inCantonsWord(error)
    }
  }
}

const asIs = (value: unknown) => value

/** The updates for which the same rights are needed as for active contracts of a format. */
function updatesOf(eventFormat: EventFormat): UpdateFormat {
  return {
    includeTransactions: { eventFormat, transactionShape: 'ACS_DELTA' },
    includeReassignments: undefined,
    includeTopologyEvents: undefined,
  }
}

/** @throws Garbage for what tells no version */
function versionIn(value: unknown): object {
  const answer = asObject(value)
  textIn(answer, 'version')
  return answer
}

function keyJson(key: UpdateKey): object {
  switch (key.by) {
    case 'offset':
      return { offset: key.offset }
    case 'id':
      return { updateId: key.updateId }
    case 'hash':
      return { transactionHash: key.transactionHash.toString('base64') }
  }
}

/** An answer to another question is none. */
function found(value: unknown, key: UpdateKey): Element {
  const element = elementOf(value)
  const isAsked =
    key.by === 'offset'
      ? element.offset === key.offset
      : key.by === 'hash' || updateIn(value).content['updateId'] === key.updateId
  if (!isAsked || element.kind !== 'update')
    throw new Garbage('The participant sent another update than asked for.')
  return element
}

function pageIn(value: unknown, descending: boolean): UpdatesPage {
  const answer = asObject(value)
  const lowestPageOffsetExclusive = wholeIn(answer, 'lowestPageOffsetExclusive')
  const highestPageOffsetInclusive = wholeIn(answer, 'highestPageOffsetInclusive')
  const updates = listIn(answer, 'updates').map((each) => elementOf(each))
  const progress = new Progress(lowestPageOffsetExclusive, highestPageOffsetInclusive, descending)
  for (const update of updates) progress.take(update)
  const nextPageToken = optionalText(answer, 'nextPageToken') ?? null
  return {
    updates: (async function* () {
      if (updates.length > 0) yield updates.map(({ text }) => text).join(',')
    })(),
    bounds: () => ({ lowestPageOffsetExclusive, highestPageOffsetInclusive, nextPageToken }),
  }
}

function isNotFound(error: unknown): boolean {
  const { cause } = error as Error
  return cause instanceof LedgerRefusal && cause.error.code === 'UPDATE_NOT_FOUND'
}

function inCantonsWord(error: unknown): unknown {
  if (error instanceof LedgerRefusal) {
    const { status, error: body } = error
    return new CantonError('relayed', { why: body.cause }, { relayed: { status, body }, cause: error })
  }
  if (error instanceof LedgerUnavailable)
    return new CantonError('notRunning', { service: 'The participant' }, { cause: error })
  return error
}

async function* inCantonsWords(
  elements: AsyncIterable<readonly Element[]>,
): AsyncGenerator<readonly Element[]> {
  try {
    yield* elements
  } catch (error) {
    throw inCantonsWord(error)
  }
}

/**
 * Resolves when there is something, or when the connection is open: who waits for a while, waits for updates and not for
 * a handshake. Rejects where it cannot be opened.
 */
async function begun(elements: AsyncGenerator<readonly Element[]>, opened: Promise<void>): Promise<Elements> {
  const first = elements.next()
  first.catch(() => {})
  await Promise.race([first, opened])
  return (async function* () {
    try {
      const { done, value } = await first
      if (done === true) return
      yield value
      yield* elements
    } finally {
      await elements.return(undefined)
    }
  })()
}
