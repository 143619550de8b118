import { setImmediate } from 'node:timers/promises'
import { digest } from '../../src/base/lib/digest.ts'
import { wholeWork } from '../../src/base/lib/in-portions.ts'
import type { Agreement } from '../../src/core/cache/agreement.ts'
import type { Answer } from '../../src/core/cache/answer.ts'
import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../../src/core/reads/ans.ts'
import type { Question } from '../../src/core/reads/read.ts'
import type { Case } from '../../src/core/scan/evidence-log.ts'
import { Roster, type Trust } from '../../src/core/scan/roster.ts'
import type { AgreedSet } from '../../src/mirror/agreed-set.ts'
import { ChangeFeed } from '../../src/mirror/change-feed.ts'
import type { DrainOutcome } from '../../src/mirror/drain-outcome.ts'
import type { DrainReport } from '../../src/mirror/drain-report.ts'
import { Drains } from '../../src/mirror/drains.ts'
import { Mirror } from '../../src/mirror/mirror.ts'
import type { MirrorOptions, UpkeepDeps } from '../../src/mirror/mirror-deps.ts'
import type { MirrorContent, MirrorFile } from '../../src/mirror/mirror-file.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import { StreamLevel } from '../../src/mirror/stream-level.ts'
import { configOf, remote } from '../config/config.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'
import { silentEvents } from '../telemetry/silent-events.ts'

export const hourMs = 3_600_000
/** The instant of the first set, which is on the grid. Also the time at which a `ManualClock` starts. */
export const t0 = Date.UTC(2026, 0, 1)
export const dso = `DSO::1220${'aa'.repeat(32)}`

export function party(hint: string): string {
  return `${hint}::1220${'bb'.repeat(32)}`
}

let contracts = 0

export function entryOf(name: string, more: Partial<MirroredEntry> = {}): MirroredEntry {
  return {
    contract_id: `00${String(++contracts).padStart(8, '0')}`,
    user: party('alice'),
    name,
    url: 'https://alice.example',
    description: 'Alice',
    expires_at: '2026-04-01T00:00:00Z',
    ...more,
  }
}

export function agreementOf(agreed: readonly string[], voters = 4): Agreement {
  return { agreed, threshold: 2, asked: agreed.length, voters, complete: true, protected: true }
}

export function setOf(entries: readonly MirroredEntry[], more: Partial<AgreedSet> = {}): AgreedSet {
  return {
    at: t0,
    migrationId: 0,
    digest: digest(JSON.stringify(entries)),
    entries,
    agreement: agreementOf(['sv-1', 'sv-2']),
    trustDigest: rosterOf(['sv-1', 'sv-2', 'sv-3', 'sv-4']).trustDigest,
    dso,
    members: [],
    ...more,
  }
}

export function rosterOf(
  names: readonly string[],
  trust: Partial<Trust> = {},
  urls: Readonly<Record<string, string>> = {},
): Roster {
  const members = names.map((name) => ({ name, urls: [urls[name] ?? `https://${name}.example`] }))
  return new Roster(
    { dso, synchronizer: 'global', members },
    { scanType: 'bft', svNames: [], threshold: 'f+1', thresholds: {}, operators: {}, ...trust },
  )
}

export function byName(name: string): Question {
  return { read: lookupAnsEntryByName, params: { name } }
}

export function liveValue(entry: MirroredEntry, agreed = ['sv-3', 'sv-4']): Answer {
  const { contract_id, user, name, url, description, expires_at } = entry
  const body = Buffer.from(
    JSON.stringify({ entry: { contract_id, user, name, url, description, expires_at } }),
  )
  const endsAt = Date.parse(expires_at)
  return { kind: 'value', status: 200, body, digest: digest(body), agreement: agreementOf(agreed), endsAt }
}

export function liveAbsence(name: string): Answer {
  const body = Buffer.from(JSON.stringify({ error: `No ans entry found for name: ${name}` }))
  const agreement = agreementOf(['sv-3', 'sv-4'])
  return { kind: 'absence', status: 404, body, digest: digest(body), agreement }
}

