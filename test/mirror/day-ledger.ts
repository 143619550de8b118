import { byDso } from '../../src/localnet/automation/duty.ts'
import { bootstrap } from '../../src/localnet/automation/name-service.ts'
import { microsIn } from '../../src/localnet/world/contract.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import { AmuletRules } from '../../src/registry/ledger/daml/splice/amulet-rules.ts'
import { archiving } from '../../src/registry/ledger/daml/template.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { create, exercise, listContracts } from '../../src/registry/ledger/ledger.ts'
import type { Transaction } from '../../src/registry/ledger/update.ts'
import { archive, commit, createdBy, entryCreate, type Pair, renewal } from '../ledger/submissions.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { NameBooks } from './day-books.ts'

const acronym = 'cns'

/** An embedded ledger whose names a test changes. `books` records when the ledger had each entry. */
export class DayLedger implements AsyncDisposable {
  readonly ledger: EmbeddedLedger
  readonly books = new NameBooks()
  readonly dso: string
  readonly users: readonly string[]
  readonly #clock: ManualClock

  private constructor(ledger: EmbeddedLedger, clock: ManualClock, parties: readonly string[]) {
    this.ledger = ledger
    this.#clock = clock
    const [dso = '', ...users] = parties
    this.dso = dso
    this.users = users
  }

  static async open(clock: ManualClock, users: number): Promise<DayLedger> {
    const ledger = new EmbeddedLedger({}, { clock })
    const parties = [await bootstrap(ledger, { acronym, now: clock.wall() * 1_000 })]
    for (let user = 0; user < users; user++)
      parties.push(await ledger.partyOf(`user-${user}`, `user-${user}`))
    return new DayLedger(ledger, clock, parties)
  }

  holder(name: string): MirroredEntry | undefined {
    return this.books
      .present()
      .find((entry) => entry.name === name && microsIn(entry.expires_at) >= this.#clock.wall() * 1_000)
  }

  async register(name: string, user: string, expiresAt: number): Promise<void> {
    const pair = this.#pair(user)
    const made = await this.#commit(() =>
      commit(this.ledger, pair, entryCreate(pair, name, { expiresAt, description: `of ${user}` })),
    )
    this.books.enter(made.at, { created: made.created })
  }

  async renew(entry: MirroredEntry, extensionUs: number): Promise<void> {
    const made = await this.#commit(() =>
      commit(this.ledger, this.#pair(entry.user), renewal(entry.contract_id, extensionUs)),
    )
    this.books.enter(made.at, { created: made.created, archived: [entry] })
  }

  async withdraw(entry: MirroredEntry): Promise<void> {
    const { at } = await this.#commit(() =>
      commit(this.ledger, this.#pair(entry.user), archive(entry.contract_id)),
    )
    this.books.enter(at, { archived: [entry], isWithdrawal: true })
  }

  async sweep(): Promise<void> {
    const now = this.#clock.wall() * 1_000
    for (const entry of this.books.present().filter(({ expires_at }) => microsIn(expires_at) < now)) {
      const { at } = await this.#commit(() =>
        commit(this.ledger, this.#pair(entry.user), archive(entry.contract_id)),
      )
      this.books.enter(at, { archived: [entry] })
    }
  }

  /**
   * Replaces the DSO's rules by rules that name this version of the name service's package, as a vote of the DSO does.
   */
  async vote(amuletNameService: string): Promise<void> {
    const [rules] = await listContracts(this.ledger, AmuletRules, {}, 1)
    if (rules === undefined) throw new Error('the ledger has rules')
    const argument = structuredClone(rules.argument)
    const { packageConfig } = argument.configSchedule.initialValue as {
      packageConfig: Record<string, string>
    }
    packageConfig['amuletNameService'] = amuletNameService
    this.#clock.advance(1)
    const gone = exercise(archiving(AmuletRules), rules.contractId, {})
    const outcome = await this.ledger.submit(
      byDso(this.dso, `vote-${this.#clock.wall()}`, [gone, create(AmuletRules, argument)]),
    )
    if (outcome.kind === 'refused') throw new Error(outcome.message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ledger[Symbol.asyncDispose]()
  }

  #pair(user: string): Pair {
    return { dso: this.dso, user }
  }

  /** Moves the clock before each update, so that no two updates have the same time. */
  async #commit(submit: () => Promise<Transaction>) {
    this.#clock.advance(1)
    const transaction = await submit()
    const [contract] = createdBy(transaction)
    return {
      at: Math.floor(transaction.recordTime / 1_000),
      created: contract && entryOf(contract.contractId, contract.argument),
    }
  }
}

function entryOf(contractId: string, argument: Readonly<Record<string, unknown>>): MirroredEntry {
  const text = (member: string) => String(argument[member])
  return {
    contract_id: contractId,
    user: text('user'),
    name: text('name'),
    url: text('url'),
    description: text('description'),
    expires_at: timeOf(microsIn(text('expiresAt'))),
  }
}
