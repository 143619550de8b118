import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** A WebSocket to one caller. */
export interface Socket {
  /** Aborts when the caller has disconnected or reads too slowly. */
  readonly signal: AbortSignal
  /** Resolves with the text of the first frame, or with undefined if none arrived. */
  first(): Promise<string | undefined>
  /** Resolves when the caller has read enough that more can be sent, or has disconnected. */
  send(texts: readonly string[]): Promise<void>
  /** Closes the socket normally, after all sent texts. */
  close(): void
}

/** Handles one connection. Never rejects. */
export type Conversation = (socket: Socket) => Promise<void>

/** A path that accepts WebSockets. */
export interface Stream {
  readonly path: string
  /** Checks a request before the upgrade, and returns what handles the socket. Errors are answered over HTTP. */
  open(request: IncomingMessage): Promise<Conversation>
}

/** Takes over connections that ask for an upgrade. */
export interface Upgrades {
  wants(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Sends a close frame to all callers, and cuts those that remain after `timeoutMs`. */
  close(timeoutMs: number): void
}
