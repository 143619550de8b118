import { closeSync, openSync, readSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createOwnFile } from '../lib/own-file.ts'
import { requireRegularFile } from '../lib/regular-file.ts'
import { Damage, faultText, fileFault } from '../lib/sqlite-faults.ts'
import type { MirrorFileFault } from './store.ts'
import type { MirrorFileOptions } from './store-protocol.ts'
import { createTables, type LatestStoredSet, readState } from './store-tables.ts'

/**
 * This id in the file's header marks a mirror file. The daemon never changes a file with another
 * id.
 */
const applicationId = 0x6266746d
/**
 * The version of the file's format. A change of the tables, `AgreedSet` or `MirroredEntry` must
 * raise it. The daemon then renames files of other versions instead of misreading them.
 */
const format = 2
/**
 * The header of a SQLite file has 100 bytes, with the application id at offset 68
 * (sqlite.org/fileformat.html).
 */
const headerBytes = 100
const ownerAt = 68
/** SQLITE_NOMEM: the process lacks memory, which does not mean that the file is damaged. */
const outOfMemory = 7

class WrongMirrorFile extends Error {
  override readonly name = 'WrongMirrorFile'
  readonly fault: 'foreign' | 'other-format' | 'other-network'

  constructor(fault: WrongMirrorFile['fault'], message: string) {
    super(message)
    this.fault = fault
  }
}

/**
 * Opens a mirror file for this process alone, or creates it. A write needs disk space for two sets
 * of names, because the rollback journal keeps the old set.
 * @param floor the latest set in a former file that was renamed. A new file in its place accepts no
 * earlier set.
 * @throws WrongMirrorFile, Damage, or an error of SQLite
 */
export function openMirrorFile(options: MirrorFileOptions, floor: LatestStoredSet | undefined): DatabaseSync {
  requireRegularFile(options.file)
  checkOwner(options.file)
  createOwnFile(options.file)
  const db = new DatabaseSync(options.file)
  try {
    db.exec(`
      PRAGMA page_size = 8192;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = DELETE;
      PRAGMA journal_size_limit = 0;
      PRAGMA synchronous = FULL;
      PRAGMA cell_size_check = ON;
      BEGIN EXCLUSIVE;
    `)
    if (pragma(db, 'application_id') === 0) create(db, options.network, floor)
    db.exec('COMMIT')
    check(db, options)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Appends the fault to the file's name, as in `names.db.damaged`. A file that has the new name
 * already is overwritten.
 */
export function setAside(file: string, fault: MirrorFileFault): string {
  const aside = `${file}.${fault}`
  renameSync(file, aside)
  return aside
}

export function mirrorFault(error: unknown): MirrorFileFault | undefined {
  if (error instanceof WrongMirrorFile) return error.fault
  switch (fileFault(error)) {
    case 'full':
    case 'refused':
      return 'full'
    case 'busy':
      return 'in-use'
    case 'broken':
      return 'inaccessible'
    case 'damaged':
      return 'damaged'
    case undefined:
      return otherFault(error)
  }
}

/**
 * Finds the fault for an error that `fileFault` does not know. An unknown error of SQLite means that
 * the file is damaged, because the daemon's SQL statements fit the tables.
 */
function otherFault(error: unknown): MirrorFileFault | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  if (code !== undefined) return code === outOfMemory ? 'inaccessible' : 'damaged'
  return 'syscall' in error ? 'inaccessible' : undefined
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined
}

export function faultSentence(
  file: string,
  fault: MirrorFileFault,
  { error, aside }: { error: unknown; aside?: string | undefined },
): string {
  const text = faultText(error)
  const moved = aside === undefined ? '' : ` It is now ${aside}, and the next snapshot goes into a new file.`
  switch (fault) {
    case 'damaged':
      return `The mirror file ${file} is damaged: ${text}.${moved}`
    case 'other-network':
      return `The mirror file ${file} ${text}. It stays as it is and is not used: correct the option, or name another mirror.file.`
    case 'other-format':
    case 'foreign':
      return `The mirror file ${file} ${text}.${moved}`
    case 'in-use':
      return `The mirror file ${file} is in use by another process.`
    case 'full':
      return `There is no room for the mirror file ${file}: ${text}.`
    case 'inaccessible':
    case 'closed':
      return `The mirror file ${file} cannot be read or written: ${text}.`
  }
}

/**
 * Checks that the file does not belong to another program. The header is read without SQLite,
 * because SQLite would roll back an unfinished write in a file of another program.
 * @throws WrongMirrorFile if the file has content and is no mirror file.
 */
function checkOwner(file: string): void {
  const header = Buffer.alloc(headerBytes)
  const length = readHeader(file, header)
  if (length > 0 && (length < headerBytes || header.readUInt32BE(ownerAt) !== applicationId))
    throw new WrongMirrorFile('foreign', 'belongs to another program')
}

function readHeader(file: string, header: Buffer): number {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
  try {
    return readSync(descriptor, header)
  } finally {
    closeSync(descriptor)
  }
}

function create(db: DatabaseSync, network: string, floor: LatestStoredSet | undefined): void {
  createTables(db, { network, floor })
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}`)
}

function check(db: DatabaseSync, { network, dso }: MirrorFileOptions): void {
  checkFormat(db)
  const state = readState(db)
  if (state.network !== network)
    throw new WrongMirrorFile('other-network', `is of the network ${state.network}, not ${network} (network)`)
  const kept = state.header?.set.dso
  if (dso !== undefined && kept !== undefined && kept !== dso)
    throw new WrongMirrorFile('other-network', `is of the DSO ${kept}, not ${dso} (scanClient.dsoPartyId)`)
}

function checkFormat(db: DatabaseSync): void {
  const version = pragma(db, 'user_version')
  if (version !== format)
    throw new WrongMirrorFile('other-format', `has the format ${version}, and this version reads ${format}`)
}

function pragma(db: DatabaseSync, name: string): number {
  const value = Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  if (typeof value !== 'number') throw new Damage(`it has no ${name}`)
  return value
}
