import type { Refusal } from './daml/refused.ts'
import type { Choice, ContractOf, Template } from './daml/template.ts'
import type { Contract } from './update.ts'
import type { ContractId, DamlRecord, DamlValue, Micros, Party } from './value.ts'

/**
 * One change that a user requests. All commands of a submission take effect together, or none does.
 */
export type Command =
  | {
      readonly kind: 'create'
      readonly template: Template
      readonly argument: DamlRecord
    }
  | {
      readonly kind: 'exercise'
      /** The ledger rejects the command if the contract has another template than the choice. */
      readonly choice: Choice
      readonly contractId: ContractId
      readonly argument: DamlRecord
    }

export interface Submission {
  /**
   * The ledger executes submissions with the same `commandId`, `userId` and `actAs` once: a
   * repetition returns the first transaction. On a participant's ledger, this holds only until the
   * outcome of the first submission is known.
   */
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly commands: readonly Command[]
  /**
   * Contracts that the commands use although no submitting party is a stakeholder (Daml: explicit
   * disclosure).
   */
  readonly disclosed: readonly { readonly contractId: ContractId; readonly createdEventBlob: string }[]
}

export interface Committed {
  readonly kind: 'committed'
  /** The result of the choice that the first command exercises; null if it creates a contract. */
  readonly result: DamlValue
  readonly duplicate: boolean
}

export type Outcome = Committed | Refusal

/** Thrown if the ledger cannot carry out a call now, for example because the disk is full. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

export interface ContractFilter {
  readonly template: string
  /**
   * Required strings in the contract's argument, by lookup key: `{ name: 'alice.cns' }`.
   * `Template.indexed` lists the keys.
   */
  readonly where?: Readonly<Record<string, string>>
}

/**
 * Selects registered names. An expired name stays active until automation archives the contract.
 */
export interface EntryFilter {
  readonly name?: string
  readonly user?: Party
  readonly prefix?: string
  readonly notExpiredAt?: Micros
  /** The maximum number of entries. The entries are sorted by name, in the order of code points. */
  readonly limit: number
  /**
   * The record time at which the entries were active. Undefined selects entries that are active
   * now.
   */
  readonly asOf?: Micros | undefined
}

export interface HostedParty {
  readonly party: Party
  /** Empty for a party without a user. */
  readonly userId: string
}

export interface PartyFilter {
  readonly prefix: string
  /** Parties are sorted by id, and the first one is after this text. */
  readonly after: string
  readonly limit: number
}

export type UserContract = Pick<Contract, 'contractId' | 'templateId' | 'argument'>

/** The part of a ledger that the registry needs: the embedded one, or a participant's for one user. */
export interface UserLedger {
  submit(submission: Submission): Promise<Outcome>
  contract(contractId: ContractId): Promise<UserContract | undefined>
  /** Returns active contracts, the oldest first. */
  contracts(filter: ContractFilter, limit: number): Promise<readonly UserContract[]>
}

/** Canton's `JsCantonError`, as far as this program needs it. */
export interface RefusedByParticipant {
  readonly code: string
  readonly cause: string
  readonly errorCategory: number
}

/** Thrown if a participant rejects a request. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal'
  readonly status: number
  readonly code: string
  readonly reason: string
  readonly errorCategory: number

  constructor(status: number, { code, cause, errorCategory }: RefusedByParticipant) {
    super(`${code}: ${cause}`)
    this.status = status
    this.code = code
    this.reason = cause
    this.errorCategory = errorCategory
  }
}

/**
 * - `duplicate`: an earlier submission had already made this change.
 * - `unavailable`: the write threw `LedgerUnavailable`, or its outcome is unknown.
 * - `failed`: the write threw an error that only a bug in the program can cause.
 */
export type WriteOutcome = 'committed' | 'duplicate' | 'refused' | 'unavailable' | 'failed'

/** Passes the outcome of `write` to `tell`, even if `write` rejects. */
export async function reportingOutcome<W>(
  tell: (outcome: WriteOutcome) => void,
  write: Promise<W>,
): Promise<W> {
  try {
    const written = await write
    const { kind, duplicate } = Object(written) as { readonly kind?: string; readonly duplicate?: boolean }
    tell(kind === 'refused' ? 'refused' : duplicate === true ? 'duplicate' : 'committed')
    return written
  } catch (error) {
    tell(outcomeOf(error))
    throw error
  }
}

function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof LedgerRefusal) return 'refused'
  return error instanceof LedgerUnavailable ? 'unavailable' : 'failed'
}

/** The maximum length of a list of contracts in the registry and the wallet, as in Splice. */
export const mostListed = 1000

/** The type of the contracts of a template constant: `ContractFrom<typeof AnsRules>`. */
export type ContractFrom<T> = T extends Template<infer A> ? ContractOf<A> : never

/** Lets a submission use contracts whose stakeholders do not include its submitters. */
export function disclosed(
  contracts: readonly Pick<Contract, 'contractId' | 'createdEventBlob'>[],
): Submission['disclosed'] {
  return contracts.map(({ contractId, createdEventBlob }) => ({ contractId, createdEventBlob }))
}

export function create<A extends DamlRecord>(template: Template<A>, argument: NoInfer<A>): Command {
  return { kind: 'create', template, argument }
}

export function exercise<A extends DamlRecord, C extends DamlRecord>(
  choice: Choice<A, C>,
  contractId: ContractId,
  argument: NoInfer<C>,
): Command {
  return { kind: 'exercise', choice, contractId, argument }
}

export function resultOf<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
  _choice: Choice<A, C, R>,
  { result }: Committed,
): R {
  return result as R
}

type TypedContract<A extends DamlRecord, C extends UserContract> = C & { readonly argument: A }

export async function findContract<A extends DamlRecord, C extends UserContract>(
  ledger: { contract(contractId: ContractId): Promise<C | undefined> },
  template: Template<A>,
  contractId: ContractId,
): Promise<TypedContract<A, C> | undefined> {
  const contract = await ledger.contract(contractId)
  return contract?.templateId.endsWith(`:${template.name}`) ? (contract as TypedContract<A, C>) : undefined
}

export async function listContracts<A extends DamlRecord, C extends UserContract>(
  ledger: { contracts(filter: ContractFilter, limit: number): Promise<readonly C[]> },
  template: Template<A>,
  filter: Omit<ContractFilter, 'template'>,
  limit: number,
): Promise<readonly TypedContract<A, C>[]> {
  const contracts = await ledger.contracts({ template: template.name, ...filter }, limit)
  return contracts as readonly TypedContract<A, C>[]
}

/** Reads the contracts whose time (`Template.dueField`) is before `before`, in pages. */
export async function* dueContracts<A extends DamlRecord>(
  ledger: {
    due(template: string, before: Micros, limit: number, after?: Contract): Promise<readonly Contract[]>
  },
  template: Template<A>,
  before: Micros,
  limit: number,
): AsyncGenerator<readonly ContractOf<A>[]> {
  let last: ContractOf<A> | undefined
  do {
    const page = (await ledger.due(template.name, before, limit, last)) as readonly ContractOf<A>[]
    if (page.length > 0) yield page
    last = page.length < limit ? undefined : page.at(-1)
  } while (last !== undefined)
}
