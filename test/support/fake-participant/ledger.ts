import { hash } from 'node:crypto'
import { packageOf } from './catalog.ts'
import type { Checked } from './checks.ts'
import type { Contract, Create, Entry, Node, TransactionEntry } from './entries.ts'
import type { Version } from './errors.ts'
import type { UpdateFormat } from './formats.ts'
import type { Json } from './json.ts'
import { delivered, type Writing } from './visible.ts'

export const synchronizer = `global-domain::1220${'5'.repeat(64)}`
export const participantId = `participant1::1220${'6'.repeat(64)}`
const moment = '2026-01-01T00:00:00.123456Z'

/**
 * A contract, with the place of the event that created it. `archivedAt` is the offset at which it was archived;
 * undefined while it is active.
 */
export interface Held {
  readonly contract: Contract
  readonly offset: number
  readonly nodeId: number
  readonly workflowId: string
  readonly synchronizerId: string
  archivedAt: number | undefined
}

export interface Committed {
  readonly nodes: readonly Node[]
  readonly commandId?: string
  readonly actAs?: readonly string[]
}

export class FakeLedger {
  readonly version: Version
  refusal: { readonly status: number; readonly error: Json } | undefined
  readonly #hashes = new Map<number, string>()
  readonly #entries: Entry[] = []
  readonly #contracts = new Map<string, Held>()
  #end = 0

  constructor(version: Version) {
    this.version = version
  }

  get end(): number {
    return this.#end
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  get checked(): Checked {
    const { version, end } = this
    return { version, end }
  }

  get writing(): Writing {
    return { version: this.version, hashes: this.#hashes }
  }

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

  /** Gives the transaction at this offset a hash, as if it had been signed externally. Returns the hash in base64. */
  sign(offset: number): string {
    const hex = hash('sha256', this.updateIdAt(offset), 'hex')
    this.#hashes.set(offset, hex)
    return Buffer.from(hex, 'hex').toString('base64')
  }

  /** The skipped offsets stand for updates that no user of this participant sees. */
  skip(count: number): void {
    this.#end += count
  }

  create(
    template: string,
    signatories: readonly string[],
    argument: Json,
    observers: readonly string[] = [],
  ): string {
    const node = this.creation({ template, signatories, observers, argument }, 0)
    this.commit({ nodes: [node] })
    return node.contract.contractId
  }

  /** Makes a node for the next transaction, because the contract's id depends on the transaction's offset. */
  creation(
    { template, signatories, observers, argument }: Creation,
    nodeId: number,
    witnesses: readonly string[] = [...signatories, ...observers],
  ): Create {
    const { id, name } = packageOf(template)
    const contractId = `00${((this.#end + 1) * 10 + nodeId).toString(16).padStart(64, '0')}`
    const contract = {
      contractId,
      templateId: `${id}:${template}`,
      packageName: name,
      argument,
      signatories,
      observers,
      blob: Buffer.from(`blob of ${contractId}`).toString('base64'),
      createdAt: moment,
    }
    return { kind: 'create', nodeId, contract, witnesses }
  }

  archive(contractId: string): void {
    const { contract } = this.held(contractId) ?? {}
    if (contract === undefined) throw new Error('no such contract')
    const { signatories, observers } = contract
    const node = {
      kind: 'exercise',
      nodeId: 0,
      lastDescendantNodeId: 0,
      contract,
      choice: 'Archive',
      argument: {},
      result: {},
      isConsuming: true,
      actors: signatories,
      witnesses: [...signatories, ...observers],
    } as const
    this.commit({ nodes: [node] })
  }

  allocate(party: string): void {
    const place = {
      updateId: this.updateIdAt(this.#end + 1),
      recordTime: moment,
      synchronizerId: synchronizer,
    }
    this.#add({ kind: 'topology', offset: this.#end + 1, ...place, party, participantId })
  }

  get parties(): readonly string[] {
    return this.#entries.flatMap((entry) => (entry.kind === 'topology' ? [entry.party] : []))
  }

  hosts(party: string): boolean {
    return this.parties.includes(party)
  }

  updateIdAt(offset: number): string {
    return `1220${offset.toString(16).padStart(64, '0')}`
  }

  commit({ nodes, commandId = '', actAs = [] }: Committed): TransactionEntry {
    const offset = this.#end + 1
    const entry = {
      kind: 'transaction',
      offset,
      updateId: this.updateIdAt(offset),
      commandId,
      actAs,
      workflowId: '',
      effectiveAt: moment,
      recordTime: moment,
      synchronizerId: synchronizer,
      nodes,
    } as const
    this.#add(entry)
    return entry
  }

  #add(entry: Entry): void {
    this.#end = entry.offset
    this.#entries.push(entry)
    this.#take(entry)
    this.committed()
  }

  protected committed(): void {}

  held(contractId: string): Held | undefined {
    return this.#contracts.get(contractId)
  }

  /** Returns the hash in hex. Only externally signed transactions have a hash. */
  hashAt(offset: number): string | undefined {
    return this.#hashes.get(offset)
  }

  delivered(
    format: UpdateFormat,
    after: number,
    upTo: number,
  ): { readonly offset: number; readonly json: Json }[] {
    const { writing } = this
    return this.#entries.flatMap((entry) => {
      if (entry.offset <= after || entry.offset > upTo) return []
      const json = delivered(entry, format, writing)
      return json === undefined ? [] : [{ offset: entry.offset, json }]
    })
  }

  activeAt(offset: number): Held[] {
    const isActive = (held: Held) => held.offset <= offset && (held.archivedAt ?? offset + 1) > offset
    return [...this.#contracts.values()].filter(isActive)
  }

  #take(entry: Entry): void {
    if (entry.kind !== 'transaction') return
    const { offset, workflowId, synchronizerId } = entry
    for (const node of entry.nodes) {
      const { contractId } = node.contract
      const held = this.#contracts.get(contractId)
      if (node.kind === 'create') {
        const { contract, nodeId } = node
        const place = { offset, nodeId, workflowId, synchronizerId, archivedAt: undefined }
        this.#contracts.set(contractId, { contract, ...place })
      } else if (node.isConsuming && held !== undefined) held.archivedAt = offset
    }
  }
}

export interface Creation {
  readonly template: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
  readonly argument: Json
}
