import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'
import { isBindable } from '../reads/bindable.ts'
import { compareCodePoints } from '../reads/code-points.ts'
import type { DsoMember } from '../reads/dso-member.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { Question } from '../reads/read.ts'
import type { AgreedSet } from './agreed-set.ts'
import { type Continuity, continuityOf } from './continuity.ts'
import { expiryOf, isUnexpired } from './entry-expiry.ts'
import type { LedgerReach } from './ledger-time.ts'
import type { NameUpdate } from './name-update.ts'
import { SortedNames } from './sorted-names.ts'

export type FoundNames =
  | { readonly kind: 'entry'; readonly entry: MirroredEntry }
  | { readonly kind: 'absent' }
  | { readonly kind: 'entries'; readonly entries: readonly MirroredEntry[] }

export type NameChanges = Pick<Continuity, 'renewed' | 'added' | 'expired' | 'withdrawn'>

/**
 * Holds all entries that the ledger has at one record time, and answers questions from them as
 * scans would.
 */
export class NameState {
  readonly #dso: string
  readonly #byContract = new Map<string, MirroredEntry>()
  readonly #byName = new Map<string, MirroredEntry[]>()
  readonly #byParty = new Map<string, MirroredEntry[]>()
  #names: SortedNames | undefined
  #members: readonly DsoMember[] | undefined

  private constructor({ dso, members }: Pick<AgreedSet, 'dso' | 'members'>) {
    this.#dso = dso
    this.#members = members
  }

  static *of(set: Pick<AgreedSet, 'dso' | 'members' | 'entries'>): Generator<void, NameState> {
    const state = new NameState(set)
    for (const entry of set.entries) {
      state.#index(entry)
      yield
    }
    state.#names = yield* SortedNames.of(state.#byName.keys())
    return state
  }

  get size(): number {
    return this.#byContract.size
  }

  get members(): readonly DsoMember[] | undefined {
    return this.#members
  }

  has(contractId: string): boolean {
    return this.#byContract.has(contractId)
  }

  entries(): readonly MirroredEntry[] {
    return [...this.#byContract.values()]
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
    for (const entry of gone) this.#remove(entry)
    for (const entry of fresh) this.#add(entry)
    return continuityOf(gone, fresh, at)
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
      case lookupAnsEntryByName.id:
        return this.#findName(params['name'] ?? '', reach)
      case lookupAnsEntryByParty.id:
        return this.#findParty(params['party'] ?? '', reach)
      case listAnsEntries.id:
        return this.#list(params['name_prefix'] ?? '', Number(params['page_size']), reach)
      default:
        return undefined
    }
  }

  #findName(name: string, reach: LedgerReach): FoundNames | undefined {
    const found = isBindable(name) ? unexpired(this.#byName.get(name), reach) : undefined
    return found && onlyOne(found)
  }

  #findParty(party: string, reach: LedgerReach): FoundNames | undefined {
    if (this.#members === undefined || party === this.#dso) return undefined
    if (this.#members.some((member) => member.party === party)) return undefined
    const own = unexpired(this.#byParty.get(party), reach)
    if (own === undefined) return undefined
    const first = own.reduce(
      (best, { name }) => (compareCodePoints(name, best) < 0 ? name : best),
      own[0]?.name ?? '',
    )
    return onlyOne(own.filter(({ name }) => name === first))
  }

  #list(prefix: string, most: number, reach: LedgerReach): FoundNames | undefined {
    if (this.#members === undefined || mayBeSynthetic(prefix, this.#members)) return undefined
    const entries: MirroredEntry[] = []
    for (const name of this.#names?.from(prefix) ?? []) {
      if (!name.startsWith(prefix)) break
      const found = unexpired(this.#byName.get(name), reach)
      if (found === undefined || found.length > 1 || entries.length + found.length >= most) return undefined
      entries.push(...found)
    }
    return { kind: 'entries', entries }
  }

  #add(entry: MirroredEntry): void {
    if (!this.#byName.has(entry.name)) this.#names?.add(entry.name)
    this.#index(entry)
  }

  #index(entry: MirroredEntry): void {
    this.#byContract.set(entry.contract_id, entry)
    listIn(this.#byName, entry.name).push(entry)
    listIn(this.#byParty, entry.user).push(entry)
  }

  #remove(entry: MirroredEntry): void {
    this.#byContract.delete(entry.contract_id)
    without(this.#byParty, entry.user, entry)
    without(this.#byName, entry.name, entry)
    if (!this.#byName.has(entry.name)) this.#names?.delete(entry.name)
  }
}

/**
 * Returns the earliest expiry, in milliseconds since 1970. Until then, only an update of the ledger
 * changes the answer.
 */
export function endOf(found: FoundNames): number {
  switch (found.kind) {
    case 'entry':
      return expiryOf(found.entry)
    case 'absent':
      return Number.POSITIVE_INFINITY
    case 'entries':
      return Math.min(...found.entries.map(expiryOf))
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

function onlyOne(entries: readonly MirroredEntry[]): FoundNames | undefined {
  const [entry, ...others] = entries
  if (entry === undefined) return { kind: 'absent' }
  return others.length === 0 ? { kind: 'entry', entry } : undefined
}

/**
 * Returns the unexpired entries. Returns undefined if an entry has expired by the daemon's clock,
 * which may be fast, but not by the time that super validators confirm.
 */
function unexpired(
  entries: readonly MirroredEntry[] = [],
  { reached, confirmed }: LedgerReach,
): readonly MirroredEntry[] | undefined {
  const left = entries.filter((entry) => isUnexpired(entry, confirmed))
  return left.every((entry) => isUnexpired(entry, reached)) ? left : undefined
}

function listIn(index: Map<string, MirroredEntry[]>, key: string): MirroredEntry[] {
  const known = index.get(key)
  if (known !== undefined) return known
  const list: MirroredEntry[] = []
  index.set(key, list)
  return list
}

function without(
  index: Map<string, MirroredEntry[]>,
  key: string,
  { contract_id: gone }: MirroredEntry,
): void {
  const left = index.get(key)?.filter(({ contract_id }) => contract_id !== gone) ?? []
  if (left.length === 0) index.delete(key)
  else index.set(key, left)
}