export interface Mirrored {
  readonly mirror: Mirror
  readonly clock: ManualClock
  readonly feed: ChangeFeed
  readonly evidence: Case[]
  readonly told: string[]
  use(roster: Roster | undefined): void
  find(name: string, notBefore?: number): MirroredEntry | undefined
}

/** Keeps the content of a mirror as its file does. */
export class Kept {
  content: MirrorContent | undefined
  refuses = false

  load(): MirrorContent | undefined {
    return this.content
  }

  async write(content: MirrorContent): Promise<void> {
    if (this.refuses) throw new Error('the disk is full')
    this.content = content
  }
}

/** Resolves when a mirror has written what it wants to keep. */
export function written(): Promise<void> {
  return setImmediate()
}

/** Gives a set to the mirror, in one turn of the event loop. */
export function take(mirror: Mirror, ...given: Parameters<Mirror['take']>) {
  return wholeWork(mirror.take(...given))
}

export function mirrored(
  options: Partial<MirrorOptions> = {},
  {
    kept,
    clock = new ManualClock(),
    level = 'bindings',
    withholdsAbsence = () => false,
    knowsHead = true,
  }: {
    kept?: Pick<MirrorFile, 'load' | 'write'>
    clock?: ManualClock
    level?: 'bindings' | 'stream'
    withholdsAbsence?: () => boolean
    knowsHead?: boolean
  } = {},
): Mirrored {
  const feed = new ChangeFeed()
  const evidence: Case[] = []
  const told: Mirrored['told'] = []
  let roster: Roster | undefined = rosterOf(['sv-1', 'sv-2', 'sv-3', 'sv-4'])
  const lifetime = { freshMs: 30_000, staleMs: 300_000 }
  const times = Object.fromEntries(
    [lookupAnsEntryByName, lookupAnsEntryByParty, listAnsEntries].map(({ id }) => [
      id,
      { value: lifetime, absence: { freshMs: 5_000, staleMs: 5_000 } },
    ]),
  )
  const state = new StreamLevel(60_000, {
    clock,
    roster: () => roster,
    invalidations: { withholdsAbsence },
    feed,
    telemetry: { followed: () => told.push('followed'), unfollowed: (why) => told.push(why) },
  })
  const mirror = new Mirror(
    { maxEntries: 1_000, times, keepsQuestions: true, ...options },
    {
      clock,
      keptIn: kept,
      roster: () => roster,
      file: (found) => evidence.push(found),
      telemetry: {
        ...silentEvents.mirror,
        degraded: () => told.push(mirror.degradation?.kind ?? ''),
        restored: () => told.push('restored'),
        storeFailed: () => told.push('store failed'),
      },
      state: level === 'stream' ? state : undefined,
    },
  )
  if (knowsHead) mirror.learnHead(Number.NEGATIVE_INFINITY, ago(clock), ago(clock))
  return {
    mirror,
    clock,
    feed,
    evidence,
    told,
    use: (next) => {
      roster = next
    },
    find(name, notBefore) {
      const served = mirror.find(byName(name), undefined, notBefore)
      return served && JSON.parse(served.answer.body.toString()).entry
    },
  }
}

/** Gives a mirror what a drain came to. Resolves to the outcome, with the reason if there is one. */
export async function judged(
  { mirror, clock, evidence }: Mirrored,
  outcome: DrainOutcome,
  at: number,
): Promise<string> {
  let ended = ''
  const drained = (what: string, { why }: { readonly why?: string | undefined }) => {
    ended = why === undefined ? what : `${what}: ${why}`
  }
  const deps = {
    clock,
    connections: undefined,
    evidence: { add: (found: Case) => evidence.push(found) },
    telemetry: { ...silentEvents.mirror, drained },
  } as unknown as UpkeepDeps
  await new Drains(mirror, configOf(remote), deps).judge(outcome, at)
  return ended
}

/** The outcome of a drain that agreed on these entries. */
export function drainedSet(entries: readonly MirroredEntry[], more: Partial<AgreedSet>): DrainOutcome {
  return { kind: 'agreed', set: setOf(entries, more), report: {} as DrainReport, evidence: undefined }
}
