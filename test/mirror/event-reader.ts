import { once } from 'node:events'
import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'

export interface HeardEvent {
  readonly event: string
  readonly id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape
  readonly data: any
}

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

  async next(): Promise<HeardEvent | undefined> {
    return (await this.#events.next()).value
  }

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

/** Returns undefined for a block without data, which is a comment or a `retry` line. */
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
