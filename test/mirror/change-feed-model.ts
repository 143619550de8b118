import { expect } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { type FedChange, isLaterPlace, placeIn, placeText } from '../../src/mirror/change-feed.ts'
import { gridAt } from '../../src/mirror/snapshot-grid.ts'
import type { MirroredEntry } from '../../src/reads/mirrored-entry.ts'
import { ago } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import { agreementOf, hourMs, Kept, mirrored, party, setOf, take, written } from './mirrored.ts'
import { pick } from './random.ts'

const names = Array.from({ length: 30 }, (_, id) => `name-${id}.unverified.cns`)
const users = Array.from({ length: 5 }, (_, id) => party(`user-${id}`))

export interface FeedPlayed {
  changes: number
  resumed: number
  /**
   * How often a reader loaded all names again, because the feed no longer had the changes after the reader's last
   * event.
   */
  anew: number
  restarts: number
  /**
   * How often a newer snapshot replaced the mirror's state, because the mirror had not followed the updates up to that
   * snapshot.
   */
  jumps: number
}

class NameKeeper {
  readonly names: Map<string, MirroredEntry>
  /** The id of the last event that the reader got. */
  id: string

  constructor(entries: readonly MirroredEntry[], id: string) {
    this.names = new Map(entries.map((entry) => [entry.contract_id, entry]))
    this.id = id
  }

  hear({ kind, entry, was, place }: FedChange): void {
    const gone = kind === 'created' ? undefined : (was ?? entry)
    if (gone !== undefined) expect(this.names.delete(gone.contract_id)).toBe(true)
    if (kind === 'created' || kind === 'renewed') {
      expect(this.names.has(entry.contract_id)).toBe(false)
      this.names.set(entry.contract_id, entry)
    }
    this.id = placeText(place)
  }
}

/**
 * Plays random operations on a ledger that a mirror follows. Readers of the feed stop and resume after any event. A
 * reader that has read all changes must have the same names as the mirror.
 */
export async function playFeed(seed: number, operations: number): Promise<FeedPlayed> {
  const random = seededRandom(seed)
  const kept = new Kept()
  const ledger = new LedgerModel([])
  const played: FeedPlayed = { changes: 0, resumed: 0, anew: 0, restarts: 0, jumps: 0 }
  let stage = mirrored({}, { level: 'stream', kept })
  const { clock } = stage
  take(stage.mirror, setOf([], { at: gridAt(clock.wall()) }))
  const keepers = Array.from({ length: 5 }, () => reload())
  for (let operation = 0; operation < operations; operation++) {
    clock.advance(1)
    await operate(random(), clock.wall())
  }
  for (const [index] of keepers.entries()) read(index, 1_000_000)
  return played

  async function operate(chance: number, at: number): Promise<void> {
    const life = { lifeMs: Math.ceil(random() * 20 * hourMs), user: pick(random, users) }
    if (chance < 0.3) ledger.write(pick(random, names), at, life)
    else if (chance < 0.35) ledger.sweep(at)
    else if (chance < 0.4) ledger.pass(at)
    else if (chance < 0.45) clock.advance(Math.floor(random() * hourMs))
    else if (chance < 0.65) follow(1 + Math.floor(random() * 8))
    else if (chance < 0.68) drain()
    else if (chance < 0.69) await restart()
    else read(Math.floor(random() * keepers.length), Math.ceil(random() * 4))
  }

  function follow(size: number): void {
    const at = Date.parse(stage.mirror.state?.following?.cursor.at ?? '')
    const items = ledger.after(at, size)
    const agreement = agreementOf(['sv-2', 'sv-4'])
    stage.mirror.follow({ items, agreement, isFull: items.length === size, askedAt: ago(clock) })
  }

  function drain(): void {
    const at = gridAt(clock.wall())
    if (at === stage.mirror.set?.at) return
    const before = stage.mirror.state?.following
    expect(take(stage.mirror, setOf(ledger.before(at), { at }))).toBe('taken')
    if (before !== stage.mirror.state?.following) played.jumps++
  }

  async function restart(): Promise<void> {
    await written()
    stage = mirrored({}, { level: 'stream', kept, clock })
    stage.mirror.load()
    played.restarts++
  }

  function reload(): NameKeeper {
    const { end } = stage.feed
    if (end === undefined) throw new Error('the feed has an end')
    return new NameKeeper(stage.mirror.state?.following?.index.entries() ?? [], placeText(end))
  }

  function read(index: number, most: number): void {
    const keeper = keepers[index] as NameKeeper
    const place = placeIn(keeper.id)
    const changes = place && stage.feed.after(place, most)
    if (place === undefined || changes === undefined) {
      played.anew++
      keepers[index] = reload()
      return
    }
    for (const change of changes) keeper.hear(change)
    played.changes += changes.length
    played.resumed++
    const isFurther = isLaterPlace(place, stage.feed.end ?? place)
    if (changes.length < most && !isFurther)
      expect(sorted(keeper.names.values())).toEqual(sorted(mirroredNow()))
  }

  function mirroredNow(): readonly MirroredEntry[] {
    return stage.mirror.state?.following?.index.entries() ?? []
  }
}

function sorted(entries: Iterable<MirroredEntry>): readonly MirroredEntry[] {
  return [...entries].sort((a, b) => (a.contract_id < b.contract_id ? -1 : 1))
}
