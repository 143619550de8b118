import {
  type ContractsRequest,
  type LedgerEnd,
  LedgerRefusal,
  type PageRequest,
  type PrunedOffsets,
  type Reader,
  type StreamElement,
  type StreamRequest,
  type UpdateKey,
  type UpdateReads,
  type UpdatesPage,
} from '../update-reads.ts'
import type { UpdateFormat } from '../visibility/format.ts'
import { activeStream } from './active-contracts.ts'
import { boundedStream } from './bounded.ts'
import { elementOf, Progress, updateIn } from './elements.ts'
import { updateFormatJson } from './formats.ts'
import { liveStream } from './live.ts'
import { ledgerEnd, type Participant } from './participant.ts'
import { asObject, Garbage, listIn, optionalText, textIn, wholeIn } from './reading.ts'

export interface ParticipantReadsDeps {
  readonly participant: Participant
  /** Told why a stream without an end has to be opened anew. */
  readonly broke?: (error: unknown) => void
}

/**
 * Reads of a participant, each with its reader's own token: who may see what is the participant's to say. What it
 * answers is passed on as it is, once it is known to be whole.
 */
export class ParticipantReads implements UpdateReads {
  readonly #participant: Participant
  readonly #broke: (error: unknown) => void

  constructor({ participant, broke = () => {} }: ParticipantReadsDeps) {
    this.#participant = participant
    this.#broke = broke
  }

  end({ token }: Reader, signal: AbortSignal): Promise<LedgerEnd> {
    return this.#participant.read({ method: 'GET', path: '/v2/state/ledger-end', token }, ledgerEnd, signal)
  }

  pruned({ token }: Reader, signal: AbortSignal): Promise<PrunedOffsets> {
    const request = { method: 'GET', path: '/v2/state/latest-pruned-offsets', token } as const
    return this.#participant.read(request, prunedOffsets, signal)
  }

  stream(
    request: StreamRequest,
    reader: Reader,
    signal: AbortSignal,
  ): AsyncIterable<readonly StreamElement[]> {
    const { endInclusive } = request
    return endInclusive === undefined
      ? liveStream(this.#participant, request, reader, signal, this.#broke)
      : boundedStream(this.#participant, { ...request, endInclusive }, reader, signal)
  }

  page(request: PageRequest, { token }: Reader, signal: AbortSignal): Promise<UpdatesPage> {
    const { beginOffsetExclusive, endOffsetInclusive, maxPageSize, format, descending, pageToken } = request
    const body = {
      ...(beginOffsetExclusive !== undefined && { beginOffsetExclusive }),
      ...(endOffsetInclusive !== undefined && { endOffsetInclusive }),
      ...(maxPageSize !== undefined && { maxPageSize }),
      updateFormat: updateFormatJson(format),
      descendingOrder: descending,
      ...(pageToken !== undefined && { pageToken }),
    }
    return this.#participant.read(
      { method: 'POST', path: '/v2/updates/get-updates-page', token, body },
      (value) => updatesPage(value, descending),
      signal,
    )
  }

  async find(
    key: UpdateKey,
    format: UpdateFormat,
    { token }: Reader,
    signal: AbortSignal,
  ): Promise<StreamElement | undefined> {
    const { by, ...asked } = key
    const path = `/v2/updates/update-by-${by === 'update-id' ? 'id' : by === 'offset' ? 'offset' : 'hash'}`
    const body = { ...asked, updateFormat: updateFormatJson(format) }
    try {
      return await this.#participant.read(
        { method: 'POST', path, token, body },
        (value) => found(value, key),
        signal,
      )
    } catch (error) {
      if (error instanceof LedgerRefusal && error.error.code === 'UPDATE_NOT_FOUND') return undefined
      throw error
    }
  }

  async *activeContracts(
    request: ContractsRequest,
    reader: Reader,
    signal: AbortSignal,
  ): AsyncGenerator<readonly string[]> {
    for await (const elements of activeStream(this.#participant, request, reader, signal)) {
      yield elements.map(({ json }) => json)
    }
  }

  version(signal: AbortSignal): Promise<string> {
    return this.#participant.read(
      { method: 'GET', path: '/v2/version', token: undefined },
      (value) => {
        textIn(asObject(value), 'version')
        return JSON.stringify(value)
      },
      signal,
    )
  }
}

function prunedOffsets(value: unknown): PrunedOffsets {
  const answer = asObject(value)
  return {
    participantPrunedUpToInclusive: wholeIn(answer, 'participantPrunedUpToInclusive'),
    allDivulgedContractsPrunedUpToInclusive: wholeIn(answer, 'allDivulgedContractsPrunedUpToInclusive'),
  }
}

function updatesPage(value: unknown, descending: boolean): UpdatesPage {
  const answer = asObject(value)
  const lowestPageOffsetExclusive = wholeIn(answer, 'lowestPageOffsetExclusive')
  const highestPageOffsetInclusive = wholeIn(answer, 'highestPageOffsetInclusive')
  const updates = listIn(answer, 'updates').map((each) => elementOf(each))
  const progress = new Progress(lowestPageOffsetExclusive, highestPageOffsetInclusive, descending)
  for (const update of updates) progress.take(update)
  const nextPageToken = optionalText(answer, 'nextPageToken')
  return { updates, lowestPageOffsetExclusive, highestPageOffsetInclusive, nextPageToken }
}

/** An answer to another question is none. */
function found(value: unknown, key: UpdateKey): StreamElement {
  const element = elementOf(value)
  const isAsked =
    key.by === 'offset'
      ? element.offset === key.offset
      : key.by === 'transaction-hash' || updateIn(value).content['updateId'] === key.updateId
  if (!isAsked || element.kind !== 'update')
    throw new Garbage('The participant sent another update than asked for.')
  return element
}
