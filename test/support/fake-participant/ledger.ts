import { hash } from 'node:crypto'
import type { Json } from './json.ts'

export interface Contract {
  readonly created: Json
  readonly parties: readonly string[]
  readonly createdAt: number
  archivedAt: number | undefined
}

export interface Entry {
  readonly offset: number
  readonly updateId: string
  readonly commandId: string
  readonly parties: readonly string[]
  readonly events: readonly Json[]
}

export type Version = '3.4' | '3.5' | '3.6'

export const synchronizer = `global-domain::1220${'5'.repeat(64)}`
const packages: Readonly<Record<string, { id: string; name: string }>> = {
  'Splice.Ans': { id: 'a'.repeat(64), name: 'splice-amulet-name-service' },
  'Splice.Wallet.Subscriptions': { id: 'b'.repeat(64), name: 'splice-wallet-payments' },
}

/** What a participant knows, as its JSON Ledger API writes it. */
export class FakeLedger {
  readonly version: Version
  pruned = 0
  /** What commands are refused with. */
  refusal: { readonly status: number; readonly error: Json } | undefined
  /** Of transactions that were signed outside, by offset; hex. */
  readonly #hashes = new Map<number, string>()
  readonly #entries: Entry[] = []
  readonly #contracts = new Map<string, Contract>()
  #end = 0

  constructor(version: Version) {
    this.version = version
  }

  get end(): number {
    return this.#end
  }

  /** So many transactions that a party sees, each creating a contract. */
  grow(party: string, count: number, text = ''): void {
    for (let index = 0; index < count; index++) {
      this.create('Splice.Ans:AnsEntry', [party], {
        user: party,
        dso: party,
        name: `name-${this.#end + 1}.unverified.cns`,
        url: '',
        description: text,
        expiresAt: '2036-01-01T00:00:00Z',
      })
    }
  }

  /** From now on a transaction has a hash, as one that was signed outside: base64. */
  sign(offset: number): string {
    const hex = hash('sha256', this.updateIdAt(offset), 'hex')
    this.#hashes.set(offset, hex)
    return Buffer.from(hex, 'hex').toString('base64')
  }

  /** Offsets that nobody here sees. */
  skip(count: number): void {
    this.#end += count
  }

  /** A contract in a transaction of its own: its id. */
  create(template: string, parties: readonly string[], argument: Json): string {
    const offset = this.#end + 1
    const created = this.created(template, parties, argument, offset, 0)
    this.commit('', parties, [{ CreatedEvent: created }])
    return created.contractId
  }

  archive(contractId: string): void {
    const contract = this.#contracts.get(contractId)
    if (contract === undefined) throw new Error('no such contract')
    this.commit('', contract.parties, [])
    contract.archivedAt = this.#end
  }

  updateIdAt(offset: number): string {
    return `1220${offset.toString(16).padStart(64, '0')}`
  }

  /** The creation of a contract, which is known from now on; its transaction is still to be committed. */
  created(
    template: string,
    parties: readonly string[],
    argument: Json,
    offset: number,
    nodeId: number,
  ): Json {
    const [module = ''] = template.split(':')
    const { id, name } = packages[module] ?? { id: 'f'.repeat(64), name: 'other' }
    const contractId = `00${(offset * 10 + nodeId).toString(16).padStart(64, '0')}`
    const created = {
      offset,
      nodeId,
      contractId,
      templateId: `${id}:${template}`,
      contractKey: null,
      ...(this.version !== '3.4' && { contractKeyHash: '' }),
      createArgument: argument,
      createdEventBlob: '',
      interfaceViews: [],
      witnessParties: parties,
      signatories: parties,
      observers: [],
      createdAt: '2026-01-01T00:00:00.123456Z',
      packageName: name,
      representativePackageId: id,
      acsDelta: true,
    }
    this.#contracts.set(contractId, { created, parties, createdAt: offset, archivedAt: undefined })
    return created
  }

  commit(commandId: string, parties: readonly string[], events: readonly Json[]): Entry {
    const offset = ++this.#end
    const entry = { offset, updateId: this.updateIdAt(offset), commandId, parties, events }
    this.#entries.push(entry)
    this.committed()
    return entry
  }

  /** Is called after every transaction. */
  protected committed(): void {}

  contract(contractId: string): Contract | undefined {
    return this.#contracts.get(contractId)
  }

  /** Of a transaction that was signed outside: hex. */
  hashAt(offset: number): string | undefined {
    return this.#hashes.get(offset)
  }

  /** What the parties of a format see. */
  visible(format: Json): Entry[] {
    const events = format.includeTransactions?.eventFormat
    const parties = Object.keys(events?.filtersByParty ?? {})
    return this.#entries.filter((entry) => parties.some((party) => entry.parties.includes(party)))
  }

  activeAt({ activeAtOffset, eventFormat }: Json): Contract[] {
    return [...this.#contracts.values()].filter(({ created, parties, createdAt, archivedAt }) => {
      if (createdAt > activeAtOffset || (archivedAt !== undefined && archivedAt <= activeAtOffset))
        return false
      return parties.some((party) => {
        const filters = eventFormat.filtersByParty[party]?.cumulative
        if (filters === undefined || filters.length === 0) return filters !== undefined
        return filters.some(({ identifierFilter }: Json) => {
          const wanted = identifierFilter.TemplateFilter?.value.templateId
          const entity = created.templateId.slice(created.templateId.indexOf(':'))
          return wanted === undefined || wanted === `#${created.packageName}${entity}`
        })
      })
    })
  }

  update(entry: Entry, format: Json): Json {
    const value = this.transaction(entry, format.includeTransactions?.transactionShape)
    return { update: { Transaction: { value } } }
  }

  transaction({ offset, updateId, commandId, events }: Entry, shape: string): Json {
    const later = { ...(this.version !== '3.4' && { paidTrafficCost: null }) }
    const transactionHash = this.#hashes.get(offset) ?? null
    const latest = { ...(this.version === '3.6' && { transactionHash }) }
    return {
      updateId,
      commandId,
      workflowId: '',
      effectiveAt: '2026-01-01T00:00:00.123456Z',
      events:
        shape === 'TRANSACTION_SHAPE_LEDGER_EFFECTS' ? events : events.filter((each) => !each.ExercisedEvent),
      offset,
      synchronizerId: synchronizer,
      traceContext: null,
      recordTime: '2026-01-01T00:00:00.123456Z',
      externalTransactionHash: null,
      ...later,
      ...latest,
    }
  }
}
