import { LRUCache } from 'lru-cache'
import { parseJson } from '../base/lib/canonical-json.ts'
import { digest } from '../base/lib/digest.ts'
import { firstIndex } from '../base/lib/first-index.ts'
import { sortedBy } from '../base/lib/in-portions.ts'
import { ownBytes } from '../base/lib/own-bytes.ts'
import type { Random } from '../base/lib/random.ts'
import type { Agreement } from '../core/cache/agreement.ts'
import type { Answer } from '../core/cache/answer.ts'
import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../core/reads/ans.ts'
import { codePointKey, compareCodePoints } from '../core/reads/code-points.ts'
import { instantKey } from '../core/reads/instant.ts'
import type { Question } from '../core/reads/read.ts'
import { orderedBy, readingOf } from '../core/reads/reading.ts'
import type { AgreedSet } from './agreed-set.ts'
import { type Continuity, continuityOf, expiryOf } from './continuity.ts'
import type { LedgerReach } from './ledger-time.ts'
import type { DsoMember, MirroredEntry } from './mirrored-contracts.ts'
import type { NameUpdate } from './name-update.ts'

/**
 * An entry and its expiry, in milliseconds since 1970. At the exact moment of its expiry, an entry
 * is still valid, and scans still return the entry.
 */
export interface HeldEntry {
  readonly entry: MirroredEntry
  readonly endsAt: number
}

export type FoundNames =
  | { readonly kind: 'entry'; readonly held: HeldEntry }
  | { readonly kind: 'absent' }
  | { readonly kind: 'entries'; readonly held: readonly HeldEntry[] }

export type NameChanges = Pick<Continuity, 'renewed' | 'added' | 'expired' | 'withdrawn'>

/** The mirror answers these reads. At level `bindings`, it answers only the lookup by name. */
export const nameReads: readonly string[] = [lookupAnsEntryByName, lookupAnsEntryByParty, listAnsEntries].map(
  ({ id }) => id,
)

const nothingHeld: readonly HeldEntry[] = []

export function heldOf(entry: MirroredEntry): HeldEntry {
  return { entry, endsAt: expiryOf(entry) }
}

/**
 * Holds all entries that the ledger has at one record time, and answers questions from them as
 * scans would.
 */
export class NameState {
  readonly #dso: string
  readonly #byContract = new Map<string, HeldEntry>()
  readonly #byName = new Map<string, HeldEntry[]>()
  readonly #byParty = new Map<string, HeldEntry[]>()
  /** All entries. This list, and each list of one party, is in the order of the names' code points. */
  readonly #all: HeldEntry[] = []
  #members: readonly DsoMember[] | undefined

  private constructor({ dso, members }: Pick<AgreedSet, 'dso' | 'members'>) {
    this.#dso = dso
    this.#members = members
  }

  static *of(set: Pick<AgreedSet, 'dso' | 'members' | 'entries'>): Generator<void, NameState> {
    const state = new NameState(set)
    for (const entry of yield* sortedBy(set.entries, ({ name }) => codePointKey(name))) {
      state.#add(entry)
      yield
    }
    return state
  }

  get size(): number {
    return this.#all.length
  }

  has(contractId: string): boolean {
    return this.#byContract.has(contractId)
  }

  entries(): readonly MirroredEntry[] {
    return this.#all.map(({ entry }) => entry)
  }

  any(random: Random): MirroredEntry | undefined {
    return this.#all[Math.floor(random() * this.#all.length)]?.entry
  }

  /** Returns the names that were registered or renewed last: their entries expire last. */
  newest(most: number): readonly string[] {
    const newest: HeldEntry[] = []
    for (const held of this.#all) {
      if (newest.length === most && held.endsAt <= (newest[0] as HeldEntry).endsAt) continue
      newest.push(held)
      newest.sort((a, b) => a.endsAt - b.endsAt)
      if (newest.length > most) newest.shift()
    }
    return newest.toReversed().map(({ entry }) => entry.name)
  }

