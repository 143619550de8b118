import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Clock } from '../lib/clock.ts'
import { Damage } from '../lib/sqlite-faults.ts'
import { type MirrorContent, UnusableMirrorFile } from './store.ts'
import { checkFormat, checkOwner, faultSentence, mirrorFault } from './store-file.ts'
import { unpackEntries, unpackOverlay } from './store-rows.ts'
import { readChunks, readFollowed, readOverlay, readState } from './store-tables.ts'

/** The content of a mirror file, verified by its digests. */
export interface MirrorFileContent {
  readonly network: string
  /** Undefined if no set was ever kept. */
  readonly content: MirrorContent | undefined
}

/** The attempts to read a file that is being written. A write takes less than a second, even of many names. */
const attempts = 8
const pauseMs = 250

/**
 * Reads a mirror file without a lock and without a change, also while a daemon has it open. A read during a write
 * may mix pages of two states. The digests reveal that, and the read is tried again.
 * @throws UnusableMirrorFile
 */
export async function readMirrorFile(file: string, clock: Pick<Clock, 'after'>): Promise<MirrorFileContent> {
  for (let attempt = 1; ; attempt++) {
    try {
      return read(file)
    } catch (error) {
      const fault = mirrorFault(error)
      if (fault === undefined) throw error
      if (fault !== 'damaged' || attempt === attempts)
        throw new UnusableMirrorFile(fault, faultSentence(file, fault, { error }))
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve))
    }
  }
}

function read(file: string): MirrorFileContent {
  const { size } = statSync(file)
  if (size === 0) throw new Damage('it is empty')
  checkOwner(file)
  // With this parameter SQLite takes no lock and looks for no journal.
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  using db = new DatabaseSync(url, { readOnly: true })
  const before = journalBytes(file)
  checkFormat(db)
  const { network, content } = contentIn(db)
  if (before + journalBytes(file) > 0) throw new Damage('a write of it has not ended')
  return { network, content }
}

function contentIn(db: DatabaseSync): MirrorFileContent {
  const state = readState(db)
  const { network, header } = state
  if (header === undefined) return { network, content: undefined }
  const entries = [...readChunks(db, state)].flatMap(unpackEntries)
  const overlay = readOverlay(db, state).map(unpackOverlay)
  const { generation, set } = header
  return {
    network,
    content: { set: { ...set, entries }, generation, overlay, followed: readFollowed(db, state) },
  }
}

/**
 * Returns the size of the journal: 0 unless a write is running or was interrupted. A daemon that starts undoes an
 * interrupted write.
 */
function journalBytes(file: string): number {
  return statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0
}
