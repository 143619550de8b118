import { type Clock, milliseconds } from '../lib/clock.ts'
import { loserOfPlace, type PlaceHolder } from '../lib/fair-places.ts'
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
  /** Returns the sentence that says why level `stream` does not answer; undefined while it answers. */
  readonly paused: () => string | undefined
}

/** The result of `listen`: a stream of server-sent events, or the reason why the reader gets no stream. */
export type Listening =
  | { readonly kind: 'stream'; readonly stream: ReadableStream<Uint8Array> }
  /** The reader's place in the feed (`FeedPlace`) cannot be parsed. */
  | { readonly kind: 'malformed' }
  /**
   * The reader's place is more than a day after `end`, the end of the feed. No daemon can have sent that
   * place to the reader.
   */
  | { readonly kind: 'future'; readonly end: string }
  /** The feed may lack changes after the reader's place. It has all changes after the place `since`. */
  | { readonly kind: 'not-kept'; readonly since: string }
  /** Level `stream` does not answer. `why` is a sentence that gives the reason. */
  | { readonly kind: 'paused'; readonly why: string }
  | { readonly kind: 'full' }
  | { readonly kind: 'closed' }

/**
 * The maximum milliseconds between the end of this feed and a later place of a reader. A reader has a later
 * place if it read from another daemon that had followed more updates.
 */
const furthestMs = milliseconds('1d')

function isFarLater({ at }: FeedPlace, end: FeedPlace): boolean {
  return Date.parse(at) - Date.parse(end.at) > furthestMs
}

const mostListeners = 100
/** The milliseconds between two heartbeats. A reader that misses several heartbeats should reconnect. */
const beatMs = milliseconds('5s')
/** The maximum number of changes that are sent to a reader at once. */
const portion = 100

interface ChangeListener extends PlaceHolder {
  readonly stream: ReadableStreamDefaultController<Uint8Array>
  /** The reader has been sent all changes up to this place. */
  place: FeedPlace
  /**
   * Whether the reader got any event since the last heartbeat. If so, `ChangeStreams` skips the next
   * heartbeat.
   */
  isTold: boolean
}

/**
 * Sends the changes of names to readers as server-sent events (docs/mirror.md#feed-of-changes). A reader gets
 * the next changes once it has read the previous ones. No timer runs while there are no readers.
 */
export class ChangeStreams implements Disposable {
  readonly #deps: ChangeStreamsDeps
  readonly #listeners = new Set<ChangeListener>()
  readonly #encoder = new TextEncoder()
  #cancel: (() => void) | undefined
  #closed = false

  constructor(deps: ChangeStreamsDeps) {
    this.#deps = deps
    deps.feed.onMove(() => {
      for (const listener of [...this.#listeners]) this.#fill(listener)
    })
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /**
   * Opens a stream of changes.
   * @param after the id of an event, or a record time: the stream begins with the changes after it. By
   * default, the stream begins at the end of the feed.
   * @param client the client address of the reader. If all places are taken, the client with the most streams
   * may lose one of them (`loserOfPlace`).
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

  /**
   * Ends every stream. `why` is a sentence that is sent to the readers. They may reconnect when level
   * `stream` answers again.
   */
  interrupt(why: string): void {
    for (const listener of [...this.#listeners]) this.#end(listener, why)
  }

  /** Ends every stream. Later calls of `listen` open no stream. */
  [Symbol.dispose](): void {
    this.#closed = true
    this.interrupt('This daemon is stopping.')
  }

  /**
   * Makes a place for another reader. If the maximum number of readers listens already, ends the stream of
   * one of them.
   * @returns false if no place could be made.
   */
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
          listener = { client, stream, place, isTold: true }
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

  /**
   * Sends the next changes to a reader, at most `portion`, if the reader has read everything that was sent
   * before. Ends the stream if the feed may lack changes after the reader's place.
   */
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
    if (!listener.isTold && (listener.stream.desiredSize ?? 0) > 0)
      this.#send(listener, this.#reachedFor(listener))
    listener.isTold = false
  }

  #changesFor(listener: ChangeListener, changes: readonly FedChange[]): string {
    listener.place = changes.at(-1)?.place ?? listener.place
    return changes.map(changeEvent).join('')
  }

  /**
   * Returns the text of the event `reached`. Its id is the end of the feed, which becomes the reader's place.
   * If the reader's place is already after that end, returns a line that readers ignore. With the earlier id
   * as its place, the reader would get some changes a second time.
   */
  #reachedFor(listener: ChangeListener): string {
    const { end } = this.#deps.feed
    if (end === undefined || isLaterPlace(listener.place, end)) return ': not there yet\n\n'
    listener.place = end
    return eventText('reached', { recordTime: end.at }, end)
  }

  #send(listener: ChangeListener, text: string): void {
    listener.isTold = true
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
