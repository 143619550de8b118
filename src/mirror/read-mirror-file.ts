import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Clock } from '../lib/clock.ts'
import { requireRegularFile } from '../lib/regular-file.ts'
import { Damage } from '../lib/sqlite-faults.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import { checkFormat, checkOwner, faultSentence, mirrorFault } from './open-mirror-file.ts'
import { type MirrorContent, UnusableMirrorFile } from './store.ts'
import { unpackEntries, unpackOverlay } from './store-rows.ts'
import { readChunks, readFollowed, readOverlay, readState } from './store-tables.ts'
import { nothingWithheld, stopIn } from './withheld-in-file.ts'

export interface MirrorFileContent {
  readonly network: string
  readonly content: MirrorContent | undefined
  readonly stopped: { readonly kind: Degradation['kind']; readonly why: string } | undefined
}

/**
 * How often the file is read before it counts as damaged, because a daemon may be writing it. All
 * attempts together take almost two seconds, and even a write of many names takes less than one
 * second.
 */
const attempts = 8
const pauseMs = 250

/**
 * Reads a mirror file without a lock, even while a daemon has it open. If a daemon writes
 * meanwhile, the journal or a wrong digest shows it, and the file is read again, `attempts` times
 * in all.
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
  requireRegularFile(file)
  const { size } = statSync(file)
  if (size === 0) throw new Damage('it is empty')
  checkOwner(file)
  // With `immutable`, SQLite neither looks for a journal nor takes a lock. It could not get a lock
  // while a daemon has the file open.
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  using db = new DatabaseSync(url, { readOnly: true })
  const before = journalBytes(file)
  checkFormat(db)
  const found = contentIn(db)
  if (before + journalBytes(file) > 0) throw new Damage('a write of it has not ended')
  return found
}

function contentIn(db: DatabaseSync): MirrorFileContent {
  const state = readState(db)
  const { network, header } = state
  if (header === undefined) return { network, content: undefined, stopped: undefined }
  const entries = [...readChunks(db, state)].flatMap(unpackEntries)
  const overlay = readOverlay(db, state).map(unpackOverlay)
  const { generation, set, withheld = nothingWithheld } = header
  const followed = readFollowed(db, state)
  const content = { set: { ...set, entries }, generation, overlay, followed, withheld }
  const stop = stopIn(withheld)
  return { network, content, stopped: stop && { kind: stop.kind, why: sentenceOf(stop) } }
}

/**
 * Returns the size of the rollback journal. The size is 0 except during a write, or after a crash
 * during a write. The next daemon that opens the file undoes such an unfinished write.
 */
function journalBytes(file: string): number {
  return statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0
}
