import { Worker } from 'node:worker_threads'
import { InPortions } from '../lib/in-portions.ts'
import { SerialByKey } from '../lib/serial-by-key.ts'
import { workerFile } from '../lib/worker-file.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { Followed } from './following.ts'
import {
  type MirrorContent,
  type MirrorStore,
  MissingUpdates,
  OlderMirrorSet,
  OtherMirrorSet,
  type OverlayEntry,
  UnusableMirrorFile,
} from './store.ts'
import type { FromStore, MirrorFileOptions, StoreReply, StoreRequest } from './store-protocol.ts'
import { packEntries, packOverlay, rowsInChunk, unpackEntries, unpackOverlay } from './store-rows.ts'
import { nothingWithheld, type Withheld } from './withheld-in-file.ts'

/**
 * Opens a mirror file in a worker thread. Returns before the thread has opened the file. If the file
 * is unusable, the first load or write rejects.
 */
export function openSqliteMirrorStore(options: MirrorFileOptions): MirrorStore {
  const file = workerFile(import.meta.url, 'store-worker')
  return new SqliteMirrorStore(new Worker(file, { name: 'mirror', workerData: options }))
}

interface Batch {
  readonly entries: OverlayEntry[]
  readonly written: Promise<void>
}

/**
 * Keeps the mirror's content in a SQLite file. Digests in the file detect damage, but not tampering:
 * a writer of the file can change the digests, too.
 * The digest on which the quorum agreed cannot be verified, because it covers whole contracts, and
 * the file has only their entries.
 */
class SqliteMirrorStore implements MirrorStore {
  readonly #worker: Worker
  readonly #exited = Promise.withResolvers<void>()
  readonly #turns = new SerialByKey()
  #ended: string | undefined
  #isClosing = false
  #loading: MirroredEntry[] = []
  #waiting: PromiseWithResolvers<StoreReply> | undefined
  #batch: Batch | undefined

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (message: FromStore) => this.#receive(message))
    worker.on('error', (error: Error) => this.#end(`The mirror's thread failed: ${error.message}.`))
    worker.on('exit', () => {
      this.#end('The mirror is closed.')
      this.#exited.resolve()
    })
  }

  load(): Promise<MirrorContent | undefined> {
    return this.#inTurn(async () => {
      this.#loading = []
      const reply = await this.#ask({ kind: 'load' })
      const entries = this.#loading
      this.#loading = []
      if (reply.kind === 'empty') return undefined
      if (reply.kind !== 'loaded') throw failure(reply)
      const { generation, set, withheld = nothingWithheld } = reply.header
      const { followed } = reply
      const overlay = reply.overlay.map(unpackOverlay)
      return { set: { ...set, entries }, generation, overlay, followed, withheld }
    })
  }

  replace(content: MirrorContent): Promise<void> {
    this.#batch = undefined
    return this.#inTurn(async () => {
      const { entries, ...set } = content.set
      const chunks = await packed(entries)
      const { generation, withheld } = content
      const header = { set, generation, withheld }
      const write = { header, chunks, overlay: content.overlay.map(packOverlay), followed: content.followed }
      const request: StoreRequest = { kind: 'replace', write }
      const reply = await this.#ask(
        request,
        chunks.map(({ buffer }) => buffer),
      )
      if (reply.kind === 'older') throw new OlderMirrorSet(set.at, reply.keptAt)
      if (reply.kind !== 'written') throw failure(reply)
    })
  }

  overlay(entry: OverlayEntry): Promise<void> {
    this.#batch ??= this.#newBatch()
    this.#batch.entries.push(entry)
    return this.#batch.written
  }

  follow(step: Followed): Promise<void> {
    return this.#inTurn(async () => {
      const reply = await this.#ask({ kind: 'follow', step })
      if (reply.kind === 'gap') throw new MissingUpdates('updates before these are not in the file')
      if (reply.kind !== 'written') throw failure(reply)
    })
  }

  withhold(digest: string, withheld: Withheld): Promise<void> {
    return this.#inTurn(async () => {
      const reply = await this.#ask({ kind: 'withhold', digest, withheld })
      if (reply.kind === 'other-set') throw new OtherMirrorSet('another set is in the file')
      if (reply.kind !== 'written') throw failure(reply)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosing) {
      const closed = this.#inTurn(async () =>
        this.#worker.postMessage({ kind: 'close' } satisfies StoreRequest),
      )
      this.#isClosing = true
      await closed.catch(() => {})
    }
    await this.#exited.promise
  }

  #newBatch(): Batch {
    const entries: OverlayEntry[] = []
    const written = this.#inTurn(async () => {
      // Entries that `overlay` adds before this microtask continues are written in the same
      // transaction.
      await Promise.resolve()
      if (this.#batch?.entries === entries) this.#batch = undefined
      const reply = await this.#ask({ kind: 'overlay', rows: entries.map(packOverlay) })
      if (reply.kind !== 'written') throw failure(reply)
    })
    return { entries, written }
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    if (this.#isClosing) throw new UnusableMirrorFile('closed', 'The mirror is closed.')
    return this.#turns.run('file', task)
  }

  #ask(request: StoreRequest, moved: readonly ArrayBuffer[] = []): Promise<StoreReply> {
    if (this.#ended !== undefined) return Promise.reject(new UnusableMirrorFile('closed', this.#ended))
    this.#waiting = Promise.withResolvers()
    this.#worker.postMessage(request, moved)
    return this.#waiting.promise
  }

  #receive(message: FromStore): void {
    if (message.kind === 'chunk') {
      for (const entry of unpackEntries(message.bytes)) this.#loading.push(entry)
    } else {
      this.#waiting?.resolve(message)
      this.#waiting = undefined
    }
  }

  #end(reason: string): void {
    this.#ended ??= reason
    this.#waiting?.reject(new UnusableMirrorFile('closed', this.#ended))
    this.#waiting = undefined
  }
}

/**
 * The entries are packed over several turns of the event loop, so that callers are served in
 * between.
 */
function packed(entries: readonly MirroredEntry[]): Promise<Uint8Array<ArrayBuffer>[]> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>[]>()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const jobs: (() => void)[] = []
  for (let at = 0; at < entries.length; at += rowsInChunk)
    jobs.push(() => void chunks.push(packEntries(entries.slice(at, at + rowsInChunk))))
  new InPortions().add([...jobs, () => resolve(chunks)])
  return promise
}

function failure(reply: StoreReply): Error {
  if (reply.kind === 'unusable') return new UnusableMirrorFile(reply.fault, reply.message)
  return new Error(`the mirror's thread answered with ${reply.kind}`)
}
