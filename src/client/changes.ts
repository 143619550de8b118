import { type Clock, milliseconds, systemClock } from '../base/lib/clock.ts'
import { aboveZero, isSignal, type OptionRules, problemOf } from '../base/lib/option-rules.ts'
import { misfit } from '../core/reads/reading.ts'
import { type ChangesEvent, changeIn } from './change-event.ts'
import { ClientError } from './client-error.ts'
import { directFetch } from './direct-fetch.ts'
import { errorOf } from './error-from-response.ts'
import { fieldsOfEvents } from './event-stream.ts'
import { inTime } from './in-time.ts'
import { type Token, tokenFor, tokenFunction } from './token.ts'
import { brokenOff } from './unreachable.ts'

export interface ChangesOptions {
  /**
   * The record time, or the `id` of an event, after which the changes begin. By default, the stream
   * begins with the next change.
   */
  readonly after?: string | undefined
  /** When this signal aborts, the iteration rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * The longest silence of the daemon, in milliseconds; 30,000 by default. After this time, the
   * iteration rejects with `unreachable`. A working daemon sends `reached` about every five
   * seconds.
   */
  readonly idleMs?: number | undefined
}

const changesRules: OptionRules = {
  after: { accepts: (value) => typeof value === 'string', expected: 'a text' },
  signal: { accepts: isSignal, expected: 'an AbortSignal' },
  idleMs: aboveZero,
}

interface ChangesSource {
  readonly base: string
  readonly token: Token
  readonly clock?: Pick<Clock, 'after'>
}

export async function* changesOf(
  { base, token, clock = systemClock }: ChangesSource,
  options: ChangesOptions,
): AsyncGenerator<ChangesEvent, void> {
  const problem = problemOf(options, changesRules, 'a stream of changes')
  if (problem !== undefined) throw new ClientError('badOption', problem)
  const { after, signal, idleMs = milliseconds('30s') } = options
  const bearer = await inTime({ base: tokenFunction, timeoutMs: idleMs, signal }, (signal) =>
    tokenFor(token, signal),
  )
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
   * Limits only the wait for the daemon. The time that the program spends on an event does not
   * count.
   */
  const heardInTime = async <Value>(waiting: Promise<Value>): Promise<Value> => {
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
    const response = await heardInTime(directFetch(base, `/mirror/changes${query}`, request))
    yield* eventsIn(response, base, heardInTime)
  } finally {
    signal?.removeEventListener('abort', leave)
    connection.abort()
  }
}

async function* eventsIn(
  response: Response,
  base: string,
  heardInTime: <Value>(waiting: Promise<Value>) => Promise<Value>,
): AsyncGenerator<ChangesEvent, void> {
  const { body } = response
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  if (!response.ok || !isStream || body === null)
    throw errorOf({ response, text: await heardInTime(response.text()), base })
  const reader = body.getReader()
  try {
    for await (const fields of fieldsOfEvents(() => heardInTime(reader.read()))) {
      const event = changeIn(fields)
      if (event === misfit)
        throw unknownEvent(response, base, `its event ${fields.get('event')} is malformed`)
      if (event !== undefined) yield event
      if (event?.kind === 'interrupted') return
    }
  } catch (error) {
    throw error instanceof RangeError ? unknownEvent(response, base, error.message) : error
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  throw brokenOff(base, undefined)
}

function unknownEvent({ status, headers }: Response, base: string, why: string): ClientError {
  return new ClientError('misunderstood', `the stream of ${base} is not that of a daemon: ${why}`, {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
  })
}
