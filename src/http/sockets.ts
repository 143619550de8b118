import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** A WebSocket that is connected to one caller. */
export interface Socket {
  /** A signal that aborts when the caller has disconnected or reads too slowly. */
  readonly signal: AbortSignal
  /**
   * Resolves with the text of the caller's first message. Resolves with undefined if no message arrives in
   * time, or if the caller disconnects without sending one.
   */
  first(): Promise<string | undefined>
  /**
   * Sends strings, one WebSocket frame for each. Resolves when the connection has room for more frames, or
   * when the caller has disconnected.
   */
  send(texts: readonly string[]): Promise<void>
  /** Closes the socket with the normal close code, after everything was sent. */
  close(): void
}

/** A function that handles one WebSocket from the first frame to the end. Never rejects. */
export type Conversation = (socket: Socket) => Promise<void>

/** A path that accepts WebSockets. */
export interface Stream {
  readonly path: string
  /**
   * Checks a request before the upgrade. Resolves with the function that handles the socket. If `open`
   * rejects, the caller gets the error as an HTTP response.
   */
  open(request: IncomingMessage): Promise<Conversation>
}

/** Takes over connections that ask for an upgrade. */
export interface Upgrades {
  wants(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Sends a close frame to all callers. Cuts the connections that are still open after `timeoutMs`. */
  close(timeoutMs: number): void
}
