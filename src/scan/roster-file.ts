import { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import { replaceFile } from '../lib/own-file.ts'
import { NotAFile, readRegularFile } from '../lib/regular-file.ts'
import { folderProblem, whyUnusable } from '../lib/unusable-file.ts'
import type { Events } from '../telemetry/events.ts'
import type { RosterSet } from './roster.ts'

const schema = z.strictObject({
  version: z.literal(1),
  network: z.string(),
  agreedAt: z.iso.datetime(),
  dso: z.string(),
  synchronizer: z.string(),
  members: z.array(z.strictObject({ name: z.string(), urls: z.array(z.string()) })),
})

export interface RosterFileOptions {
  readonly path: string
  readonly network: string
  readonly dso: string | undefined
  readonly maxAgeMs: number
}

type RosterFileContent =
  | { readonly kind: 'kept'; readonly set: RosterSet; readonly agreedAt: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly why: string }

/**
 * Reads the stored roster. The result is `unusable` unless the roster is of the configured network
 * and DSO, less than `maxAgeMs` old, and not from the future (quorum.md#the-roster-file).
 */
export function readRosterFile(options: RosterFileOptions, wall: number): RosterFileContent {
  const unusable = (why: string): RosterFileContent => ({ kind: 'unusable', why })
  let text: string
  try {
    text = readRegularFile(options.path, longestFile).toString()
  } catch (error) {
    if (error instanceof NotAFile) return unusable(`it is ${error.what}`)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { kind: 'none' } : unusable(String(error))
  }
  const parsed = tryParse(text)
  if (parsed === undefined) return unusable('it is not a roster')
  const agreedAt = Date.parse(parsed.agreedAt)
  if (parsed.network !== options.network) return unusable(`it is of the network ${parsed.network}`)
  if (options.dso !== undefined && parsed.dso !== options.dso) return unusable('it is of another DSO')
  if (!(agreedAt <= wall && wall - agreedAt < options.maxAgeMs))
    return unusable(`it is of ${parsed.agreedAt}`)
  const { dso, synchronizer, members } = parsed
  return { kind: 'kept', set: { dso, synchronizer, members }, agreedAt }
}

const longestFile = 4 * 1024 * 1024

async function writeRosterFile(options: RosterFileOptions, set: RosterSet, wall: number): Promise<void> {
  const text = JSON.stringify(
    { version: 1, network: options.network, agreedAt: new Date(wall).toISOString(), ...set },
    null,
    2,
  )
  await replaceFile(options.path, [`${text}\n`])
}

function tryParse(text: string): z.infer<typeof schema> | undefined {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

export interface KeptRosterDeps {
  readonly clock: Clock
  readonly events: Pick<Events, 'rosterFileFailed'>
}

/**
 * Keeps the agreed roster in a file for the next start of the daemon. A failure is only reported,
 * because the daemon can do without the file.
 */
export class KeptRoster {
  readonly #file: RosterFileOptions | undefined
  readonly #deps: KeptRosterDeps

  constructor(file: RosterFileOptions | undefined, deps: KeptRosterDeps) {
    this.#file = file
    this.#deps = deps
  }

  /**
   * Reads the roster from the file; the result is undefined if the file has no usable roster. Also
   * reports a file that the daemon cannot write, so that operators learn of the problem before the
   * first `write`.
   */
  async read(): Promise<{ readonly set: RosterSet; readonly ageMs: number } | undefined> {
    const file = this.#file
    if (file === undefined) return undefined
    const { clock, events } = this.#deps
    const problem = folderProblem(file.path)
    if (problem !== undefined) this.#notWritten(file, problem)
    const kept = readRosterFile(file, clock.wall())
    if (kept.kind === 'unusable') events.rosterFileFailed('not-used', `${file.path} is not used: ${kept.why}`)
    return kept.kind === 'kept' ? { set: kept.set, ageMs: clock.wall() - kept.agreedAt } : undefined
  }

  async write(set: RosterSet): Promise<void> {
    const file = this.#file
    if (file === undefined) return
    try {
      await writeRosterFile(file, set, this.#deps.clock.wall())
    } catch (error) {
      this.#notWritten(file, whyUnusable(file.path, error))
    }
  }

  #notWritten({ path }: RosterFileOptions, why: string): void {
    this.#deps.events.rosterFileFailed('not-written', `${path} cannot be written: ${why}`)
  }
}
