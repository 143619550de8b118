import { SpliceError } from '../errors/splice.ts'
import type { Command, Submission } from '../ledger/command.ts'
import { Amulet, LockedAmulet } from '../ledger/daml/splice/amulet.ts'
import type { AmuletRules } from '../ledger/daml/splice/amulet-rules.ts'
import type { ContractOf, Template } from '../ledger/daml/template.ts'
import type { Outcome, UserLedger } from '../ledger/ledger.ts'
import { type ContractFrom, disclosed, findContract, listContracts, mostListed } from '../ledger/typed.ts'
import type { ContractId, DamlRecord, Micros } from '../ledger/value.ts'
import type { Clock } from '../lib/clock.ts'
import { type OpenRound, type Rules, usableRound } from '../names/cached-rules.ts'
import type { User } from '../names/users.ts'
import type { Coin, LockedCoin } from './coins.ts'

export interface WalletLedgerDeps {
  readonly ledger: UserLedger
  readonly rules: Rules
  readonly clock: Clock
}

/**
 * The DSO's contracts that every payment uses. Each payment must disclose them
 * (`Submission.disclosed`), because the user's party is not a stakeholder.
 */
export interface Terms {
  readonly amuletRules: ContractFrom<typeof AmuletRules>
  readonly round: OpenRound
}

export class WalletLedger {
  readonly #ledger: WalletLedgerDeps['ledger']
  readonly #rules: Rules
  readonly #clock: Clock

  constructor({ ledger, rules, clock }: WalletLedgerDeps) {
    this.#ledger = ledger
    this.#rules = rules
    this.#clock = clock
  }

  submit({ userId, party }: User, commandId: string, command: Command, terms?: Terms): Promise<Outcome> {
    const submission: Submission = {
      commandId,
      userId,
      actAs: [party],
      readAs: [],
      workflowId: '',
      commands: [command],
      disclosed: terms === undefined ? [] : disclosed([terms.amuletRules, terms.round]),
    }
    return this.#ledger.submit(submission)
  }

  /** @throws SpliceError `noOpenRound` */
  async terms(): Promise<Terms> {
    const { amuletRules, rounds } = await this.#rules.get()
    const round = usableRound(rounds, this.now())
    if (amuletRules === undefined || round === undefined)
      throw new SpliceError('noOpenRound', {}, { retryAfter: 5 })
    return { amuletRules, round }
  }

  coins({ party }: User): Promise<readonly Coin[]> {
    return listContracts(this.#ledger, Amulet, { where: { owner: party } }, Number.MAX_SAFE_INTEGER)
  }

  lockedCoins({ party }: User): Promise<readonly LockedCoin[]> {
    return listContracts(this.#ledger, LockedAmulet, { where: { owner: party } }, Number.MAX_SAFE_INTEGER)
  }

  sentBy<A extends DamlRecord>({ party }: User, template: Template<A>): Promise<readonly ContractOf<A>[]> {
    return listContracts(this.#ledger, template, { where: { sender: party } }, mostListed)
  }

  async own<A extends DamlRecord>(
    { party }: User,
    template: Template<A>,
    contractId: ContractId,
  ): Promise<ContractOf<A> | undefined> {
    const contract = await findContract(this.#ledger, template, contractId)
    return contract?.signatories.includes(party) ? contract : undefined
  }

  now(): Micros {
    return Math.floor(this.#clock.wall() * 1000)
  }
}
