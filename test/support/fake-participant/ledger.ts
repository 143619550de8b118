import { type Json, refused } from './errors.ts'
import type { EventFormat } from './requests.ts'

const moment = '2026-01-01T00:00:00.123456Z'
export const synchronizerId = `global-domain::1220${'5'.repeat(64)}`

/** A contract. `archivedAt` is the offset at which it was archived; undefined while it is active. */
interface Contract {
  readonly contractId: string
  /** In the form `Module:Entity`. */
  readonly template: string
  readonly argument: Json
  readonly parties: readonly string[]
  readonly offset: number
  archivedAt: number | undefined
}

/** The parties that learn of an event, and the event in Canton's JSON. */
interface Event {
  readonly parties: readonly string[]
  readonly json: Json
}

interface Transaction {
  readonly offset: number
  readonly commandId: string
  readonly actAs: readonly string[]
  readonly events: readonly Event[]
}

const packages: Readonly<Record<string, string>> = {
  'Splice.Ans': 'splice-amulet-name-service',
  'Splice.Wallet.Subscriptions': 'splice-wallet-payments',
}

export class FakeLedger {
  refusal: { readonly status: number; readonly error: Json } | undefined
  readonly #transactions: Transaction[] = []
  readonly #contracts = new Map<string, Contract>()
  #end = 0

  get end(): number {
    return this.#end
  }

  grow(party: string, count: number): void {
    for (let index = 0; index < count; index++) {
      this.create('Splice.Ans:AnsEntry', [party], {
        user: party,
        dso: party,
        name: `name-${this.#end + 1}.unverified.cns`,
        url: '',
        description: '',
        expiresAt: '2036-01-01T00:00:00Z',
      })
    }
  }

  /** The skipped offsets stand for updates that no user of this participant sees. */
  skip(count: number): void {
    this.#end += count
  }

  create(template: string, parties: readonly string[], argument: Json): string {
    const contract = this.creation(template, parties, argument, 0)
    this.commit({ events: [created(contract)] })
    return contract.contractId
  }

  /** Makes a contract of the next transaction, because the contract's id depends on the transaction's offset. */
  creation(template: string, parties: readonly string[], argument: Json, nodeId: number): Contract {
    const offset = this.#end + 1
    const contractId = `00${(offset * 10 + nodeId).toString(16).padStart(64, '0')}`
    const contract = { contractId, template, argument, parties, offset, archivedAt: undefined }
    this.#contracts.set(contractId, contract)
    return contract
  }

  archive(contractId: string): void {
    const contract = this.#contracts.get(contractId)
    if (contract === undefined) throw new Error('no such contract')
    const { parties } = contract
    const { offset } = this.commit({ events: [{ parties, json: { ExercisedEvent: { contractId } } }] })
    contract.archivedAt = offset
  }

  commit(given: Pick<Transaction, 'events'> & Partial<Transaction>): Transaction {
    const transaction = { commandId: '', actAs: [], ...given, offset: ++this.#end }
    this.#transactions.push(transaction)
    return transaction
  }

  get transactions(): readonly Transaction[] {
    return this.#transactions
  }

  activeAt(offset: number): readonly Contract[] {
    return [...this.#contracts.values()].filter(
      (contract) => contract.offset <= offset && (contract.archivedAt ?? offset + 1) > offset,
    )
  }

  contract(contractId: string): Contract | undefined {
    return this.#contracts.get(contractId)
  }
}

export function created(contract: Contract): Event {
  return { parties: contract.parties, json: { CreatedEvent: createdJson(contract) } }
}

/** Undefined if the format selects no event of the transaction. */
export function transactionJson(
  { offset, commandId, events }: Transaction,
  { filtersByParty }: EventFormat,
): Json | undefined {
  const seen = events.filter(({ parties }) => parties.some((party) => Object.hasOwn(filtersByParty, party)))
  if (seen.length === 0) return undefined
  const updateId = `1220${offset.toString(16).padStart(64, '0')}`
  const times = { effectiveAt: moment, recordTime: moment }
  return { updateId, offset, commandId, ...times, synchronizerId, events: seen.map(({ json }) => json) }
}

/** Undefined if the format does not select the contract. */
export function contractJson(contract: Contract, { filtersByParty }: EventFormat): Json | undefined {
  const isSelected = contract.parties.some((party) => {
    const filters = filtersByParty[party]?.cumulative
    return filters?.every(
      ({ identifierFilter }) => templateOf(identifierFilter.TemplateFilter.value) === contract.template,
    )
  })
  return isSelected ? { createdEvent: createdJson(contract), synchronizerId } : undefined
}

/** @throws Refused if the participant does not have the template. */
function templateOf({ templateId }: { readonly templateId: string }): string {
  const [name = '', module = '', entity] = templateId.slice(1).split(':')
  if (packages[module] !== name) throw refused('NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME')
  return `${module}:${entity}`
}

function createdJson({ contractId, template, argument, parties, offset }: Contract): Json {
  return {
    offset,
    contractId,
    templateId: `${'a'.repeat(64)}:${template}`,
    createArgument: argument,
    witnessParties: parties,
    createdAt: moment,
  }
}
