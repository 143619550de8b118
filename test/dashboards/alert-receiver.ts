import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onLoopback } from '../support/on-loopback.ts'

type Labels = Readonly<Record<string, string>>

/** An alert as Prometheus posts it. `endsAt` is in the past if the alert has ended. */
interface Alert {
  readonly labels: Labels
  readonly endsAt: string
}

export interface AlertReceiver extends AsyncDisposable {
  readonly url: string
  fired(labels: Labels): Promise<void>
  readonly seen: readonly Labels[]
  /** Forgets all alerts. Prometheus repeats each alert that still fires, so the receiver soon remembers it again. */
  forget(): void
}

export async function receiveAlerts(): Promise<AlertReceiver> {
  const seen = new Map<string, Labels>()
  const watchers = new Set<() => void>()
  const server = createServer(async (request, response) => {
    for (const { labels, endsAt } of (await json(request)) as Alert[])
      if (Date.parse(endsAt) > Date.now()) seen.set(JSON.stringify(labels), labels)
    response.end()
    for (const look of watchers) look()
  })
  const { port } = await onLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    fired(wanted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        const isWanted = (labels: Labels) =>
          Object.entries(wanted).every(([label, value]) => labels[label] === value)
        if (![...seen.values()].some(isWanted)) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
      return promise
    },
    get seen() {
      return [...seen.values()]
    },
    forget: () => seen.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
