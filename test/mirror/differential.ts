import { expect } from 'vitest'
import { type Random, seededRandom } from '../../src/lib/random.ts'
import { continuityOf, isContinuous } from '../../src/mirror/continuity.ts'
import { gridAt } from '../../src/mirror/snapshot-grid.ts'
import type { MirroredEntry } from '../../src/reads/mirrored-entry.ts'
import { byName, entryOf, hourMs, liveAbsence, liveValue, mirrored, party, setOf, take } from './mirrored.ts'

const names = Array.from({ length: 40 }, (_, id) => `name-${id}.unverified.cns`)

class Ledger {
  readonly #contracts: { readonly entry: MirroredEntry; readonly from: number; until: number }[] = []

  active(name: string, at: number): MirroredEntry | undefined {
    const held = this.snapshot(at).find((entry) => entry.name === name)
    return held !== undefined && Date.parse(held.expires_at) > at ? held : undefined
  }

  snapshot(at: number): MirroredEntry[] {
    return this.#contracts.filter(({ from, until }) => from <= at && at < until).map(({ entry }) => entry)
  }

  write(
    name: string,
    at: number,
    { lifeMs, user }: { readonly lifeMs: number; readonly user: string },
  ): void {
    const held = this.active(name, at)
    this.#archive(name, at)
    const expiresAt = held === undefined ? at + lifeMs : Date.parse(held.expires_at) + lifeMs
    const kept = held ?? { user, url: `https://${user.slice(0, 6)}.example`, description: `of ${at}` }
    const entry = { ...entryOf(name), user: kept.user, url: kept.url, description: kept.description }
    const expires_at = new Date(expiresAt).toISOString().replace(/\.?0*Z$/, 'Z')
    this.#contracts.push({ entry: { ...entry, expires_at }, from: at, until: Number.POSITIVE_INFINITY })
  }

  sweep(at: number): void {
    for (const contract of this.#contracts)
      if (contract.until > at && Date.parse(contract.entry.expires_at) <= at) contract.until = at
    // Contracts that were archived this long ago are older than the mirror's snapshot, so the model forgets them.
    const old = at - 240 * hourMs
    const kept = this.#contracts.filter(({ until }) => until > old)
    this.#contracts.splice(0, this.#contracts.length, ...kept)
  }

  #archive(name: string, at: number): void {
    for (const contract of this.#contracts)
      if (contract.entry.name === name && contract.until > at) contract.until = at
  }
}

export interface Played {
  mirrored: number
  renewed: number
  live: number
}

/**
 * Plays random operations on a ledger. Compares every answer of the mirror with the bytes of a live quorum at that
 * instant. After a renewal, the mirror may still answer with the earlier entry, if that entry was true at the time that
 * the answer states.
 */
export function playDifferential(seed: number, operations: number): Played {
  const random = seededRandom(seed)
  const ledger = new Ledger()
  const { mirror, clock, evidence } = mirrored()
  const played: Played = { mirrored: 0, renewed: 0, live: 0 }
  take(mirror, setOf([], { at: gridAt(clock.wall()) }))
  for (let operation = 0; operation < operations; operation++) {
    const name = pick(random, names)
    const chance = random()
    clock.advance(1)
    const at = clock.wall()
    if (chance < 0.15)
      ledger.write(name, at, { lifeMs: lifeOf(random), user: party(`user-${operation % 7}`) })
    else if (chance < 0.3) clock.advance(1 + Math.floor(random() * hourMs * (random() < 0.1 ? 4 : 0.2)))
    else if (chance < 0.33) ledger.sweep(at)
    else if (chance < 0.38) drain()
    else compare(name, at)
  }
  expect(evidence).toEqual([])
  return played

  function drain(): void {
    const at = gridAt(clock.wall())
    const entries = ledger.snapshot(at)
    const continuity = continuityOf(mirror.set?.entries ?? [], entries, at)
    if (at === mirror.set?.at) return
    expect(continuity.withdrawn).toEqual([])
    expect(isContinuous(continuity)).toBe(true)
    expect(take(mirror, setOf(entries, { at }), continuity.withdrawn)).toBe('taken')
  }

  function compare(name: string, at: number): void {
    const held = ledger.active(name, at)
    const live = held === undefined ? liveAbsence(name) : liveValue(held)
    const served = mirror.find(byName(name), undefined, undefined)
    if (served === undefined) {
      played.live++
      return mirror.agreed(byName(name), live)
    }
    played.mirrored++
    if (served.answer.body.equals(live.body)) return expect(served.answer.digest).toBe(live.digest)
    played.renewed++
    const { entry } = JSON.parse(served.answer.body.toString())
    const { user, url, description, expires_at } = held as MirroredEntry
    expect(entry).toMatchObject({ user, url, description })
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.parse(entry.expires_at))
    const then = liveValue(ledger.active(name, served.asOf?.at ?? 0) as MirroredEntry)
    expect(served.answer.body.toString()).toBe(then.body.toString())
  }
}

function lifeOf(random: Random): number {
  return Math.floor(hourMs * (random() < 0.5 ? 1 + 3 * random() : 30 * random() + 0.1))
}

function pick<Value>(random: Random, all: readonly Value[]): Value {
  return all[Math.floor(random() * all.length)] as Value
}
