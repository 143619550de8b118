import { isJsonObject } from '../lib/canonical-json.ts'
import { type Clock, milliseconds, systemClock } from '../lib/clock.ts'
import { ClientError } from './client-error.ts'
import { directFetch } from './direct-fetch.ts'
import { errorOf } from './error-from-response.ts'
import { jsonIn } from './json-text.ts'
import { aboveZero, isSignal, type OptionRules, problemOf } from './options.ts'
import { type Token, tokenFor } from './token.ts'
import { brokenOff } from './unreachable.ts'

export interface ChangesOptions {
  /** A record time, or the `id` of an event, after which the changes begin. By default they begin now. */
  readonly after?: string | undefined
  /** A signal that ends the stream when it aborts. The iteration then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * The longest time without a byte from the daemon, in milliseconds; 30,000 by default. If this time passes, the
   * iteration rejects with `unreachable`. A working stream is never silent for much longer than five seconds, because
   * the daemon sends `reached` that often.
   */
  readonly idleMs?: number | undefined
}

/** A name as it is after a change. For `expired` and `withdrawn`, the name as it was before. */
export interface ChangedName {
  /** The value of `after` that resumes the stream after this event. */
  readonly id: string
  readonly recordTime: string
  readonly name: string
  readonly user: string
  readonly url: string
  readonly description: string
  readonly contractId: string
  readonly expiresAt: string
}

/** An event of the feed of changes (docs/mirror.md#feed-of-changes). */
export type ChangesEvent =
  | ({ readonly kind: 'created' | 'expired' | 'withdrawn' } & ChangedName)
  | ({
      readonly kind: 'renewed'
      readonly was: { readonly contractId: string; readonly expiresAt: string }
    } & ChangedName)
  /** Says that the stream has sent all changes up to this record time. */
  | { readonly kind: 'reached'; readonly id: string; readonly recordTime: string }
  /** Says that the daemon ends the stream. `reason` is a sentence. */
  | { readonly kind: 'interrupted'; readonly reason: string }

const kinds: ReadonlySet<string> = new Set<ChangesEvent['kind']>([
  'created',
  'renewed',
  'expired',
  'withdrawn',
  'reached',
  'interrupted',
])

const changesRules: OptionRules = {
  after: { is: (value) => typeof value === 'string', what: 'a text' },
  signal: { is: isSignal, what: 'an AbortSignal' },
  idleMs: aboveZero,
}

const namesElsewhere = {
  since: 'after',
  from: 'after',
  lastEventId: 'after',
  timeout: 'idleMs',
  timeoutMs: 'idleMs',
}

interface ChangesSource {
  readonly base: string
  readonly token: Token
  /** The clock that times the daemon's silence; the system clock by default. */
  readonly clock?: Pick<Clock, 'after'>
}

/** Yields the events of one stream until the stream ends. If the iteration is left early, the connection is closed. */
export async function* changesOf(
  { base, token, clock = systemClock }: ChangesSource,
  options: ChangesOptions,
): AsyncGenerator<ChangesEvent, void> {
  const problem = problemOf(options, changesRules, 'a stream of changes', namesElsewhere)
  if (problem !== undefined) throw new ClientError('badOption', problem)
  const { after, signal, idleMs = milliseconds('30s') } = options
  const bearer = await tokenFor(token, signal)
  const headers = {
    accept: 'text/event-stream',
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  }
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
  const connection = new AbortController()
  const lost = new ClientError('unreachable', `${base} sent nothing for ${idleMs} ms: the connection is lost`)
  const leave = () => connection.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', leave)
  /**
   * Waits for the daemon. If it sends nothing for `idleMs`, closes the connection and throws `unreachable`. The time
   * between two waits, in which the program works on an event, does not count.
   */
  const inTime = async <Value>(waiting: Promise<Value>): Promise<Value> => {
    const cancel = clock.after(idleMs, () => connection.abort(lost))
    try {
      return await waiting
    } catch (cause) {
      signal?.throwIfAborted()
      throw connection.signal.aborted ? lost : brokenOff(base, cause)
    } finally {
      cancel()
    }
  }
  try {
    const request = { headers, cache: 'no-store' as const, signal: connection.signal }
    const response = await inTime(directFetch(base, `/mirror/changes${query}`, request))
    yield* eventsIn(response, base, inTime)
  } finally {
    signal?.removeEventListener('abort', leave)
    connection.abort()
  }
}

/** Yields the events of a response. Throws the error of the daemon if the response is no stream of events. */
async function* eventsIn(
  response: Response,
  base: string,
  inTime: <Value>(waiting: Promise<Value>) => Promise<Value>,
): AsyncGenerator<ChangesEvent, void> {
  const { body } = response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.ok || !isStream || body === null)
    throw refusalIn(response, await inTime(response.text()), base)
  const reader = body.getReader()
  try {
    for await (const block of blocksOf(() => inTime(reader.read()))) {
      const event = eventIn(block)
      if (event !== undefined) yield event
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function refusalIn(response: Response, text: string, base: string): ClientError {
  const body = jsonIn(text)
  const error = isJsonObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined
  return errorOf({ response, text, base, error })
}

/** Yields the blocks of the text. A block ends with an empty line, and is one event or one comment. */
async function* blocksOf(
  read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let text = ''
  for (let next = await read(); !next.done; next = await read()) {
    const blocks = (text + decoder.decode(next.value, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks
  }
}

/** Parses one event. Returns undefined for a comment of the stream, and for an event that only later releases know. */
function eventIn(block: string): ChangesEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const kind = field('event')
  const data = jsonIn(field('data') ?? '')
  if (kind === undefined || !kinds.has(kind) || !isJsonObject(data)) return undefined
  const id = field('id')
  return { kind, ...(id === undefined ? {} : { id }), ...data } as unknown as ChangesEvent
}
