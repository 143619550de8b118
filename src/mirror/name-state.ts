import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'
import { isBindable } from '../reads/bindable.ts'
import { compareCodePoints } from '../reads/code-points.ts'
import type { Question } from '../reads/read.ts'
import { type Continuity, continuityOf } from './continuity.ts'
import type { DsoMember } from './dso-member.ts'
import { expiryOf, isUnexpired } from './entries.ts'
import type { MirroredEntry } from './entry.ts'
import type { NameUpdate } from './name-update.ts'
import { SortedNames } from './sorted-names.ts'

/** What the ledger has for a question about names. */
export type FoundNames =
  | { readonly kind: 'entry'; readonly entry: MirroredEntry }
  | { readonly kind: 'absent' }
  /** By name, by code point. */
  | { readonly kind: 'entries'; readonly entries: readonly MirroredEntry[] }

/** What one update did to the names. A renewal is a pair of the entry before and the one after. */
export type NameChanges = Pick<Continuity, 'renewed' | 'added' | 'expired' | 'withdrawn'>

/** All entries that the ledger has at one record time, and who the super validators are. */
export class NameState {
  readonly #dso: string
  readonly #byContract = new Map<string, MirroredEntry>()
  readonly #byName = new Map<string, readonly MirroredEntry[]>()
  readonly #byParty = new Map<string, readonly MirroredEntry[]>()
  readonly #names: SortedNames
  #members: readonly DsoMember[] | undefined

  /** @param members undefined if they are not known. */
  constructor(dso: string, entries: readonly MirroredEntry[], members: readonly DsoMember[] | undefined) {
    this.#dso = dso
    this.#members = members
    for (const entry of entries) this.#index(entry)
    this.#names = new SortedNames(this.#byName.keys())
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
   * Goes on by one update. What the state has already is left as it is, because a page may begin with an update that the
   * snapshot includes.
   * @param at the record time of the update: milliseconds since 1970.
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
   * Answers a question as a scan would.
   * @param reached the ledger's time: milliseconds since 1970.
   * @returns undefined if the answer depends on more than the ledger's entries: the names of the DSO and of super
   * validators, several entries of one name, and full pages, which each scan cuts in the order of its database.
   */
  find({ read, params }: Question, reached: number): FoundNames | undefined {
    switch (read.id) {
      case lookupAnsEntryByName.id:
        return this.#findName(params['name'] ?? '', reached)
      case lookupAnsEntryByParty.id:
        return this.#findParty(params['party'] ?? '', reached)
      case listAnsEntries.id:
        return this.#list(params['name_prefix'] ?? '', Number(params['page_size']), reached)
      default:
        return undefined
    }
  }

  #findName(name: string, reached: number): FoundNames | undefined {
    return isBindable(name) ? onlyOne(unexpired(this.#byName.get(name), reached)) : undefined
  }

  #findParty(party: string, reached: number): FoundNames | undefined {
    if (this.#members === undefined || party === this.#dso) return undefined
    if (this.#members.some((member) => member.party === party)) return undefined
    const own = unexpired(this.#byParty.get(party), reached)
    const first = own.reduce(
      (best, { name }) => (compareCodePoints(name, best) < 0 ? name : best),
      own[0]?.name ?? '',
    )
    return onlyOne(own.filter(({ name }) => name === first))
  }

  #list(prefix: string, most: number, reached: number): FoundNames | undefined {
    if (this.#members === undefined || mayBeSynthetic(prefix, this.#members)) return undefined
    const entries: MirroredEntry[] = []
    for (const name of this.#names.from(prefix)) {
      if (!name.startsWith(prefix)) break
      const found = unexpired(this.#byName.get(name), reached)
      entries.push(...found)
      if (found.length > 1 || entries.length >= most) return undefined
    }
    return { kind: 'entries', entries }
  }

  #add(entry: MirroredEntry): void {
    if (!this.#byName.has(entry.name)) this.#names.add(entry.name)
    this.#index(entry)
  }

  #index(entry: MirroredEntry): void {
    this.#byContract.set(entry.contract_id, entry)
    this.#byName.set(entry.name, [...(this.#byName.get(entry.name) ?? []), entry])
    this.#byParty.set(entry.user, [...(this.#byParty.get(entry.user) ?? []), entry])
  }

  #remove(entry: MirroredEntry): void {
    this.#byContract.delete(entry.contract_id)
    without(this.#byParty, entry.user, entry)
    without(this.#byName, entry.name, entry)
    if (!this.#byName.has(entry.name)) this.#names.delete(entry.name)
  }
}

/** The time until which an answer stays as it is: that of its first expiry, in milliseconds since 1970. */
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
 * Whether a list of names with this prefix may include the DSO's name or one of a super validator: `dso.` or
 * `<name of a super validator>.sv.`, and the acronym of the network, which each scan has in its configuration.
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

function unexpired(entries: readonly MirroredEntry[] = [], reached: number): readonly MirroredEntry[] {
  return entries.filter((entry) => isUnexpired(entry, reached))
}

function without(
  index: Map<string, readonly MirroredEntry[]>,
  key: string,
  { contract_id: gone }: MirroredEntry,
): void {
  const left = index.get(key)?.filter(({ contract_id }) => contract_id !== gone) ?? []
  if (left.length === 0) index.delete(key)
  else index.set(key, left)
}
