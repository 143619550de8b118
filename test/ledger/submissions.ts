import type { Command, Submission } from '../../src/ledger/command.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Contract, Transaction } from '../../src/ledger/update.ts'
import type { ContractId, Micros, Party } from '../../src/ledger/value.ts'

export const entryTemplate = 'Splice.Ans:AnsEntry'
export const rulesTemplate = 'Splice.Ans:AnsRules'
export const dayUs = 86_400_000_000

export function submission(
  actAs: readonly Party[],
  commands: readonly Command[],
  overrides: Partial<Submission> = {},
): Submission {
  const commandId = `command-${crypto.randomUUID()}`
  return {
    commandId,
    userId: 'tester',
    actAs,
    readAs: [],
    workflowId: '',
    disclosed: [],
    commands,
    ...overrides,
  }
}

export interface Pair {
  readonly dso: Party
  readonly user: Party
}

export async function pairOf(ledger: Ledger, userId = 'alice'): Promise<Pair> {
  return { dso: await ledger.partyOf('dso', 'DSO'), user: await ledger.partyOf(userId, userId) }
}

export interface EntryOptions {
  readonly expiresAt?: Micros
  readonly description?: string
}

export function entryCreate({ dso, user }: Pair, name: string, options: EntryOptions = {}): Command {
  const { expiresAt = Date.UTC(2026, 3, 1) * 1000, description = '' } = options
  const argument = { user, dso, name, url: '', description, expiresAt: timeOf(expiresAt) }
  return { kind: 'create', template: entryTemplate, argument }
}

export function archive(contractId: ContractId): Command {
  return { kind: 'exercise', template: entryTemplate, contractId, choice: 'Archive', argument: {} }
}

export function renewal(contractId: ContractId, extensionUs: number): Command {
  const argument = { extension: { microseconds: String(extensionUs) } }
  return { kind: 'exercise', template: entryTemplate, contractId, choice: 'AnsEntry_Renew', argument }
}

export async function commit(
  ledger: Ledger,
  { dso, user }: Pair,
  ...commands: Command[]
): Promise<Transaction> {
  return transactionOf(await ledger.submit(submission([dso, user], commands)))
}

export function transactionOf(outcome: Awaited<ReturnType<Ledger['submit']>>): Transaction {
  if (outcome.kind === 'refused') throw new Error(`refused: ${outcome.message}`)
  return outcome.transaction
}

export function createdBy({ nodes }: Transaction): readonly Contract[] {
  return nodes.flatMap((node) => (node.kind === 'create' ? [node.contract] : []))
}

export async function register(
  ledger: Ledger,
  pair: Pair,
  name: string,
  options?: EntryOptions,
): Promise<Contract> {
  const [contract] = createdBy(await commit(ledger, pair, entryCreate(pair, name, options)))
  return contract as Contract
}
