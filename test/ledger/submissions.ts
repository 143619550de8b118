import { AnsEntry, AnsEntry_Renew } from '../../src/registry/ledger/daml/splice/ans.ts'
import { archiving } from '../../src/registry/ledger/daml/template.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import type { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { type Command, create, exercise, type Submission } from '../../src/registry/ledger/ledger.ts'
import type { Contract, Transaction } from '../../src/registry/ledger/update.ts'
import type { ContractId, Micros, Party } from '../../src/registry/ledger/value.ts'

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
    disclosed: [],
    commands,
    ...overrides,
  }
}

export interface Pair {
  readonly dso: Party
  readonly user: Party
}

export async function pairOf(ledger: EmbeddedLedger, userId = 'alice'): Promise<Pair> {
  return { dso: await ledger.partyOf('dso', 'DSO'), user: await ledger.partyOf(userId, userId) }
}

export interface EntryOptions {
  readonly expiresAt?: Micros
  readonly description?: string
}

export function entryCreate({ dso, user }: Pair, name: string, options: EntryOptions = {}): Command {
  const { expiresAt = Date.UTC(2026, 3, 1) * 1000, description = '' } = options
  return create(AnsEntry, { user, dso, name, url: '', description, expiresAt: timeOf(expiresAt) })
}

export function archive(contractId: ContractId): Command {
  return exercise(archiving(AnsEntry), contractId, {})
}

export function renewal(contractId: ContractId, extensionUs: number): Command {
  return exercise(AnsEntry_Renew, contractId, { extension: { microseconds: String(extensionUs) } })
}

export async function commit(
  ledger: EmbeddedLedger,
  { dso, user }: Pair,
  ...commands: Command[]
): Promise<Transaction> {
  return transactionOf(await ledger.submit(submission([dso, user], commands)))
}

export function transactionOf(outcome: Awaited<ReturnType<EmbeddedLedger['submit']>>): Transaction {
  if (outcome.kind === 'refused') throw new Error(`refused: ${outcome.message}`)
  return outcome.transaction
}

export function createdBy({ nodes }: Transaction): readonly Contract[] {
  return nodes.flatMap((node) => (node.kind === 'create' ? [node.contract] : []))
}

export async function register(
  ledger: EmbeddedLedger,
  pair: Pair,
  name: string,
  options?: EntryOptions,
): Promise<Contract> {
  const [contract] = createdBy(await commit(ledger, pair, entryCreate(pair, name, options)))
  return contract as Contract
}
