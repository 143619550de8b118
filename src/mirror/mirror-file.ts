import { createHash } from 'node:crypto'
import { closeSync, constants, openSync, readSync, renameSync } from 'node:fs'
import { digest } from '../base/lib/digest.ts'
import { replaceFile } from '../base/lib/own-file.ts'
import { NotAFile, readRegularFile, requireRegularFile } from '../base/lib/regular-file.ts'
import { folderProblem, isDiskFull, whyUnusable } from '../base/lib/unusable-file.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { Withheld } from './degradation.ts'
import type { MirroredEntry } from './mirrored-contracts.ts'

export interface MirrorContent {
  readonly set: AgreedSet
  /** A number that increases with each set that the mirror takes, also across restarts. */
  readonly generation: number
  /** The latest record time of names that the mirror served: milliseconds since 1970. */
  readonly reached: number
  readonly withheld: Withheld
}

export interface MirrorFileOptions {
  readonly file: string
  /** The configured network. A file of another network is not used. */
  readonly network: string
  readonly dso?: string | undefined
}

/**
 * The mirror file cannot be used, so the mirror continues in memory. The message is a sentence for
 * the operator of the daemon.
 */
export class UnusableMirrorFile extends Error {
  override readonly name = 'UnusableMirrorFile'
}

/**
 * The version of the file's format. A change of `AgreedSet`, `MirroredEntry` or `Withheld` must
 * raise it. The daemon then renames files of other versions instead of misreading them.
 */
const format = 3
const longestFile = 1_024 * 1_024 * 1_024
const longestHeader = 1_024 * 1_024
const entriesInLine = 500
/** Every mirror file begins with these characters. */
const beginning = '{"mirror":'
const newline = 0x0a

interface Header {
  readonly mirror: number
  readonly network: string
  readonly set: Omit<AgreedSet, 'entries'>
  readonly generation: number
  readonly reached: number
  readonly withheld: Withheld
}

/**
 * Keeps the mirror's names across restarts: a line of JSON with all but the entries, lines of up to
 * 500 entries, and a line with the SHA-256 of the lines before. The digest detects damage, but not
 * tampering. Each write makes a new file and renames it, so that after an error or a crash the old
 * content is whole.
 */
export class MirrorFile {
  readonly #options: MirrorFileOptions

  constructor(options: MirrorFileOptions) {
    this.#options = options
  }

  /**
   * Returns undefined if there is no file, but could be one. A damaged file, or one of another
   * format, is renamed.
   * @throws UnusableMirrorFile
   */
  load(): MirrorContent | undefined {
    const { file } = this.#options
    let bytes: Buffer
    try {
      bytes = readRegularFile(file, longestFile)
    } catch (error) {
      if (isMissing(error) && folderProblem(file) === undefined) return undefined
      throw this.#inaccessible(error)
    }
    if (bytes.length === 0) return undefined
    const header = this.#usable(bytes.subarray(0, endOfLine(bytes)))
    const entries = entriesIn(bytes)
    if (entries === undefined) throw this.#setAside('damaged', 'is damaged')
    const { set, generation, reached, withheld } = header
    return { set: { ...set, entries }, generation, reached, withheld }
  }

