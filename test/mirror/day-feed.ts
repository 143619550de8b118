import { expect } from 'vitest'
import type { Random } from '../../src/lib/random.ts'
import { isLaterPlace, placeIn } from '../../src/mirror/change-feed.ts'
import type { ChangeStreams } from '../../src/mirror/change-streams.ts'
import type { NameBooks } from './day-books.ts'
import { eventIn, type HeardEvent } from './event-reader.ts'
import { pick } from './random.ts'

interface FeedReader {
  readonly held: Set<string>
  id: string
}

/**
 * The outcome of a replay:
 * - `equal`: the reader's names are the true ones.
 * - `not-kept`: the feed no longer has the changes after the beginning of the replay.
 * - `later`: the feed has not yet reached the beginning of the replay.
 * - `paused`: the feed is interrupted.
 */
export type Replayed = 'equal' | 'not-kept' | 'paused' | 'later'

/**
 * Reads all changes since a random update, and reconnects once in between. Compares the reader's names with the true
 * names.
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

/** The first event of a new stream says how far the feed has got. Returns undefined if the feed is interrupted. */
async function endOf(changes: ChangeStreams): Promise<string | undefined> {
  const listening = changes.listen(undefined, 'auditor')
  if (listening.kind !== 'stream') return undefined
  for await (const chunk of listening.stream) for (const event of eventsIn(chunk)) return event.id
  return undefined
}

async function read(
  changes: ChangeStreams,
  reader: FeedReader,
  { end, most }: { readonly end: string; readonly most: number },
): Promise<'not-kept' | 'paused' | undefined> {
  if (!isBefore(reader.id, end)) return undefined
  const listening = changes.listen(reader.id, 'auditor')
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
