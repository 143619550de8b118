import { type MirrorFacts, type MirrorUpkeepDeps, startUpkeep } from './compose-mirror-upkeep.ts'
import type { Config } from './config/resolve.ts'
import { momentOf } from './lib/clock.ts'
import { ChangeFeed } from './mirror/change-feed.ts'
import { ChangeStreams } from './mirror/change-streams.ts'
import { sentenceOf } from './mirror/degradation.ts'
import { Mirror } from './mirror/mirror.ts'
import type { MirrorEvents, MirrorOptions } from './mirror/mirror-deps.ts'
import { MirrorFile } from './mirror/mirror-file.ts'
import { type MirrorStatus, mirrorStatus } from './mirror/mirror-status.ts'
import { StreamLevel, streamSentence } from './mirror/stream-level.ts'
import type { MirroredReads } from './scan/mirrored-reads.ts'
import type { Reader } from './scan/reader.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { MirrorTelemetry } from './telemetry/mirror-events.ts'

export type MirrorConfig = Pick<Config, 'network' | 'mirror' | 'scanClient' | 'evidence'>

export interface ComposeMirrorDeps extends MirrorUpkeepDeps {
  readonly metrics: Metrics
  /**
   * True if a name has just changed, so that the mirror must not answer that the name does not
   * exist.
   */
  readonly withholdsAbsence: (key: string) => boolean
  readonly times: MirrorOptions['times']
}

export interface ComposedMirror extends AsyncDisposable {
  readonly reads: MirroredReads
  readonly status: () => MirrorStatus
  readonly changes: ChangeStreams | undefined
  start(reader: Reader): void
}

/** No scan is asked before `start`. */
export async function composeMirror(config: MirrorConfig, deps: ComposeMirrorDeps): Promise<ComposedMirror> {
  const { clock, discovery, evidence, telemetry, metrics } = deps
  await using opened = new AsyncDisposableStack()
  const { maxEntries, file } = config.mirror
  const options = { maxEntries, times: deps.times, keepsQuestions: config.evidence.questions }
  const feed = new ChangeFeed()
  const changes = opened.use(
    new ChangeStreams({ clock: deps.askClock, feed, paused: () => status().degradedBecause ?? undefined }),
  )
  const state = stateLevel(config, deps, { feed, changes })
  const mirror = new Mirror(options, {
    clock,
    keptIn:
      file === undefined
        ? undefined
        : new MirrorFile({ file, network: config.network, dso: config.scanClient.dsoPartyId }),
    roster: () => discovery.roster,
    file: (found) => evidence.add(found),
    events: { ...mirrorEvents(telemetry, { feed, changes }), ...storeEvents(telemetry) },
    state,
  })
  opened.use(mirror)
  mirror.load()
  metrics.mirror_as_of_timestamp_seconds.readFrom(() => servedAt(mirror))
  metrics.mirror_entries.readFrom(() =>
    servedAt(mirror) === undefined ? 0 : (mirror.taken?.names.index.size ?? 0),
  )
  metrics.mirror_package_known.readFrom(() => (mirror.degradation?.kind === 'package' ? 0 : 1))
  const running = opened.use(new AsyncDisposableStack())
  const facts: MirrorFacts = { receivedBytes: 0, reconciled: null, lastDrainFailedBecause: undefined }
  let nextAt = () => clock.wall()
  const status = () => mirrorStatus(mirror, { ...facts, nextAt: nextAt() }, momentOf(clock))
  const held = opened.move()
  return {
    reads: mirror,
    status,
    changes: state && changes,
    start(reader) {
      const schedule = running.use(startUpkeep({ mirror, facts, reader }, config, deps))
      nextAt = () => schedule.nextAt
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

interface FedReaders {
  readonly feed: ChangeFeed
  readonly changes: ChangeStreams
}

/**
 * At level `bindings`, the mirror does not follow updates, and answers only lookups of names that
 * exist.
 */
function stateLevel(
  { mirror: { level, maxLagMs } }: MirrorConfig,
  { clock, discovery, telemetry, withholdsAbsence }: ComposeMirrorDeps,
  { feed, changes }: FedReaders,
): StreamLevel | undefined {
  if (level !== 'stream') return undefined
  const { followed, unfollowed } = telemetry
  return new StreamLevel(maxLagMs, {
    clock,
    roster: () => discovery.roster,
    feed,
    withholdsAbsence,
    followed,
    unfollowed: (why) => {
      unfollowed(streamSentence(why))
      changes.interrupt(streamSentence(why))
    },
  })
}

/**
 * Returns the record time of what the mirror serves, in seconds since 1970; undefined while it
 * serves nothing.
 */
function servedAt({ degradation, asOf }: Mirror): number | undefined {
  return degradation === undefined && asOf !== undefined ? asOf / 1000 : undefined
}

type StoreEvents = Pick<MirrorEvents, 'storeFailed' | 'storeWorks'>

function storeEvents(telemetry: MirrorTelemetry): StoreEvents {
  return {
    storeFailed: (error) => telemetry.storeFailed(error instanceof Error ? error.message : String(error)),
    storeWorks: telemetry.storeWorks,
  }
}

function mirrorEvents(
  telemetry: MirrorTelemetry,
  { feed, changes }: FedReaders,
): Omit<MirrorEvents, keyof StoreEvents> {
  return {
    answered: telemetry.answered,
    taken: ({ at, digest, agreement, entries }, generation) =>
      telemetry.taken({
        asOf: new Date(at).toISOString(),
        entries: entries.length,
        digest,
        agreed: agreement.agreed,
        generation,
      }),
    degraded: (why) => {
      telemetry.degraded(sentenceOf(why))
      if (why.kind === 'unreconciled') feed.forget()
      changes.interrupt(sentenceOf(why))
    },
    restored: telemetry.restored,
    contradicted: telemetry.withdrawn,
  }
}