  /**
   * Replaces the content. Other work runs between the lines.
   * @throws UnusableMirrorFile also if the file has a later set of the same DSO.
   */
  async write({ set: { entries, ...set }, generation, reached, withheld }: MirrorContent): Promise<void> {
    const { file, network } = this.#options
    try {
      requireRegularFile(file)
      const kept = this.#keptHeader()
      if (kept?.set.dso === set.dso && kept.set.at > set.at)
        throw this.#refused(
          `has the names of ${timeText(kept.set.at)}, later than those of ${timeText(set.at)}`,
        )
      const header: Header = { mirror: format, network, set, generation, reached, withheld }
      await replaceFile(file, linesOf(header, entries), { temporary: `${file}.new` })
    } catch (error) {
      throw error instanceof UnusableMirrorFile ? error : this.#inaccessible(error)
    }
  }

  #keptHeader(): Header | undefined {
    try {
      const line = firstLineOf(this.#options.file)
      return line.length === 0 ? undefined : this.#usable(line)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** @throws UnusableMirrorFile if the header is not one of this network, DSO and format. */
  #usable(line: Buffer): Header {
    const { network, dso } = this.#options
    const header = headerIn(line)
    if (header === undefined)
      throw line.toString('latin1').startsWith(beginning)
        ? this.#setAside('damaged', 'is damaged')
        : this.#refused('belongs to another program')
    if (header.mirror !== format)
      throw this.#setAside(
        'other-format',
        `has the format ${header.mirror}, and this version reads ${format}`,
      )
    const correct = 'It stays as it is and is not used: correct the option, or name another mirror.file'
    if (header.network !== network)
      throw this.#refused(`is of the network ${header.network}, not ${network} (network). ${correct}`)
    if (dso !== undefined && header.set.dso !== dso)
      throw this.#refused(`is of the DSO ${header.set.dso}, not ${dso} (scanClient.dsoPartyId). ${correct}`)
    return header
  }

  #refused(what: string): UnusableMirrorFile {
    return new UnusableMirrorFile(`The mirror file ${this.#options.file} ${what}.`)
  }

  #setAside(ending: 'damaged' | 'other-format', what: string): UnusableMirrorFile {
    const { file } = this.#options
    const aside = `${file}.${ending}`
    try {
      renameSync(file, aside)
      return this.#refused(`${what}. It is now ${aside}, and the next snapshot goes into a new file`)
    } catch (error) {
      return this.#refused(`${what}. It cannot be renamed: ${whyUnusable(file, error)}`)
    }
  }

  #inaccessible(error: unknown): UnusableMirrorFile {
    const { file } = this.#options
    const why = error instanceof NotAFile ? `it is ${error.what}` : whyUnusable(file, error)
    return isDiskFull(error)
      ? new UnusableMirrorFile(`There is no room for the mirror file ${file}: ${why}.`)
      : this.#refused(`cannot be read or written: ${why}`)
  }
}

function* linesOf(header: Header, entries: readonly MirroredEntry[]): Generator<string> {
  const hash = createHash('sha256')
  const hashed = (value: unknown): string => {
    const line = `${JSON.stringify(value)}\n`
    hash.update(line)
    return line
  }
  yield hashed(header)
  for (let at = 0; at < entries.length; at += entriesInLine)
    yield hashed(entries.slice(at, at + entriesInLine).map(rowOf))
  yield `"${hash.digest('base64url')}"\n`
}

function headerIn(line: Buffer): Header | undefined {
  try {
    const header = JSON.parse(line.toString()) as Header | null
    const isWhole = header?.mirror !== format || header.set !== undefined
    return typeof header?.mirror === 'number' && isWhole ? header : undefined
  } catch {
    return undefined
  }
}

/** Undefined if the bytes are not those that were written. */
function entriesIn(bytes: Buffer): readonly MirroredEntry[] | undefined {
  const lastLine = bytes.lastIndexOf(newline, bytes.length - 2) + 1
  if (bytes.toString('latin1', lastLine) !== `"${digest(bytes.subarray(0, lastLine))}"\n`) return undefined
  const entries: MirroredEntry[] = []
  for (let at = endOfLine(bytes) + 1; at < lastLine; ) {
    const end = bytes.indexOf(newline, at)
    for (const row of JSON.parse(bytes.toString('utf8', at, end)) as FileRow[]) entries.push(entryOf(row))
    at = end + 1
  }
  return entries
}

/** A row has no names of fields, which would be a third of the bytes. */
type FileRow = readonly [string, string, string, string, string, string]

function rowOf({ contract_id, user, name, url, description, expires_at }: MirroredEntry): FileRow {
  return [contract_id, user, name, url, description, expires_at]
}

function entryOf([contract_id, user, name, url, description, expires_at]: FileRow): MirroredEntry {
  return { contract_id, user, name, url, description, expires_at }
}

function firstLineOf(file: string): Buffer {
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const bytes = Buffer.alloc(longestHeader)
    const read = bytes.subarray(0, readSync(opened, bytes))
    return read.subarray(0, endOfLine(read))
  } finally {
    closeSync(opened)
  }
}

function endOfLine(bytes: Buffer): number {
  const end = bytes.indexOf(newline)
  return end === -1 ? bytes.length : end
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
