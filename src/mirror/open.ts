import type { Config } from '../base/config/resolve.ts'
import { momentOf } from '../base/lib/clock.ts'
import type { Base } from '../base/telemetry/open.ts'
import type { ReadPath } from '../core/scan/open.ts'
import { ChangeFeed } from './change-feed.ts'
import { ChangeStreams } from './change-streams.ts'
import { Mirror } from './mirror.ts'
import { MirrorFile } from './mirror-file.ts'
import { mirrorStatus } from './mirror-status.ts'
import { MirrorUpkeep } from './mirror-upkeep.ts'
import { StreamLevel } from './stream-level.ts'

export interface OpenMirrorDeps extends Pick<Base, 'clock' | 'realClock' | 'random' | 'events' | 'metrics'> {
  readonly scan: ReadPath
}

export type OpenMirror = Awaited<ReturnType<typeof openMirror>>

/** From now on, the mirror answers what it can. No scan is asked before `start`. */
export async function openMirror(
  config: Pick<Config, 'network' | 'mirror' | 'scanClient' | 'evidence'>,
  { clock, realClock: askClock, random, events, metrics, scan }: OpenMirrorDeps,
) {
  const { maxEntries, file, level, maxLagMs } = config.mirror
  const { discovery, evidence, invalidations, reader } = scan
  const telemetry = events.mirror
  const roster = () => discovery.roster
  const feed = new ChangeFeed()
  const following = { clock, roster, feed, invalidations, telemetry }
  const state = level === 'stream' ? new StreamLevel(maxLagMs, following) : undefined
  const { network, scanClient } = config
  const kept = file === undefined ? undefined : new MirrorFile({ file, network, dso: scanClient.dsoPartyId })

  await using opened = new AsyncDisposableStack()
  const mirror = opened.use(
    new Mirror(
      { maxEntries, times: scan.lifetimes, keepsQuestions: config.evidence.questions },
      { clock, keptIn: kept, roster, file: (found) => evidence.add(found), telemetry, state },
    ),
  )
  mirror.load()
  metrics.mirror_as_of_timestamp_seconds.readFrom(() => mirror.servedAt && mirror.servedAt / 1000)
  metrics.mirror_entries.readFrom(() => (mirror.servedAt && mirror.taken?.names.index.size) ?? 0)
  metrics.mirror_package_known.readFrom(() => (mirror.degradation?.kind === 'package' ? 0 : 1))
  const upkeep = opened.use(new MirrorUpkeep(mirror, config, { ...scan, clock, askClock, random, telemetry }))
  const status = () => mirrorStatus(mirror, upkeep.facts, momentOf(clock))
  const paused = () => status().degradedBecause ?? undefined
  const changes = opened.use(new ChangeStreams({ clock: askClock, feed, paused }))
  reader.answerFrom(mirror)
  const held = opened.move()
  return {
    reads: mirror,
    status,
    /** Undefined at level `bindings`, which does not follow updates. */
    changes: state && changes,
    /** The owner must start discovery before. */
    start: () => upkeep.start(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
