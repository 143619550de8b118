import { expect } from 'vitest'
import type { Random } from '../../src/lib/random.ts'
import { isLaterPlace, placeIn } from '../../src/mirror/change-feed.ts'
import type { ChangeStreams } from '../../src/mirror/change-streams.ts'
import type { NameBooks } from './day-books.ts'
import { eventIn, type HeardEvent } from './event-reader.ts'
import { pick } from './random.ts'

/** The contract ids of the names that a reader of the feed has, and the id of its last event. */
interface FeedReader {
  readonly held: Set<string>
  id: string
}

/** How a replay ended. `later`: the feed has come no further than the place at which the replay was to begin. */
export type Replayed = 'equal' | 'not-kept' | 'paused' | 'later'

/**
 * Replays the changes after the time of a random update, resumes once on the way, and compares the names that this
 * leads to with the books.
 */
export async function replay(changes: ChangeStreams, books: NameBooks, random: Random): Promise<Replayed> {
  const end = await endOf(changes)
  if (end === undefined) return 'paused'
  const at = pick(random, books.times.slice(-40))
  const reader: FeedReader = { held: idsBefore(books, at + 1), id: idOf(at) }
  if (at >= Date.parse(end)) return 'later'
  for (const most of [1 + Math.floor(random() * 4), Number.POSITIVE_INFINITY]) {
    const outcome = await read(changes, reader, { end, most })
    if (outcome !== undefined) return outcome
  }
  const truth = idsBefore(books, Date.parse(placeIn(reader.id)?.at ?? '') + 1)
  expect([...reader.held].sort(), `the changes from ${idOf(at)} to ${reader.id}`).toEqual([...truth].sort())
  return 'equal'
}

/** Returns the place that the feed has reached; undefined while there is no feed. */
async function endOf(changes: ChangeStreams): Promise<string | undefined> {
  const listening = changes.listen(undefined)
  if (listening.kind !== 'stream') return undefined
  for await (const chunk of listening.stream) for (const event of eventsIn(chunk)) return event.id
  return undefined
}

/** Reads changes until the end, or until `most` of them. */
async function read(
  changes: ChangeStreams,
  reader: FeedReader,
  { end, most }: { readonly end: string; readonly most: number },
): Promise<'not-kept' | 'paused' | undefined> {
  if (!isBefore(reader.id, end)) return undefined
  const listening = changes.listen(reader.id)
  if (listening.kind === 'not-kept') return listening.kind
  if (listening.kind !== 'stream') return 'paused'
  let heard = 0
  for await (const chunk of listening.stream)
    for (const event of eventsIn(chunk)) {
      if (event.event === 'interrupted') return 'paused'
      hear(reader, event)
      if (++heard >= most || !isBefore(reader.id, end)) return undefined
    }
  return undefined
}

function hear(reader: FeedReader, { event, id, data }: HeardEvent): void {
  const gone = event === 'renewed' ? data.was.contractId : data.contractId
  if (event === 'renewed' || event === 'expired' || event === 'withdrawn')
    expect(reader.held.delete(gone), `${event} ${JSON.stringify(data)}`).toBe(true)
  if (event === 'created' || event === 'renewed') {
    expect(reader.held.has(data.contractId), `${event} ${JSON.stringify(data)}`).toBe(false)
    reader.held.add(data.contractId)
  }
  reader.id = id ?? reader.id
}

function isBefore(id: string, end: string): boolean {
  const [place, last] = [placeIn(id), placeIn(end)]
  if (place === undefined || last === undefined) throw new Error(`${id} or ${end} is no place`)
  return isLaterPlace(last, place)
}

function eventsIn(chunk: Uint8Array): readonly HeardEvent[] {
  return Buffer.from(chunk)
    .toString()
    .split('\n\n')
    .flatMap((block) => eventIn(block) ?? [])
}

function idsBefore(books: NameBooks, at: number): Set<string> {
  return new Set(books.before(at).map(({ contract_id }) => contract_id))
}

function idOf(at: number): string {
  return new Date(at).toISOString().replace(/\.?0*Z$/, 'Z')
}
