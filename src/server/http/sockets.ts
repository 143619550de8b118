import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export interface Socket {
  readonly signal: AbortSignal
  /** Resolves with the caller's first message; undefined if none arrives in time. */
  first(): Promise<string | undefined>
  send(texts: readonly string[]): Promise<void>
  close(): void
}

export type Conversation = (socket: Socket) => Promise<void>

export interface Stream {
  readonly path: string
  /** Checks a request before the upgrade. A rejection is sent as an HTTP response. */
  open(request: IncomingMessage): Promise<Conversation>
}

export interface Upgrades {
  wants(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(timeoutMs: number): void
}

export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}
