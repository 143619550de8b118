import { z } from 'zod'
import type { Config } from '../../base/config/resolve.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { replaceFile } from '../../base/lib/own-file.ts'
import { NotAFile, readRegularFile } from '../../base/lib/regular-file.ts'
import { folderProblem, whyUnusable } from '../../base/lib/unusable-file.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Membership } from './membership.ts'

const schema = z.strictObject({
  version: z.literal(1),
  network: z.string(),
  agreedAt: z.iso.datetime(),
  dso: z.string(),
  synchronizer: z.string(),
  members: z.array(z.strictObject({ name: z.string(), urls: z.array(z.string()) })),
})

const longestFile = 4 * 1024 * 1024

interface RosterFileOptions {
  readonly network: string
  readonly scanClient: Pick<Config['scanClient'], 'rosterFile' | 'dsoPartyId' | 'rosterMaxAgeMs'>
}

type RosterFileContent =
  | { readonly kind: 'kept'; readonly membership: Membership; readonly agreedAt: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly why: string }

/**
 * Reads the stored membership. The result is `unusable` unless it is of the configured network and
 * DSO, less than `rosterMaxAge` old, and not from the future (quorum.md#the-roster-file).
 */
export function readRosterFile(
  { network, scanClient: { rosterFile, dsoPartyId, rosterMaxAgeMs } }: RosterFileOptions,
  wall: number,
): RosterFileContent {
  if (rosterFile === undefined) return { kind: 'none' }
  const unusable = (why: string): RosterFileContent => ({ kind: 'unusable', why })
  let text: string
  try {
    text = readRegularFile(rosterFile, longestFile).toString()
  } catch (error) {
    if (error instanceof NotAFile) return unusable(`it is ${error.what}`)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { kind: 'none' } : unusable(String(error))
  }
  const parsed = tryParse(text)
  if (parsed === undefined) return unusable('it is not a roster')
  const agreedAt = Date.parse(parsed.agreedAt)
  if (parsed.network !== network) return unusable(`it is of the network ${parsed.network}`)
  if (dsoPartyId !== undefined && parsed.dso !== dsoPartyId) return unusable('it is of another DSO')
  if (!(agreedAt <= wall && wall - agreedAt < rosterMaxAgeMs)) return unusable(`it is of ${parsed.agreedAt}`)
  const { dso, synchronizer, members } = parsed
  return { kind: 'kept', membership: { dso, synchronizer, members }, agreedAt }
}

function tryParse(text: string): z.infer<typeof schema> | undefined {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

interface RosterFileDeps {
  readonly clock: Clock
  readonly events: Pick<Events, 'rosterFileFailed'>
}

/**
 * Reads the stored membership at the start of the daemon. Reports a file that is not usable, and
 * one that the daemon cannot write, so that operators learn of the problem before the first write.
 */
export function keptMembership(options: RosterFileOptions, { clock, events }: RosterFileDeps) {
  const { rosterFile: path } = options.scanClient
  const problem = path === undefined ? undefined : folderProblem(path)
  if (problem !== undefined) events.rosterFileFailed('not-written', `${path} cannot be written: ${problem}`)
  const wall = clock.wall()
  const kept = readRosterFile(options, wall)
  if (kept.kind === 'unusable') events.rosterFileFailed('not-used', `${path} is not used: ${kept.why}`)
  return kept.kind === 'kept' ? { membership: kept.membership, ageMs: wall - kept.agreedAt } : undefined
}

/** Stores an agreed membership. A failure is only reported: the daemon can do without the file. */
export async function keepMembership(
  { network, scanClient: { rosterFile: path } }: RosterFileOptions,
  membership: Membership,
  { clock, events }: RosterFileDeps,
): Promise<void> {
  if (path === undefined) return
  const agreedAt = new Date(clock.wall()).toISOString()
  try {
    const text = JSON.stringify({ version: 1, network, agreedAt, ...membership }, null, 2)
    await replaceFile(path, [`${text}\n`])
  } catch (error) {
    events.rosterFileFailed('not-written', `${path} cannot be written: ${whyUnusable(path, error)}`)
  }
}
