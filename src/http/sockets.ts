import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** A WebSocket to one caller. */
export interface Socket {
  /** Aborts when the caller is gone, or is too slow. */
  readonly signal: AbortSignal
  /** The text of the first frame; undefined where none came. */
  first(): Promise<string | undefined>
  /** Resolves when more can be sent: as soon as little enough waits for the caller, or the caller is gone. */
  send(texts: readonly string[]): Promise<void>
  /** Closes it normally, behind what was sent. */
  close(): void
}

/** What is done on one connection. Never rejects. */
export type Conversation = (socket: Socket) => Promise<void>

/** A path that callers take a WebSocket to. */
export interface Stream {
  readonly path: string
  /** Before the connection becomes a WebSocket: what it throws is answered over HTTP. */
  open(request: IncomingMessage): Promise<Conversation>
}

/** Takes connections over that ask to be something else than HTTP. */
export interface Upgrades {
  wants(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Says goodbye to all, and cuts whoever is still there after so long. */
  close(timeoutMs: number): void
}
