import { once } from 'node:events'
import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'

/** One server-sent event. */
export interface HeardEvent {
  readonly event: string
  readonly id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what it holds
  readonly data: any
}

/** Reads an event stream over a socket. Comments and `retry` are skipped. */
export class EventReader implements Disposable {
  readonly response: IncomingMessage
  readonly #events: AsyncIterator<HeardEvent>

  private constructor(response: IncomingMessage) {
    this.response = response
    this.#events = eventsOf(response)
  }

  static async open(base: string, path: string, headers: OutgoingHttpHeaders = {}): Promise<EventReader> {
    const request = get(new URL(path, base), { headers, agent: false })
    request.on('error', () => undefined)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return new EventReader(response)
  }

  /** Resolves with the next event, or with undefined at the end of the stream. */
  async next(): Promise<HeardEvent | undefined> {
    return (await this.#events.next()).value
  }

  /** Resolves with the next event that is not `reached`. */
  async nextChange(): Promise<HeardEvent | undefined> {
    for (;;) {
      const heard = await this.next()
      if (heard?.event !== 'reached') return heard
    }
  }

  [Symbol.dispose](): void {
    this.response.destroy()
  }
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<HeardEvent, undefined> {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventIn(block)
      if (event !== undefined) yield event
    }
  }
  return undefined
}

/** Parses one block of an event stream. Undefined if the block has no data. */
export function eventIn(block: string): HeardEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
      return [name, value] as const
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) }
}
