import { isJsonObject } from '../lib/canonical-json.ts'
import { type Clock, milliseconds, systemClock } from '../lib/clock.ts'
import { ClientError } from './client-error.ts'
import { errorOf } from './error-response.ts'
import { jsonIn } from './json-text.ts'
import { isSignal, type OptionRules, problemOf } from './options.ts'
import { type Token, tokenFor } from './token.ts'
import { unreachable } from './unreachable.ts'

export interface ChangesOptions {
  /** A record time, or the `id` of an event, after which the changes begin. By default, now. */
  readonly after?: string | undefined
  /** Ends the stream: the iteration rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * After how many milliseconds without a byte the connection counts as lost, so that the iteration rejects with
   * `unreachable`; 30,000 by default. A daemon sends `reached` every five seconds.
   */
  readonly idleMs?: number | undefined
}

/** A name as it is after a change, or was before its end. */
export interface ChangedName {
  /** The `after` with which to go on from here. */
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
  /** The feed has come this far. */
  | { readonly kind: 'reached'; readonly id: string; readonly recordTime: string }
  /** The daemon ends the stream; `reason` is a sentence. */
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
  idleMs: { is: (value) => Number.isFinite(value) && Number(value) > 0, what: 'a number above 0' },
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
  /** By which the silence of a daemon is timed. */
  readonly clock?: Pick<Clock, 'after'>
}

/** Follows one stream of changes to its end. To leave the loop closes the connection. */
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
   * Waits for the daemon. If it sends nothing for `idleMs`, closes the connection and throws `unreachable`. The time that
   * the caller spends on an event between two waits does not count.
   */
  const told = async <Value>(waiting: Promise<Value>): Promise<Value> => {
    const cancel = clock.after(idleMs, () => connection.abort(lost))
    try {
      return await waiting
    } catch (cause) {
      signal?.throwIfAborted()
      throw connection.signal.aborted ? lost : unreachable(base, cause)
    } finally {
      cancel()
    }
  }
  try {
    const request = { headers, cache: 'no-store' as const, signal: connection.signal }
    const response = await told(fetch(`${base}/mirror/changes${query}`, request))
    yield* eventsIn(response, base, told)
  } finally {
    signal?.removeEventListener('abort', leave)
    connection.abort()
  }
}

/** Yields the events of a response. */
async function* eventsIn(
  response: Response,
  base: string,
  told: <Value>(waiting: Promise<Value>) => Promise<Value>,
): AsyncGenerator<ChangesEvent, void> {
  const { body } = response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.ok || !isStream || body === null) throw refusalIn(response, await told(response.text()), base)
  const reader = body.getReader()
  try {
    for await (const block of blocksOf(() => told(reader.read()))) {
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

/** The texts between empty lines. */
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

/** Undefined for comments, and for events of a later release. */
function eventIn(block: string): ChangesEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const kind = field('event')
  const data = jsonIn(field('data') ?? '')
  if (kind === undefined || !kinds.has(kind) || !isJsonObject(data)) return undefined
  const id = field('id')
  return { kind, ...(id === undefined ? {} : { id }), ...data } as unknown as ChangesEvent
}
