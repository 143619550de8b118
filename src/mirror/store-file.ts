import { closeSync, openSync, readSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createOwnFile } from '../lib/own-file.ts'
import { requireRegularFile } from '../lib/regular-file.ts'
import { Damage, faultText, fileFault } from '../lib/sqlite-faults.ts'
import type { MirrorFileFault } from './store.ts'
import type { MirrorFileOptions } from './store-protocol.ts'
import { createTables, type EarliestSet, readState } from './store-tables.ts'

/** Marks the header of a mirror file, so that the daemon never touches another program's file. */
const applicationId = 0x6266746d
/** Changes with the tables and with the types `AgreedSet` and `MirroredEntry`. */
const format = 2
/**
 * The header of a SQLite file ends after this many bytes; the application id is at `ownerAt`
 * (sqlite.org/fileformat.html).
 */
const headerBytes = 100
const ownerAt = 68
/** SQLITE_IOERR_SHORT_READ: the file ends within a page. */
const shortRead = 522
/** SQLITE_NOMEM: the process lacks memory, which is no sign that the file is damaged. */
const outOfMemory = 7

/** The file is undamaged, but does not belong to this mirror. */
class WrongMirrorFile extends Error {
  override readonly name = 'WrongMirrorFile'
  readonly fault: 'foreign' | 'other-format' | 'other-network'

  constructor(fault: WrongMirrorFile['fault'], message: string) {
    super(message)
    this.fault = fault
  }
}

/**
 * Opens a mirror file for this process alone, or creates it. A rollback journal keeps each write whole; a commit is on
 * the disk when it returns. A write needs room for two sets, because the journal keeps the old one until the new one is
 * committed.
 *
 * @param floor the latest set of the file that a new file replaces
 * @throws WrongMirrorFile, Damage, or an error of SQLite
 */
export function openMirrorFile(options: MirrorFileOptions, floor: EarliestSet | undefined): DatabaseSync {
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

/** Renames a file, and returns its new path. A file that was set aside earlier for the same fault is overwritten. */
export function setAside(file: string, fault: MirrorFileFault): string {
  const aside = `${file}.${fault}`
  renameSync(file, aside)
  return aside
}

/** Returns the fault behind an error; undefined for a bug in the program. */
export function mirrorFault(error: unknown): MirrorFileFault | undefined {
  if (error instanceof WrongMirrorFile) return error.fault
  if (codeOf(error) === shortRead) return 'damaged'
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

/** Every statement fits the tables that were written, so an error of SQLite that has no other cause means damage. */
function otherFault(error: unknown): MirrorFileFault | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  if (code !== undefined) return code === outOfMemory ? 'inaccessible' : 'damaged'
  return 'syscall' in error ? 'inaccessible' : undefined
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined
}

/** Returns a sentence for an operator. `aside` is the file's new name, if it was set aside. */
export function faultSentence(
  file: string,
  fault: MirrorFileFault,
  { error, aside }: { error: unknown; aside?: string | undefined },
): string {
  const text = faultText(error)
  const moved = aside === undefined ? '' : ` It is now ${aside}, and the mirror makes a new file.`
  switch (fault) {
    case 'damaged':
      return `The mirror file ${file} is damaged: ${text}.${moved}`
    case 'other-format':
    case 'other-network':
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
 * Reads the header without SQLite, which would change the journal of another program's file.
 * @throws WrongMirrorFile
 */
export function checkOwner(file: string): void {
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

function create(db: DatabaseSync, network: string, floor: EarliestSet | undefined): void {
  createTables(db, { network, floor })
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}`)
}

function check(db: DatabaseSync, { network, dso }: MirrorFileOptions): void {
  checkFormat(db)
  const state = readState(db)
  if (state.network !== network)
    throw new WrongMirrorFile('other-network', `is of the network ${state.network}, not ${network}`)
  const kept = state.header?.set.dso
  if (dso !== undefined && kept !== undefined && kept !== dso)
    throw new WrongMirrorFile('other-network', `is of the DSO ${kept}, not ${dso}`)
}

/** @throws WrongMirrorFile */
export function checkFormat(db: DatabaseSync): void {
  const version = pragma(db, 'user_version')
  if (version !== format)
    throw new WrongMirrorFile('other-format', `has the format ${version}, and this version reads ${format}`)
}

function pragma(db: DatabaseSync, name: string): number {
  const value = Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  if (typeof value !== 'number') throw new Damage(`it has no ${name}`)
  return value
}
