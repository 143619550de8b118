import { expect } from 'vitest'
import { wholeWork } from '../../src/base/lib/in-portions.ts'
import { type Random, seededRandom } from '../../src/base/lib/random.ts'
import { listAnsEntries, lookupAnsEntryByParty } from '../../src/core/reads/ans.ts'
import type { Question } from '../../src/core/reads/read.ts'
import { type FedChange, isLaterPlace, placeIn, placeText } from '../../src/mirror/change-feed.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import { gridAt } from '../../src/mirror/snapshot-grid.ts'
import { ago } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import { agreementOf, byName, hourMs, Kept, mirrored, party, setOf, take, written } from './mirrored.ts'
import { pick } from './random.ts'

const names = Array.from({ length: 30 }, (_, id) => `${'abc'[id % 3]}-${id}.unverified.cns`)
const neverWritten = ['a-30', 'b-31', 'c'].map((label) => `${label}.unverified.cns`)
const users = Array.from({ length: 9 }, (_, id) => party(`user-${id}`))
const member = (id: number) => ({ party: party(`sv-${id}`), name: `SV-${id}` })

export type StreamPlayed = Record<string, number>

/** A reader of the feed of changes. It has the names at the place of the last event that it got. */
class NameKeeper {
  readonly names: Map<string, MirroredEntry>
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
 * Plays random operations on a ledger that the mirror follows. Compares every answer of the mirror with the
 * bytes that scans return at the same record time. Readers of the feed stop and resume after any event. A reader that
 * has read all changes must have the same names as the mirror.
 */
export async function playStream(seed: number, operations: number): Promise<StreamPlayed> {
  const random = seededRandom(seed)
  const kept = new Kept()
  let stage = mirrored({}, { level: 'stream', kept })
  const { clock } = stage
  const ledger = new LedgerModel([member(1), member(2)])
  const played: StreamPlayed = {}
  take(stage.mirror, setOf([], { at: gridAt(clock.wall()), members: ledger.members }))
  const keepers = Array.from({ length: 5 }, reload)
  for (let operation = 0; operation < operations; operation++) {
    // No two updates have the same record time.
    clock.advance(1)
    await operate(random(), clock.wall(), operation)
  }
  for (const [index] of keepers.entries()) read(index, 1_000_000)
  expect(stage.evidence).toEqual([])
  return played

  async function operate(chance: number, at: number, operation: number): Promise<void> {
    const life = { lifeMs: lifeOf(random), user: pick(random, users) }
    if (chance < 0.14) ledger.write(pick(random, names), at, life)
    else if (chance < 0.142) ledger.twin(pick(random, names), at, life)
    else if (chance < 0.144) ledger.join(member(operation), at)
    else if (chance < 0.16) ledger.sweep(at)
    else if (chance < 0.2) ledger.pass(at)
    else if (chance < 0.27) clock.advance(Math.floor(random() * hourMs * (random() < 0.1 ? 4 : 0.1)))
    else if (chance < 0.5) follow(1 + Math.floor(random() * 5))
    else if (chance < 0.53) drain()
    else if (chance < 0.533) await restart()
    else if (chance < 0.65) read(Math.floor(random() * keepers.length), Math.ceil(random() * 4))
    else compare(questionOf(random))
  }

  function follow(size: number): void {
    const items = ledger.after(Date.parse(stage.mirror.state?.following?.cursor.at ?? ''), size)
    const agreement = agreementOf(['sv-2', 'sv-4'])
    stage.mirror.follow({ items, agreement, isFull: items.length === size, askedAt: ago(clock) })
  }

  function drain(): void {
    const at = gridAt(clock.wall())
    const { mirror } = stage
    const before = mirror.state?.following
    // `set` has the present super validators as members, not the members of its instant. A mirror that follows no
    // updates would begin with the wrong members, so the mirror gets no set.
    if (at === mirror.set?.at || before === undefined) return
    const set = setOf(ledger.before(at), { at, members: ledger.members })
    const { kind } = wholeWork(mirror.reconcile(set))
    count(`reconciled ${kind}`)
    expect(kind).not.toBe('different')
    expect(take(mirror, set)).toBe('taken')
    if (before !== mirror.state?.following) count('jumps')
  }

  async function restart(): Promise<void> {
    await written()
    expect(stage.evidence).toEqual([])
    stage = mirrored({}, { level: 'stream', kept, clock })
    stage.mirror.load()
    count('restarts')
  }

  function compare(question: Question): void {
    const served = stage.mirror.find(question)
    if (served?.asOf?.claim !== 'state') return count(served === undefined ? 'live' : 'binding')
    const { at } = served.asOf
    const entries = ledger.before(at + 1).filter(({ expires_at }) => Date.parse(expires_at) >= clock.wall())
    const said = scanSays(question, entries)
    expect(served.answer.body.toString()).toBe(said.text)
    expect(served.answer.status).toBe(said.status)
    count(`${question.read.id} ${said.status}`)
  }

  function reload(): NameKeeper {
    const { end } = stage.feed
    if (end === undefined) throw new Error('the feed has an end')
    return new NameKeeper(mirroredNow(), placeText(end))
  }

  function read(index: number, most: number): void {
    const keeper = keepers[index] as NameKeeper
    const place = placeIn(keeper.id)
    const changes = place && stage.feed.after(place, most)
    if (place === undefined || changes === undefined) {
      count('read anew')
      keepers[index] = reload()
      return
    }
    for (const change of changes) keeper.hear(change)
    if (changes.length > 0) count('read on')
    const isFurther = isLaterPlace(place, stage.feed.end ?? place)
    if (changes.length < most && !isFurther)
      expect(new Set(keeper.names.values())).toEqual(new Set(mirroredNow()))
  }

  function mirroredNow(): readonly MirroredEntry[] {
    return stage.mirror.state?.following?.index.entries() ?? []
  }

  function count(what: string): void {
    played[what] = (played[what] ?? 0) + 1
  }
}

function questionOf(random: Random): Question {
  const chance = random()
  if (chance < 0.5) return byName(pick(random, [...names, ...neverWritten]))
  if (chance < 0.75)
    return { read: lookupAnsEntryByParty, params: { party: pick(random, [...users, party('nobody')]) } }
  const name_prefix = pick(random, ['a', 'b-1', 'c-2', 'zzz', 'sv-', ''])
  return { read: listAnsEntries, params: { name_prefix, page_size: pick(random, ['1', '5', '100']) } }
}

/** Returns the status and the text of a scan's answer to the question. `entries` are the scan's unexpired entries. */
export function scanSays({ read, params }: Question, entries: readonly MirroredEntry[]) {
  const byNames = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(inOrder)
  if (read.id === listAnsEntries.id) {
    const prefix = params['name_prefix'] ?? ''
    const found = byNames.filter(({ name }) => name.startsWith(prefix))
    return { status: 200, text: JSON.stringify({ entries: found.slice(0, Number(params['page_size'])) }) }
  }
  const isByParty = read.id === lookupAnsEntryByParty.id
  const wanted = isByParty ? params['party'] : params['name']
  const entry = byNames.find((each) => (isByParty ? each.user : each.name) === wanted)
  if (entry !== undefined) return { status: 200, text: JSON.stringify({ entry }) }
  const error = `No ans entry found for ${isByParty ? 'party' : 'name'}: ${wanted}`
  return { status: 404, text: JSON.stringify({ error }) }
}

function inOrder({ contract_id, user, name, url, description, expires_at }: MirroredEntry) {
  return { contract_id, user, name, url, description, expires_at }
}

function lifeOf(random: Random): number {
  return Math.floor(hourMs * (random() < 0.5 ? 1 + 3 * random() : 30 * random() + 0.1))
}
