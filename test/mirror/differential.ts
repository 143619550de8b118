import { expect } from 'vitest'
import { wholeWork } from '../../src/lib/in-portions.ts'
import { type Random, seededRandom } from '../../src/lib/random.ts'
import { gridAt } from '../../src/mirror/snapshot-grid.ts'
import { listAnsEntries, lookupAnsEntryByParty } from '../../src/reads/ans.ts'
import type { MirroredEntry } from '../../src/reads/mirrored-entry.ts'
import type { Question } from '../../src/reads/read.ts'
import { ago } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import { agreementOf, byName, hourMs, mirrored, party, setOf, take } from './mirrored.ts'
import { pick } from './random.ts'

const names = Array.from({ length: 30 }, (_, id) => `${'abc'[id % 3]}-${id}.unverified.cns`)
const users = Array.from({ length: 9 }, (_, id) => party(`user-${id}`))
const member = (id: number) => ({ party: party(`sv-${id}`), name: `SV-${id}` })

export type StreamPlayed = Record<string, number>

/**
 * Plays random operations on a ledger that the mirror follows. Compares every answer of the mirror with the
 * bytes that scans return at the same record time.
 */
export function playStream(seed: number, operations: number): StreamPlayed {
  const random = seededRandom(seed)
  const { mirror, clock, evidence } = mirrored({}, { level: 'stream' })
  const ledger = new LedgerModel([member(1), member(2)])
  const played: StreamPlayed = {}
  take(mirror, setOf([], { at: gridAt(clock.wall()), members: ledger.members }))
  for (let operation = 0; operation < operations; operation++) {
    // No two updates have the same record time.
    clock.advance(1)
    operate(random(), clock.wall(), operation)
  }
  expect(evidence).toEqual([])
  return played

  function operate(chance: number, at: number, operation: number): void {
    const life = { lifeMs: lifeOf(random), user: pick(random, users) }
    if (chance < 0.14) ledger.write(pick(random, names), at, life)
    else if (chance < 0.142) ledger.twin(pick(random, names), at, life)
    else if (chance < 0.144) ledger.join(member(operation), at)
    else if (chance < 0.16) ledger.sweep(at)
    else if (chance < 0.2) ledger.pass(at)
    else if (chance < 0.27) clock.advance(Math.floor(random() * hourMs * (random() < 0.1 ? 4 : 0.1)))
    else if (chance < 0.5) follow(1 + Math.floor(random() * 5))
    else if (chance < 0.53) drain()
    else compare(questionOf(random))
  }

  function follow(size: number): void {
    const following = mirror.state?.following
    if (following === undefined) return
    const items = ledger.after(Date.parse(following.cursor.at), size)
    const agreement = agreementOf(['sv-2', 'sv-4'])
    mirror.follow({ items, agreement, isFull: items.length === size, askedAt: ago(clock) })
  }

  function drain(): void {
    const at = gridAt(clock.wall())
    if (at === mirror.set?.at) return
    const set = setOf(ledger.before(at), { at, members: ledger.members })
    // `set` has the present super validators as members, not the members of its instant. A mirror that follows no
    // updates would begin with the wrong members, so the mirror gets no set.
    if (mirror.state?.following === undefined) return
    const { kind } = wholeWork(mirror.reconcile(set))
    count(`reconciled ${kind}`)
    expect(kind).not.toBe('different')
    expect(take(mirror, set)).toBe('taken')
  }

  function compare(question: Question): void {
    const served = mirror.find(question, undefined, undefined)
    if (served?.asOf?.claim !== 'state') return count(served === undefined ? 'live' : 'binding')
    const { at } = served.asOf
    const entries = ledger.before(at + 1).filter(({ expires_at }) => Date.parse(expires_at) >= clock.wall())
    const said = scanSays(question, entries)
    expect(served.answer.body.toString()).toBe(said.text)
    expect(served.answer.status).toBe(said.status)
    count(`${question.read.id} ${said.status}`)
  }

  function count(what: string): void {
    played[what] = (played[what] ?? 0) + 1
  }
}

function questionOf(random: Random): Question {
  const chance = random()
  if (chance < 0.5) return byName(pick(random, names))
  if (chance < 0.75) return { read: lookupAnsEntryByParty, params: { party: pick(random, users) } }
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
