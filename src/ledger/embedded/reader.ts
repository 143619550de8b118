import type { ContractFilter } from '../ledger.ts'
import type { Micros } from '../value.ts'
import type { Catalog } from '../visibility/catalog.ts'
import { type ChainMoment, offsetIn, present } from './chain.ts'
import type { StoredActive, StoredUpdate } from './encoding.ts'
import type { Identity } from './identity.ts'
import { keysOf } from './keys.ts'
import { printed } from './printed.ts'
import type { LedgerRead, Reads, StoredEntry } from './protocol.ts'
import type { State } from './state.ts'
import { noMember } from './tables/kinds.ts'

const unlimited = -1

export class TableReader {
  readonly #state: State
  readonly #identity: Identity
  readonly #catalog: Catalog

  constructor(state: State, identity: Identity, catalog: Catalog) {
    this.#state = state
    this.#identity = identity
    this.#catalog = catalog
  }

  /**
   * @throws TypeError if a filter uses a lookup key that the template does not have.
   * @throws Damage if the file does not contain what was written to it.
   */
  answer(read: LedgerRead): Reads[keyof Reads]['gives'] {
    const { parties, log, settings } = this.#state
    switch (read.kind) {
      case 'party':
        return parties.ofUser(read.userId)
      case 'parties':
        return parties.list(read.filter)
      case 'allocated-at':
        return parties.offsetOf(read.party)
      case 'end':
        return log.end()
      case 'updates':
        return [...log.texts(read.after, read.upTo, read.limit)]
      case 'printed':
        return printed(read.request, { log, identity: this.#identity, catalog: this.#catalog })
      case 'update':
        return this.#update(read)
      case 'offset-at':
        return log.momentAt(read.recordTime).offset
      case 'reached':
        return log.last()
      case 'active':
        return this.#activeAt(read)
      case 'contract':
        return this.#contract(read)
      case 'contracts':
        return this.#contracts(read)
      case 'entries':
        return this.#entries(read)
      case 'due':
        return this.#due(read)
      case 'setting':
        return settings.get(read.party, read.key)
    }
  }

  #update({ updateId }: Reads['update']['takes']): StoredUpdate | undefined {
    const offset = offsetIn(updateId)
    if (offset === undefined || offset <= this.#state.pruning.upTo.offset) return undefined
    const [found] = this.#state.log.texts(offset - 1, offset, 1)
    return found?.updateId === updateId ? found : undefined
  }

  #activeAt({ at, limit, after }: Reads['active']['takes']): readonly StoredActive[] {
    const { contracts, log, nodes } = this.#state
    const moment = log.momentAfter(at)
    const from = after === undefined ? 0 : log.lastNodeUpTo(after)
    return contracts.activeOfAllTemplatesAt(from, moment, limit).map(({ node, offset }) => {
      const { firstNode, head } = log.start(offset)
      return { node: nodes.body(node), offset, nodeId: node - firstNode, head }
    })
  }

  #contract({ contractId, asOf }: Reads['contract']['takes']): string | undefined {
    const held = this.#state.find(contractId, this.#moment(asOf))
    return held === undefined ? undefined : this.#state.nodes.body(held.node)
  }

  #contracts({ filter, limit, asOf }: Reads['contracts']['takes']): readonly string[] {
    const moment = this.#moment(asOf)
    const active = this.#active(filter, moment, limit)
    return this.#withPast(active, filter, moment)
      .slice(0, limit)
      .map((node) => this.#state.nodes.body(node))
  }

  #active(filter: ContractFilter, { lastNode }: ChainMoment, limit: number): readonly number[] {
    const { template, party } = filter
    const conditions = Object.entries(filter.where ?? {})
    for (const [member] of conditions) this.#ensureIndexed(template, member)
    if (party !== undefined) conditions.push([noMember, party])
    const [first] = conditions
    if (first === undefined) return this.#everyActive(template, lastNode, limit)
    const kind = this.#state.kinds.find(template, first[0])
    if (kind === undefined) return []
    const { finders } = this.#state
    const [, value] = first
    if (conditions.length === 1 && finders.isExact(value)) return finders.nodes(kind, value, lastNode, limit)
    return finders.nodes(kind, value, lastNode, unlimited).filter((node) => this.#isMeant(node, filter))
  }

  #everyActive(template: string, lastNode: number, limit: number): readonly number[] {
    const kind = this.#state.kinds.find(template, noMember)
    return kind === undefined ? [] : this.#state.contracts.active(kind, lastNode, limit)
  }

  #withPast(active: readonly number[], filter: ContractFilter, moment: ChainMoment): readonly number[] {
    const kind = this.#state.kinds.find(filter.template, noMember)
    if (moment === present || kind === undefined) return active
    const past = this.#state.contracts
      .archivedSince(kind, moment)
      .filter((node) => this.#isMeant(node, filter))
    return past.length === 0 ? active : [...active, ...past].sort((a, b) => a - b)
  }

  #isMeant(node: number, { party, where = {} }: ContractFilter): boolean {
    const { stakeholders, members } = keysOf(this.#state.created(node), this.#state.indexing)
    if (party !== undefined && !stakeholders.includes(party)) return false
    const values = new Map(members)
    return Object.entries(where).every(([member, value]) => values.get(member) === value)
  }

  #ensureIndexed(template: string, member: string): void {
    const indexed = this.#state.indexing.get(template)?.members ?? {}
    if (!Object.hasOwn(indexed, member)) throw new TypeError(`${template} has no index of ${member}`)
  }

  #entries({ filter }: Reads['entries']['takes']): readonly StoredEntry[] {
    const { entries, nodes } = this.#state
    return entries.find(filter, this.#moment(filter.asOf)).map(({ node, name, user, expiresAt }) => ({
      name,
      user,
      expiresAt,
      contract: nodes.body(node),
    }))
  }

  #due({ filter, limit }: Reads['due']['takes']): readonly string[] {
    const { kinds, due, nodes } = this.#state
    const kind = kinds.find(filter.template, noMember)
    return kind === undefined ? [] : due.nodes(kind, filter, limit).map((node) => nodes.body(node))
  }

  #moment(asOf: Micros | undefined): ChainMoment {
    if (asOf === undefined) return present
    const { log } = this.#state
    const moment = log.momentAt(asOf)
    return moment.offset === log.end() ? present : moment
  }
}
