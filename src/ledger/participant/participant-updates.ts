import { CantonError } from '../../errors/canton.ts'
import { tryMicros } from '../daml/time.ts'
import type { OffsetCheckpoint } from '../update.ts'
import type {
  ConnectedSynchronizer,
  ContractsPage,
  DirectoryQuestion,
  Element,
  Elements,
  UpdateReads,
  UpdateService,
  UpdatesPage,
} from '../update-service.ts'
import {
  checkActiveContracts,
  checkContractsPage,
  checkPage,
  checkUpdate,
  checkUpdates,
  notFound,
  requiredFormat,
} from '../updates/checks.ts'
import type { EventFormat, UpdateFormat } from '../visibility/format.ts'
import type {
  ActiveContractsRequest,
  CompletionsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from '../wire/requests.ts'
import { Admission } from './accounts.ts'
import { activeStream } from './active-contracts.ts'
import { connectedSynchronizers, decode, json, prunedOffsets, version } from './answers.ts'
import { boundedStream } from './bounded-updates.ts'
import { completionStream } from './completions.ts'
import { readContractsPage } from './contracts-page.ts'
import { keyJson, pageIn, requestedUpdate } from './elements.ts'
import { type LiveEvents, liveStream } from './live.ts'
import { endOf, type Participant } from './participant.ts'
import { asCantonError, begun, isNotFound, withCantonErrors } from './relay.ts'
import { updateFormatJson } from './request-json.ts'
import type { Credentials } from './requests.ts'

export interface ParticipantUpdatesDeps {
  readonly participant: Participant
  readonly broke?: LiveEvents['broke']
  readonly signal: AbortSignal
}

/** Each request carries the caller's token, so the participant decides what the caller may see. */
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

  async version(): Promise<object> {
    const { participant, signal } = this.#deps
    const request = { method: 'GET', path: '/v2/version', token: undefined } as const
    try {
      return await participant.read(request, (value) => decode(version, value), signal)
    } catch (error) {
      throw asCantonError(error)
    }
  }

  async open(bearer: string): Promise<UpdateReads> {
    try {
      await this.#admission.admit(bearer, this.#deps.signal)
    } catch (error) {
      throw asCantonError(error)
    }
    return new ParticipantReads({ userId: '', token: bearer }, this.#deps, this.#readers)
  }
}

/**
 * The checks of a request take this number for the ledger's end, so that they accept every offset.
 * The participant itself compares offsets with its ledger's end.
 */
const anyEnd = Number.MAX_SAFE_INTEGER

/**
 * A request that is invalid on every ledger gets the same error as from the embedded ledger. The
 * participant answers all other requests. A malformed response never reaches the caller.
 */
class ParticipantReads implements UpdateReads {
  readonly #credentials: Credentials
  readonly #deps: ParticipantUpdatesDeps
  readonly #readers: Set<object>

  constructor(credentials: Credentials, deps: ParticipantUpdatesDeps, readers: Set<object>) {
    this.#credentials = credentials
    this.#deps = deps
    this.#readers = readers
  }

  async ledgerEnd(): Promise<OffsetCheckpoint> {
    const { offset, synchronizerTimes } = await this.#get('/v2/state/ledger-end', endOf)
    return {
      kind: 'offset-checkpoint',
      offset,
      synchronizerTimes: synchronizerTimes.map(({ synchronizerId, recordTime }) => {
        return { synchronizerId, recordTime: tryMicros(recordTime) ?? 0 }
      }),
    }
  }

  prunedUpTo(): Promise<number> {
    return this.#get(
      '/v2/state/latest-pruned-offsets',
      (value) => decode(prunedOffsets, value).participantPrunedUpToInclusive,
    )
  }

  async updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements> {
    await this.#check(request.updateFormat.format, (end) => checkUpdates(request, end))
    const { participant, broke = () => {} } = this.#deps
    const { beginExclusive, endInclusive, descendingOrder: descending, updateFormat } = request
    const asked = { beginExclusive, endInclusive, descending, format: updateFormat.format }
    if (endInclusive !== undefined)
      return withCantonErrors(
        boundedStream(participant, { ...asked, endInclusive }, this.#credentials, signal),
      )
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const events = { broke, opened: resolve }
    return begun(
      this.#counted(liveStream({ participant, events }, asked, this.#credentials, signal), signal),
      opened,
    )
  }

  async page(request: UpdatesPageRequest, signal: AbortSignal): Promise<UpdatesPage> {
    await this.#check(request.updateFormat?.format, (end) => checkPage(request, end))
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
    await this.#check(request.updateFormat?.format, () => checkUpdate(request))
    const updateFormat = updateFormatJson(requiredFormat(request.updateFormat).format)
    try {
      const body = { ...keyJson(key), updateFormat }
      return await this.#post(
        `/v2/updates/update-by-${key.by}`,
        body,
        (value) => requestedUpdate(value, key),
        this.#deps.signal,
      )
    } catch (error) {
      if (isNotFound(error)) throw notFound(request)
      throw error
    }
  }

  async activeContracts(request: ActiveContractsRequest, signal: AbortSignal): Promise<Elements> {
    const { activeAtOffset, eventFormat: format, streamContinuationToken: token } = request
    await this.#check(updatesOf(format), (end) => checkActiveContracts(request, end))
    const streamContinuationToken = token.length === 0 ? undefined : token.toString('base64')
    const asked = { activeAtOffset, format, streamContinuationToken }
    return withCantonErrors(activeStream(this.#deps.participant, asked, this.#credentials, signal))
  }

  async contractsPage(request: ContractsPageRequest, signal: AbortSignal): Promise<ContractsPage> {
    const { eventFormat } = request
    await this.#check(eventFormat && updatesOf(eventFormat), (end) => checkContractsPage(request, end))
    const format = requiredFormat(eventFormat, 'event_format')
    try {
      return await readContractsPage(
        this.#deps.participant,
        { ...request, eventFormat: format },
        this.#credentials,
        signal,
      )
    } catch (error) {
      throw asCantonError(error)
    }
  }

  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]> {
    const given = Object.entries(request).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(given).toString()
    return this.#get(
      `/v2/state/connected-synchronizers${query === '' ? '' : `?${query}`}`,
      (value) => decode(connectedSynchronizers, value).connectedSynchronizers,
    )
  }

  async completions(request: CompletionsRequest, signal: AbortSignal): Promise<Elements> {
    return withCantonErrors(completionStream(this.#deps.participant, request, this.#credentials, signal))
  }

  directory(_question: DirectoryQuestion, target: string): Promise<object> {
    return this.#get(target, (value) => decode(json, value))
  }

  async *#counted(stream: AsyncGenerator<readonly Element[]>, left: AbortSignal) {
    const reader = {}
    const leave = () => this.#readers.delete(reader)
    this.#readers.add(reader)
    left.addEventListener('abort', leave, { once: true })
    try {
      yield* withCantonErrors(stream)
    } finally {
      left.removeEventListener('abort', leave)
      leave()
    }
  }

  /**
   * Canton reports missing rights, and an offset after the ledger's end, before a wrong format. If
   * `check` fails, the participant is therefore asked about those two first.
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
   * Rejects if the caller may not read this format. The negative offset is invalid on purpose:
   * participants check rights before offsets, so status 400 means that the caller has the rights.
   */
  async #ensureMayRead(format: UpdateFormat): Promise<void> {
    const body = { beginExclusive: -1, updateFormat: updateFormatJson(format) }
    try {
      await this.#post('/v2/updates?limit=1', body, asIs, this.#deps.signal)
    } catch (error) {
      if (!(error instanceof CantonError) || error.status !== 400) throw error
    }
  }

  async #get<T>(path: string, decodeValue: (value: unknown) => T): Promise<T> {
    const { participant, signal } = this.#deps
    try {
      return await participant.read(
        { method: 'GET', path, token: this.#credentials.token },
        decodeValue,
        signal,
      )
    } catch (error) {
      throw asCantonError(error)
    }
  }

  async #post<T>(
    path: string,
    body: object,
    decodeValue: (value: unknown) => T,
    signal: AbortSignal,
  ): Promise<T> {
    const { participant } = this.#deps
    try {
      return await participant.read(
        { method: 'POST', path, token: this.#credentials.token, body },
        decodeValue,
        signal,
      )
    } catch (error) {
      throw asCantonError(error)
    }
  }
}

const asIs = (value: unknown) => value

function updatesOf(eventFormat: EventFormat): UpdateFormat {
  return {
    includeTransactions: { eventFormat, transactionShape: 'ACS_DELTA' },
    includeReassignments: undefined,
    includeTopologyEvents: undefined,
  }
}
