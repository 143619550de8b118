import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

const begun = 'http.server.request.start'

/** Resolves when a caller of a server of this process at one of these URLs leaves before it has the whole reply. */
export function nextHangUp(...urls: readonly string[]): Promise<void> {
  const ports = urls.map((url) => Number(new URL(url).port))
  const { promise, resolve } = Promise.withResolvers<void>()
  const watch = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (ports.includes(request.socket.localPort ?? 0))
      response.once('close', () => response.writableFinished || resolve())
  }
  subscribe(begun, watch)
  return promise.finally(() => unsubscribe(begun, watch))
}