  /** Returns the entries of a name, without those that have surely expired. */
  held(name: string, { confirmed }: LedgerReach): readonly HeldEntry[] {
    return unexpired(this.#byName.get(name), confirmed)
  }

  /**
   * Applies an update. Skips created entries that are already known, so that an update of exactly the
   * snapshot's record time may be applied, whether or not the snapshot includes it.
   * @param at the record time of the update, in milliseconds since 1970.
   */
  apply({ created, archived, members }: NameUpdate, at: number): NameChanges {
    const gone = archived.flatMap((contractId) => this.#byContract.get(contractId) ?? [])
    const fresh = created.filter(({ contract_id }) => !this.#byContract.has(contract_id))
    if (members !== undefined) this.#members = members.members
    for (const held of gone) this.#remove(held)
    for (const entry of fresh) this.#add(entry)
    return continuityOf(
      gone.map(({ entry }) => entry),
      fresh,
      at,
    )
  }

  /**
   * Returns undefined if scans with the same entries may answer differently:
   * - The answer may include a name of the DSO or of a super validator, which scans add themselves.
   * - Several unexpired entries have one name.
   * - An entry has expired by the daemon's clock, which may be fast, but not by the time that super
   *   validators confirm.
   * - The list fills its page. Each scan then cuts the list in the order of its own database.
   */
  find({ read, params }: Question, reach: LedgerReach): FoundNames | undefined {
    switch (read.id) {
      case lookupAnsEntryByName.id: {
        const { name = '' } = params
        return isBindable(name) ? onlyOne(this.held(name, reach), reach) : undefined
      }
      case lookupAnsEntryByParty.id:
        return this.#findParty(params['party'] ?? '', reach)
      case listAnsEntries.id:
        return this.#list(params['name_prefix'] ?? '', Number(params['page_size']), reach)
      default:
        return undefined
    }
  }

  #findParty(party: string, reach: LedgerReach): FoundNames | undefined {
    if (this.#members === undefined || party === this.#dso) return undefined
    if (this.#members.some((member) => member.party === party)) return undefined
    const own = unexpired(this.#byParty.get(party), reach.confirmed)
    return onlyOne(
      own.filter(({ entry: { name } }) => name === own[0]?.entry.name),
      reach,
    )
  }

  #list(prefix: string, most: number, { reached, confirmed }: LedgerReach): FoundNames | undefined {
    if (this.#members === undefined || mayBeSynthetic(prefix, this.#members)) return undefined
    const found: HeldEntry[] = []
    for (let at = placeOf(this.#all, prefix); at < this.#all.length; at++) {
      const held = this.#all[at] as HeldEntry
      if (!held.entry.name.startsWith(prefix)) break
      if (held.endsAt < confirmed) continue
      const isTwin = held.entry.name === found.at(-1)?.entry.name
      if (isTwin || held.endsAt < reached || found.push(held) >= most) return undefined
    }
    return { kind: 'entries', held: found }
  }

  #add(entry: MirroredEntry): void {
    const held = heldOf(entry)
    this.#byContract.set(entry.contract_id, held)
    insert(this.#all, held)
    insertIn(this.#byName, entry.name, held)
    insertIn(this.#byParty, entry.user, held)
  }

  #remove(held: HeldEntry): void {
    const { contract_id, name, user } = held.entry
    this.#byContract.delete(contract_id)
    drop(this.#all, held)
    dropFrom(this.#byName, name, held)
    dropFrom(this.#byParty, user, held)
  }
}

/**
 * True if names that begin with `prefix` may include names that scans add without entries:
 * `dso.<acronym>` and `<name>.sv.<acronym>`. The acronym is in the configuration of each scan, so it
 * is unknown here.
 */
function mayBeSynthetic(prefix: string, members: readonly DsoMember[]): boolean {
  const beginnings = ['dso.', ...members.map(({ name }) => `${name.toLowerCase()}.sv.`)]
  return beginnings.some((beginning) => beginning.startsWith(prefix) || prefix.startsWith(beginning))
}

/**
 * @param held entries of one name that have not surely expired. One that has expired by the daemon's
 * clock, which may be fast, is neither served nor absent.
 */
function onlyOne(held: readonly HeldEntry[], { reached }: LedgerReach): FoundNames | undefined {
  const [only] = held
  if (only === undefined) return { kind: 'absent' }
  return held.length === 1 && only.endsAt >= reached ? { kind: 'entry', held: only } : undefined
}

function unexpired(held = nothingHeld, at: number): readonly HeldEntry[] {
  return held.every(({ endsAt }) => endsAt >= at) ? held : held.filter(({ endsAt }) => endsAt >= at)
}

/** Returns the index of the first entry whose name is `name` or follows it. */
function placeOf(held: readonly HeldEntry[], name: string): number {
  return firstIndex(held.length, (at) => compareCodePoints((held[at] as HeldEntry).entry.name, name) >= 0)
}

function insert(list: HeldEntry[], held: HeldEntry): void {
  const { name } = held.entry
  const last = list.at(-1)
  if (last === undefined || compareCodePoints(last.entry.name, name) <= 0) list.push(held)
  else list.splice(placeOf(list, name), 0, held)
}

function drop(list: HeldEntry[], held: HeldEntry): void {
  const at = list.indexOf(held, placeOf(list, held.entry.name))
  if (at !== -1) list.splice(at, 1)
}

/** Nearly every list has one entry. A list that begins with its entry has no room to spare for more. */
function insertIn(index: Map<string, HeldEntry[]>, key: string, held: HeldEntry): void {
  const known = index.get(key)
  if (known === undefined) index.set(key, [held])
  else insert(known, held)
}

function dropFrom(index: Map<string, HeldEntry[]>, key: string, held: HeldEntry): void {
  const list = index.get(key) ?? []
  drop(list, held)
  if (list.length === 0) index.delete(key)
}

/**
 * Matches names of the DSO and of super validators. The super validators can vote such a name away
 * at any time.
 */
const endsByVote = /^dso\.[^.]+$|\.sv\.[^.]+$/

/** Whether an entry with this name certainly stays until it expires. */
export function isBindable(name: string): boolean {
  return !endsByVote.test(name)
}

/**
 * The largest number of answers that are remembered. One with a single entry takes about 3 KiB of
 * memory, including the bytes that the HTTP server sends for it.
 */
const mostAnswers = 8_192

/**
 * Makes answers of found names. The same entries give the same object, so that their headers are
 * made once.
 */
export class NameAnswers {
  readonly #remembered = new LRUCache<HeldEntry | string, Answer>({ max: mostAnswers })

  of(question: Question, found: FoundNames, agreement: Agreement): Answer {
    const key = found.kind === 'entry' ? found.held : bodyOf(question, found)
    const known = this.#remembered.get(key)
    if (known?.agreement === agreement) return known
    const body = ownBytes(typeof key === 'string' ? key : printed(question, { entry: key.entry }))
    const answer: Answer = { ...sortOf(found), body, digest: digest(body), agreement }
    this.#remembered.set(key, answer)
    return answer
  }
}

function bodyOf(question: Question, found: Exclude<FoundNames, { kind: 'entry' }>): string {
  return found.kind === 'entries'
    ? printed(question, { entries: found.held.map(({ entry }) => entry) })
    : JSON.stringify({ error: absenceOf(question) })
}

/** Scans write the members in the order of the read. */
function printed({ read }: Question, value: object): string {
  return JSON.stringify(orderedBy(read, value))
}

function sortOf(found: FoundNames): Pick<Answer, 'kind' | 'status' | 'endsAt' | 'version'> {
  if (found.kind === 'absent') return { kind: 'absence', status: 404 }
  const value = { kind: 'value', status: 200 } as const
  if (found.kind === 'entry') {
    const { entry, endsAt } = found.held
    return { ...value, endsAt, version: instantKey(entry.expires_at) }
  }
  const endsAt = Math.min(...found.held.map((held) => held.endsAt))
  return Number.isFinite(endsAt) ? { ...value, endsAt } : value
}

/**
 * For an absent name or party, scans reply with the first template in `read.absent`, with the
 * parameters filled in.
 */
function absenceOf({ read, params }: Question): string {
  const [text = ''] = read.absent
  return text.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
}

/**
 * Returns the entry in an answer to a lookup by name. Returns undefined for an absence, and for an
 * entry that scans add without a contract, such as the entry of the DSO.
 */
export function entryOfAnswer({ kind, body }: Answer): MirroredEntry | undefined {
  if (kind === 'absence') return undefined
  const value = readingOf(lookupAnsEntryByName, parseJson(body))?.value as
    | { readonly entry: Partial<MirroredEntry> }
    | undefined
  const entry = value?.entry
  return entry?.contract_id == null || entry.expires_at == null ? undefined : (entry as MirroredEntry)
}
