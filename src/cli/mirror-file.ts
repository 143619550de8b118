import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import { systemClock } from '../lib/clock.ts'
import type { MirrorFileContent } from '../mirror/read-mirror-file.ts'
import { compareCodePoints } from '../reads/code-points.ts'
import { agreedBy } from './ask.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printJson, tellConfig } from './print.ts'
import { columns } from './table.ts'

interface GivenFile {
  readonly file: string | undefined
}

/**
 * After this many lines, the command waits until standard output has written them, so that
 * unwritten lines do not fill the memory.
 */
const linesAtOnce = 500

export async function mirrorVerify(
  { file, json }: GivenFile & { readonly json: boolean },
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  return reading(file, print, options, async (path, found) => {
    if (json) printJson(print, reportOf(path, found))
    else for (const line of shown(path, found)) print.out(line)
    return exitCodes.ok
  })
}

/**
 * Prints the entries of a mirror's file, one JSON object per line. The field `withheld` marks
 * entries that the mirror does not serve.
 */
export async function mirrorExport(
  { file }: GivenFile,
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  return reading(file, print, options, async (path, found) => {
    for (const line of withheldLines(found)) print.err(`warning: ${path}: ${line}`)
    for (const [index, entry] of entriesOf(found).entries()) {
      if (print.unread?.aborted) break
      printJson(print, entry)
      if ((index + 1) % linesAtOnce === 0) await print.written?.()
    }
    await print.written?.()
    return exitCodes.ok
  })
}

async function reading(
  given: string | undefined,
  print: Print,
  options: LoadConfigOptions,
  work: (path: string, found: MirrorFileContent) => Promise<number>,
): Promise<number> {
  const meant = given === undefined ? configured(print, options) : { path: given }
  if (typeof meant === 'number') return meant
  const { readMirrorFile } = await import('../mirror/read-mirror-file.ts')
  const { UnusableMirrorFile } = await import('../mirror/store.ts')
  try {
    const found = await readMirrorFile(meant.path, systemClock)
    const problem = otherNetwork(meant, found)
    if (problem === undefined) return await work(meant.path, found)
    print.err(problem)
  } catch (error) {
    if (!(error instanceof UnusableMirrorFile)) throw error
    print.err(error.message)
  }
  return exitCodes.failed
}

interface MeantFile {
  readonly path: string
  /**
   * The network to which the file must belong. A file that the command line names may belong to any
   * network.
   */
  readonly network?: string
  readonly dso?: string | undefined
}

function configured(print: Print, options: LoadConfigOptions): MeantFile | number {
  const loaded = loadConfig(options)
  if (!loaded.ok) {
    tellConfig(print, loaded)
    return exitCodes.badConfig
  }
  const { mirror, network, scanClient } = loaded.config
  if (mirror.file !== undefined) return { path: mirror.file, network, dso: scanClient.dsoPartyId }
  return misused(print, 'mirror.file is not set, so --file must be given')
}

function otherNetwork(meant: MeantFile, { network, content }: MirrorFileContent): string | undefined {
  const name = `The mirror file ${meant.path}`
  if (meant.network !== undefined && network !== meant.network)
    return `${name} is of the network ${network}, not ${meant.network}.`
  if (meant.dso !== undefined && content !== undefined && content.set.dso !== meant.dso)
    return `${name} is of the DSO ${content.set.dso}, not ${meant.dso}.`
  return undefined
}

function reportOf(file: string, { network, content, stopped }: MirrorFileContent) {
  if (content === undefined) return { kind: 'empty', file, network } as const
  const { set, generation, overlay, withheld } = content
  const { at, migrationId, digest, entries, agreement, dso } = set
  return {
    kind: 'whole',
    file,
    network,
    dso,
    asOf: new Date(at).toISOString(),
    generation,
    migrationId,
    entries: entries.length,
    overlay: overlay.length,
    stopped: stopped ?? null,
    withheldNames: withheld.live.map(([name]) => name),
    digest,
    agreement,
  } as const
}

function* shown(file: string, found: MirrorFileContent): Iterable<string> {
  const report = reportOf(file, found)
  if (report.kind === 'empty') {
    yield `${file} is whole, and has no names yet.`
    return
  }
  const { asOf, entries, overlay, generation, migrationId, digest, network, dso, agreement } = report
  yield `${file} is whole: ${entries} names as of ${asOf}, and ${overlay} that live reads added.`
  yield* withheldLines(found)
  yield* columns([
    ['generation', `${generation}`],
    ['migration', `${migrationId}`],
    ['network', network],
    ['DSO', dso],
    ['digest', digest],
  ])
  yield agreedBy(agreement)
}

function* withheldLines({ content, stopped }: MirrorFileContent): Iterable<string> {
  const names = content?.withheld.live.length ?? 0
  if (stopped !== undefined) yield `STOPPED: the mirror serves none of these names. ${stopped.why}`
  if (names > 0) yield `names that only live reads answer until the next snapshot: ${names}`
}

/** An entry from a live read replaces the snapshot's entries of the same name. */
function entriesOf({ content, stopped }: MirrorFileContent) {
  if (content === undefined) return []
  const { set, overlay, withheld } = content
  const added = new Set(overlay.map(({ entry }) => entry.name))
  const kept = set.entries.filter(({ name }) => !added.has(name))
  const live = new Set(withheld.live.map(([name]) => name))
  return [...kept, ...overlay.map(({ entry }) => entry)]
    .toSorted((a, b) => compareCodePoints(a.name, b.name) || compareCodePoints(a.contract_id, b.contract_id))
    .map((entry) => (stopped !== undefined || live.has(entry.name) ? { ...entry, withheld: true } : entry))
}
