import type { DsoMember, MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import type { UpdateItem } from '../../src/mirror/update-items.ts'
import { ago } from '../support/manual-clock.ts'
import { agreementOf, byName, dso, entryOf, mirrored } from './mirrored.ts'

interface Held {
  readonly entry: MirroredEntry
  readonly from: number
  until: number
}

/** A model of a ledger with names. Each write makes one update, in the form of `/v2/updates`. */
export class LedgerModel {
  readonly #held: Held[] = []
  readonly #updates: { readonly at: number; readonly item: UpdateItem }[] = []
  #members: readonly DsoMember[]

  constructor(members: readonly DsoMember[]) {
    this.#members = members
  }

  get members(): readonly DsoMember[] {
    return this.#members
  }

  before(at: number): MirroredEntry[] {
    return this.#held.filter(({ from, until }) => from < at && at <= until).map(({ entry }) => entry)
  }

  after(at: number, most: number): readonly UpdateItem[] {
    const from = this.#updates.findIndex((update) => update.at > at)
    return from === -1 ? [] : this.#updates.slice(from, from + most).map(({ item }) => item)
  }

  write(
    name: string,
    at: number,
    { lifeMs, user }: { readonly lifeMs: number; readonly user: string },
  ): void {
    const held = this.#held.find(({ entry, until }) => entry.name === name && until > at)
    const isRenewal = held !== undefined && Date.parse(held.entry.expires_at) > at
    const from = isRenewal ? Date.parse(held.entry.expires_at) : at
    const expires_at = instant(from + lifeMs)
    const kept = isRenewal ? { ...held.entry, expires_at } : { user, expires_at, description: `of ${at}` }
    const { contract_id } = entryOf(name)
    this.#update(at, { create: { ...entryOf(name), ...kept, contract_id }, archive: isRenewal ? [held] : [] })
  }

  /** Gives a name to a second owner, which the DSO never does. */
  twin(name: string, at: number, { lifeMs, user }: { readonly lifeMs: number; readonly user: string }): void {
    this.#update(at, { create: entryOf(name, { user, expires_at: instant(at + lifeMs) }), archive: [] })
  }

  sweep(at: number): void {
    const expired = this.#held.filter(({ entry, until }) => until > at && Date.parse(entry.expires_at) <= at)
    this.#update(at, { archive: expired })
  }

  pass(at: number): void {
    this.#update(at, { archive: [] })
  }

  join(member: DsoMember, at: number): void {
    this.#members = [...this.#members, member]
    this.#update(at, { archive: [], rules: this.#members })
  }

  #update(at: number, { create, archive, rules }: Change): void {
    for (const held of archive) held.until = at
    if (create !== undefined) this.#held.push({ entry: create, from: at, until: Number.POSITIVE_INFINITY })
    const events = [
      ...archive.map(({ entry }) => archived(entry.contract_id)),
      ...(create === undefined ? [] : [createdEntry(create)]),
      ...(rules === undefined ? [] : [createdRules(rules, at)]),
    ]
    const item: UpdateItem = {
      migration_id: 0,
      record_time: instant(at),
      synchronizer_id: 'global::1220',
      events_by_id: Object.fromEntries(events.map((event, index) => [`1220${at}:${index}`, event])),
    }
    this.#updates.push({ at, item })
  }
}

interface Change {
  readonly create?: MirroredEntry
  readonly archive: readonly Held[]
  readonly rules?: readonly DsoMember[]
}

function instant(at: number): string {
  return new Date(at).toISOString().replace(/\.?0*Z$/, 'Z')
}

function archived(contractId: string) {
  return {
    event_type: 'exercised_event',
    contract_id: contractId,
    template_id: 'aa:Splice.Ans:AnsEntry',
    package_name: 'splice-amulet-name-service',
    consuming: true,
  } as const
}

const ofDso = { created_at: '2026-01-01T00:00:00Z', signatories: [dso], observers: [] }

function createdEntry({ contract_id, user, name, url, description, expires_at }: MirroredEntry) {
  return {
    event_type: 'created_event',
    contract_id,
    template_id: 'aa:Splice.Ans:AnsEntry',
    package_name: 'splice-amulet-name-service',
    create_arguments: { dso, user, name, url, description, expiresAt: expires_at },
    ...ofDso,
  } as const
}

function createdRules(members: readonly DsoMember[], at: number) {
  return {
    event_type: 'created_event',
    contract_id: `00rules${at}`,
    template_id: 'bb:Splice.DsoRules:DsoRules',
    package_name: 'splice-dso-governance',
    create_arguments: { dso, svs: members.map(({ party, name }) => [party, { name }]) },
    ...ofDso,
  } as const
}

/** A mirror at level `stream`, and a ledger whose updates `follow` gives to it. */
export function followed(agreed = ['sv-1', 'sv-2'], more: NonNullable<Parameters<typeof mirrored>[1]> = {}) {
  const stage = mirrored({}, { level: 'stream', ...more })
  const { mirror, clock } = stage
  const ledger = new LedgerModel([])
  const follow = () => {
    const items = ledger.after(Date.parse(mirror.state?.following?.cursor.at ?? ''), 100)
    mirror.follow({ items, agreement: agreementOf(agreed), isFull: false, askedAt: ago(clock) })
  }
  return { ...stage, ledger, follow, served: (name: string) => mirror.find(byName(name)) }
}
