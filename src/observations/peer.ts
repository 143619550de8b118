import type { Clock } from '../lib/clock.ts'
import type { ScanNode } from '../scan/node.ts'
import { RequestGroup } from '../scan/request-group.ts'
import { checkedDocument, DocumentRefused, type EpochDocument, mostDocumentBytes } from './epoch-document.ts'
import { NotedHistory } from './noted-history.ts'

export interface PeerOptions {
  readonly name: string
  readonly keyids: readonly string[]
}

export interface PeerDeps {
  readonly clock: Clock
  /** `Peer` disposes of this client. */
  readonly node: ScanNode
}

export type FetchOutcome = 'verified' | 'missing' | 'unreachable' | 'refused'

export type Fetched =
  | { readonly outcome: 'verified'; readonly document: EpochDocument }
  | { readonly outcome: Exclude<FetchOutcome, 'verified'>; readonly why: string }

const timeoutMs = 10_000

/**
 * A daemon of another operator. Its `history` has the epochs that this daemon has fetched and
 * verified.
 */
export class Peer implements AsyncDisposable {
  readonly name: string
  readonly history = new NotedHistory()
  readonly #keyids: readonly string[]
  readonly #deps: PeerDeps

  constructor({ name, keyids }: PeerOptions, deps: PeerDeps) {
    this.name = name
    this.#keyids = keyids
    this.#deps = deps
  }

  /** Rejects only when the signal aborts. */
  async fetch(epoch: number, signal: AbortSignal): Promise<Fetched> {
    const { clock, node } = this.#deps
    const path = `/observations/${epoch}`
    const request = { method: 'GET', path, maxBytes: mostDocumentBytes, timeoutMs } as const
    const response = await node.ask(request, new RequestGroup(signal, clock))
    if (response.kind === 'fault') return { outcome: 'unreachable', why: response.fault }
    try {
      return this.#read(response, epoch)
    } finally {
      response.release()
    }
  }

  #read({ status, body }: { readonly status: number; readonly body: Buffer }, epoch: number): Fetched {
    if (status === 404) return { outcome: 'missing', why: 'it does not have the epoch' }
    if (status !== 200) return { outcome: 'unreachable', why: `it answers ${status}` }
    try {
      const document = checkedDocument(body, { epoch, keyids: this.#keyids })
      return { outcome: 'verified', document }
    } catch (error) {
      if (!(error instanceof DocumentRefused)) throw error
      return { outcome: 'refused', why: error.message }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.node[Symbol.asyncDispose]()
  }
}
