import { UndiciJsonApi, type UndiciJsonApiOptions } from '../../../src/ledger/participant/json-api.undici.ts'
import { Participant } from '../../../src/ledger/participant/participant.ts'
import { ParticipantReads } from '../../../src/ledger/participant/participant-reads.ts'
import type { Reader, StreamElement } from '../../../src/ledger/update-reads.ts'
import type { EventFormat, UpdateFormat } from '../../../src/ledger/visibility/format.ts'
import { type FakeOptions, FakeParticipant } from '../../support/fake-participant.ts'
import { HurryingClock } from './hurrying-clock.ts'

export interface Opened extends AsyncDisposable {
  readonly fake: FakeParticipant
  readonly party: string
  readonly clock: HurryingClock
  readonly api: UndiciJsonApi
  readonly participant: Participant
  readonly reads: ParticipantReads
  /** Why streams without an end were opened anew. */
  readonly broke: readonly unknown[]
  readonly reader: Reader
  /** Its signal is that of the test. */
  readonly life: AbortController
  readonly signal: AbortSignal
}

/** A fake participant with one user, Alice, and the driver over real sockets. */
export async function openReads(
  options: FakeOptions & Omit<UndiciJsonApiOptions, 'url'> = {},
): Promise<Opened> {
  const fake = await FakeParticipant.listen(options)
  const party = fake.user('token-of-alice', 'alice')
  const clock = new HurryingClock()
  const api = new UndiciJsonApi({ ...options, url: fake.url }, { clock })
  const participant = new Participant(api, clock)
  const broke: unknown[] = []
  const reads = new ParticipantReads({ participant, broke: (error) => broke.push(error) })
  const life = new AbortController()
  return {
    fake,
    party,
    clock,
    api,
    participant,
    reads,
    broke,
    reader: { userId: 'alice', token: 'token-of-alice' },
    life,
    signal: life.signal,
    async [Symbol.asyncDispose]() {
      life.abort(new Error('the test is over'))
      await api[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

export function eventsOf(...parties: readonly string[]): EventFormat {
  return {
    filtersByParty: new Map(parties.map((party) => [party, { cumulative: [] }])),
    filtersForAnyParty: undefined,
    verbose: false,
  }
}

export function formatOf(...parties: readonly string[]): UpdateFormat {
  return {
    includeTransactions: { eventFormat: eventsOf(...parties), transactionShape: 'ACS_DELTA' },
    includeReassignments: undefined,
    includeTopologyEvents: undefined,
  }
}

export async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = []
  for await (const batch of batches) items.push(...batch)
  return items
}

/** The first so many elements. */
export async function first(
  count: number,
  batches: AsyncIterable<readonly StreamElement[]>,
): Promise<StreamElement[]> {
  const items: StreamElement[] = []
  for await (const batch of batches) {
    items.push(...batch)
    if (items.length >= count) return items
  }
  throw new Error(`the stream ended after ${items.length}`)
}

export const offsets = (elements: readonly StreamElement[]) => elements.map(({ offset }) => offset)

/** `from` to `to`, both included. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
