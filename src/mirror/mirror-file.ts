import type { DatabaseSync } from 'node:sqlite'
import type { Followed } from './following.ts'
import { faultSentence, mirrorFault, openMirrorFile, setAside } from './open-mirror-file.ts'
import type { MirrorFileFault } from './store.ts'
import type { MirrorFileOptions, MirrorWrite, StoreReply } from './store-protocol.ts'
import type { OverlayRow } from './store-rows.ts'
import {
  addFollowed,
  addOverlay,
  followedUntil,
  type LatestStoredSet,
  readChunks,
  readFollowed,
  readOverlay,
  readState,
  replaceAll,
  writeWithheld,
} from './store-tables.ts'
import type { Withheld } from './withheld-in-file.ts'

/**
 * A file with one of these faults is renamed. A file of another network keeps its name, because the
 * cause may be a typo in the configuration.
 */
const faultsThatRename: ReadonlySet<MirrorFileFault> = new Set(['damaged', 'other-format'])

export class MirrorFile {
  readonly #options: MirrorFileOptions
  #db: DatabaseSync | undefined
  /**
   * The latest set of names that was ever stored. The file, even a new one in place of a damaged
   * one, accepts no earlier set of the same DSO.
   */
  #floor: LatestStoredSet | undefined

  constructor(options: MirrorFileOptions) {
    this.#options = options
  }

  load(send: (chunk: Uint8Array<ArrayBuffer>) => void): StoreReply {
    return this.#use((db) => {
      const state = readState(db)
      if (state.header === undefined) return { kind: 'empty' }
      for (const chunk of readChunks(db, state)) send(chunk)
      const overlay = readOverlay(db, state)
      return { kind: 'loaded', header: state.header, overlay, followed: readFollowed(db, state) }
    })
  }

  replace(write: MirrorWrite): StoreReply {
    return this.#write((db) => {
      const { at, dso } = write.header.set
      if (this.#floor?.dso === dso && at < this.#floor.at) return { kind: 'older', keptAt: this.#floor.at }
      transact(db, () => replaceAll(db, write, this.#options.network))
      this.#floor = { at, dso }
      return { kind: 'written' }
    })
  }

  overlay(rows: readonly OverlayRow[]): StoreReply {
    return this.#write((db) => {
      transact(db, () => addOverlay(db, readState(db), rows))
      return { kind: 'written' }
    })
  }

  follow(step: Followed): StoreReply {
    return this.#write((db) => {
      const state = readState(db)
      if (followedUntil(state) !== step.after) return { kind: 'gap' }
      transact(db, () => addFollowed(db, state, step))
      return { kind: 'written' }
    })
  }

  withhold(digest: string, withheld: Withheld): StoreReply {
    return this.#write((db) => {
      let isWritten = false
      transact(db, () => {
        isWritten = writeWithheld(db, digest, withheld)
      })
      return { kind: isWritten ? 'written' : 'other-set' }
    })
  }

  close(): void {
    this.#db?.close()
    this.#db = undefined
  }

  /**
   * Runs a write. If the file is inaccessible, the write is tried again with a new connection,
   * because a connection to a file that was read-only stays read-only.
   */
  #write(work: (db: DatabaseSync) => StoreReply): StoreReply {
    const wasOpen = this.#db !== undefined
    const reply = this.#use(work)
    return wasOpen && reply.kind === 'unusable' && reply.fault === 'inaccessible' ? this.#use(work) : reply
  }

  #use(work: (db: DatabaseSync) => StoreReply): StoreReply {
    try {
      return work(this.#open())
    } catch (error) {
      const fault = mirrorFault(error)
      this.close()
      if (fault === undefined) throw error
      return this.#unusable(fault, error)
    }
  }

  #open(): DatabaseSync {
    if (this.#db === undefined) {
      const db = openMirrorFile(this.#options, this.#floor)
      this.#db = db
      this.#floor = readState(db).floor ?? this.#floor
    }
    return this.#db
  }

  #unusable(fault: MirrorFileFault, error: unknown): StoreReply {
    const { file } = this.#options
    try {
      const aside = faultsThatRename.has(fault) ? setAside(file, fault) : undefined
      return { kind: 'unusable', fault, message: faultSentence(file, fault, { error, aside }) }
    } catch (unmoved) {
      const message = `${faultSentence(file, fault, { error })} It cannot be renamed: ${(unmoved as Error).message}.`
      return { kind: 'unusable', fault, message }
    }
  }
}

/**
 * Runs `write` in a transaction. After an error, `MirrorFile` closes the database, which rolls the
 * transaction back.
 */
function transact(db: DatabaseSync, write: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  write()
  db.exec('COMMIT')
}
