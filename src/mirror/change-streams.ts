import { type Clock, milliseconds } from '../base/lib/clock.ts'
import { loserOfPlace, type PlaceHolder } from '../base/lib/fair-places.ts'
import {
  type ChangeFeed,
  type FedChange,
  type FeedPlace,
  isLaterPlace,
  placeIn,
  placeText,
} from './change-feed.ts'

export interface ChangeStreamsDeps {
  readonly clock: Clock
  readonly feed: ChangeFeed
  readonly paused: () => string | undefined
}

export type Listening =
  | { readonly kind: 'stream'; readonly stream: ReadableStream<Uint8Array> }
  | { readonly kind: 'malformed' }
  /**
   * The reader's place is more than a day after `end`, the end of the feed. No daemon can have sent
   * that place to the reader.
   */
  | { readonly kind: 'future'; readonly end: string }
  | { readonly kind: 'not-kept'; readonly since: string }
  | { readonly kind: 'paused'; readonly why: string }
  | { readonly kind: 'full' }
  | { readonly kind: 'closed' }

/**
 * A reader's place may be this far ahead of this feed, if another daemon had followed more updates.
 */
const furthestMs = milliseconds('1d')

function isFarLater({ at }: FeedPlace, end: FeedPlace): boolean {
  return Date.parse(at) - Date.parse(end.at) > furthestMs
}

const mostListeners = 100
const beatMs = milliseconds('5s')
const portion = 100

interface ChangeListener extends PlaceHolder {
  readonly stream: ReadableStreamDefaultController<Uint8Array>
  place: FeedPlace
  /** If true, the next heartbeat is skipped. */
  gotEventSinceBeat: boolean
}

/**
 * Sends changes of names to readers as server-sent events (docs/mirror.md#feed-of-changes).
 * A reader gets the next changes only when it has read the previous ones.
 */
export class ChangeStreams implements Disposable {
  readonly #deps: ChangeStreamsDeps
  readonly #listeners = new Set<ChangeListener>()
  readonly #encoder = new TextEncoder()
  #cancel: (() => void) | undefined
  #closed = false

  constructor(deps: ChangeStreamsDeps) {
    this.#deps = deps
    deps.feed.onInterrupt((why) => this.#interrupt(why))
    deps.feed.onMove(() => {
      for (const listener of [...this.#listeners]) this.#fill(listener)
    })
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /**
   * @param after the id of an event, or a record time, after which the stream begins. The default is
   * the end of the feed.
   * @param client the address of the reader. If there are `mostListeners` streams already, the
   * client with the most streams may lose one of them.
   */
  listen(after: string | undefined, client: string): Listening {
    const { feed, paused } = this.#deps
    const wanted = after === undefined ? undefined : placeIn(after)
    if (after !== undefined && wanted === undefined) return { kind: 'malformed' }
    if (this.#closed) return { kind: 'closed' }
    const why = paused()
    if (why !== undefined) return { kind: 'paused', why }
    const place = wanted ?? feed.end
    const since = place && feed.resumable(place)
    if (place === undefined || since === undefined)
      return { kind: 'paused', why: 'No snapshot is agreed yet.' }
    if (feed.end !== undefined && isFarLater(place, feed.end))
      return { kind: 'future', end: placeText(feed.end) }
    if (since !== place) return { kind: 'not-kept', since: placeText(since) }
    if (!this.#makePlaceFor(client)) return { kind: 'full' }
    return { kind: 'stream', stream: this.#open(place, client) }
  }

  [Symbol.dispose](): void {
    this.#closed = true
    this.#interrupt('This daemon is stopping.')
  }

  #interrupt(why: string): void {
    for (const listener of [...this.#listeners]) this.#end(listener, why)
  }

  #makePlaceFor(client: string): boolean {
    if (this.#listeners.size < mostListeners) return true
    const loser = loserOfPlace(this.#listeners, client)
    if (loser !== undefined) this.#end(loser, 'All places are taken, and this client has most of them.')
    return loser !== undefined
  }

  #open(place: FeedPlace, client: string): ReadableStream<Uint8Array> {
    let listener: ChangeListener
    return new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          listener = { client, stream, place, gotEventSinceBeat: true }
          this.#listeners.add(listener)
          const changes = this.#deps.feed.after(place, portion) ?? []
          const text = changes.length > 0 ? this.#changesFor(listener, changes) : this.#reachedFor(listener)
          this.#send(listener, `retry: 2000\n\n${text}`)
          this.#cancel ??= this.#beatLater()
        },
        pull: () => this.#fill(listener),
        cancel: () => this.#drop(listener),
      },
      new CountQueuingStrategy({ highWaterMark: 1 }),
    )
  }

  #fill(listener: ChangeListener): void {
    if (!this.#listeners.has(listener) || (listener.stream.desiredSize ?? 0) <= 0) return
    const { feed } = this.#deps
    const changes = feed.after(listener.place, portion)
    if (changes === undefined) this.#end(listener, notKeptSentence(feed, listener.place))
    else if (changes.length > 0) this.#send(listener, this.#changesFor(listener, changes))
  }

  #beatLater(): () => void {
    return this.#deps.clock.after(beatMs, () => {
      for (const listener of [...this.#listeners]) this.#beat(listener)
      this.#cancel = this.#listeners.size > 0 ? this.#beatLater() : undefined
    })
  }

  #beat(listener: ChangeListener): void {
    if (!listener.gotEventSinceBeat && (listener.stream.desiredSize ?? 0) > 0)
      this.#send(listener, this.#reachedFor(listener))
    listener.gotEventSinceBeat = false
  }

  #changesFor(listener: ChangeListener, changes: readonly FedChange[]): string {
    listener.place = changes.at(-1)?.place ?? listener.place
    return changes.map(changeEvent).join('')
  }

  /**
   * Returns the event `reached`, which tells a reader how far the feed has come. A reader ahead of
   * the feed gets a comment line instead, which readers ignore: an event with an earlier id would
   * set the reader back, so that the reader would get some changes twice.
   */
  #reachedFor(listener: ChangeListener): string {
    const { end } = this.#deps.feed
    if (end === undefined || isLaterPlace(listener.place, end)) return ': not there yet\n\n'
    listener.place = end
    return eventText('reached', { recordTime: end.at }, end)
  }

  #send(listener: ChangeListener, text: string): void {
    listener.gotEventSinceBeat = true
    listener.stream.enqueue(this.#encoder.encode(text))
  }

  #end(listener: ChangeListener, reason: string): void {
    this.#drop(listener)
    this.#send(listener, eventText('interrupted', { reason }))
    listener.stream.close()
  }

  #drop(listener: ChangeListener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#cancel?.()
    this.#cancel = undefined
  }
}

function changeEvent({ kind, entry, was, place }: FedChange): string {
  const { name, user, url, description, contract_id, expires_at } = entry
  const data = {
    recordTime: place.at,
    name,
    user,
    url,
    description,
    contractId: contract_id,
    expiresAt: expires_at,
    ...(was && { was: { contractId: was.contract_id, expiresAt: was.expires_at } }),
  }
  return eventText(kind, data, place)
}

function eventText(event: string, data: object, place?: FeedPlace): string {
  const id = place === undefined ? '' : `id: ${placeText(place)}\n`
  return `event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`
}

function notKeptSentence(feed: ChangeFeed, place: FeedPlace): string {
  const since = feed.resumable(place) ?? place
  return `The feed has all changes after ${placeText(since)}, but not all after ${placeText(place)}.`
}
