import { EmbeddedLedger } from '../ledger/embedded/embedded-ledger.ts'
import type { AdvancingClock } from '../lib/advancing-clock.ts'
import type { EntryRequest } from '../names/name.ts'
import { NameHistory, type PastEvent } from '../names/name-history.ts'
import { onOneLedger, Registry } from '../names/registry.ts'
import { Rules } from '../names/rules.ts'
import { Users } from '../names/users.ts'
import type { Events } from '../telemetry/events.ts'
import type { Logger } from '../telemetry/logger.ts'
import { Wallet } from '../wallet/wallet.ts'
import { bootstrap } from './bootstrap.ts'
import { nameServiceDuties } from './duties.ts'
import { Automation } from './loop.ts'

export interface NameServiceOptions {
  /** Without a file, the ledger is lost when the process ends. */
  readonly file?: string
  readonly acronym: string
  readonly validatorUser: string
}

export interface NameServiceDeps {
  readonly clock: AdvancingClock
  readonly logger: Logger
  readonly events: Pick<Events, 'ledgerWritten'>
}

interface ServiceParts {
  readonly ledger: EmbeddedLedger
  readonly users: Users
  readonly registry: Registry
  readonly wallet: Wallet
  readonly automation: Automation
  readonly history: NameHistory
}

/** This amount is more than the price of a name. */
const enoughUsd = '10.0'

/** An embedded ledger, and what makes it a name service: the registry, a wallet and the automation. */
export class NameService implements AsyncDisposable {
  readonly ledger: EmbeddedLedger
  readonly users: Users
  readonly registry: Registry
  readonly wallet: Wallet
  readonly acronym: string
  readonly validatorUser: string
  readonly #automation: Automation
  readonly #history: NameHistory
  readonly #opened: AsyncDisposableStack

  private constructor(
    { acronym, validatorUser }: NameServiceOptions,
    parts: ServiceParts,
    opened: AsyncDisposableStack,
  ) {
    this.ledger = parts.ledger
    this.users = parts.users
    this.registry = parts.registry
    this.wallet = parts.wallet
    this.acronym = acronym
    this.validatorUser = validatorUser
    this.#automation = parts.automation
    this.#history = parts.history
    this.#opened = opened
  }

  /** Rejects with `LedgerUnavailable` if the file cannot be used. */
  static async open(
    options: NameServiceOptions,
    { clock, logger, events }: NameServiceDeps,
  ): Promise<NameService> {
    const { file, acronym } = options
    await using opened = new AsyncDisposableStack()
    const ledger = opened.use(
      new EmbeddedLedger(
        { file },
        {
          clock,
          tell: ({ kind, ...event }) => logger.warn(event, `ledger: ${kind}`),
          wrote: events.ledgerWritten,
        },
      ),
    )
    // Record times must not go back. An earlier process may have written to the file while its clock
    // was moved forward, so this clock begins at the last record time or later. Otherwise all mining
    // rounds might begin in the future, and no payment would be possible.
    const [latest] = (await ledger.checkpoint()).synchronizerTimes
    clock.advance(Math.max(0, (latest?.recordTime ?? 0) / 1000 - clock.wall()))
    const dso = await bootstrap(ledger, { acronym, now: Math.round(clock.wall() * 1000) })
    const users = new Users(ledger)
    const rules = new Rules(dso, ledger)
    const duties = nameServiceDuties({ ledger, rules, acronym, logger })
    const automation = opened.use(new Automation(duties, { ledger, clock, logger }))
    automation.start()
    const registry = new Registry({ acronym }, { ...onOneLedger(ledger), rules, clock })
    // Renewals may be due that the user paid by hand until now.
    const renewingSet = () => void automation.runDuties()
    const wallet = new Wallet({ ledger, rules, clock, renewingSet })
    const history = opened.use(new NameHistory(ledger, clock))
    const parts = { ledger, users, registry, wallet, automation, history }
    return new NameService(options, parts, opened.move())
  }

  async findValidator() {
    return { party: (await this.users.get(this.validatorUser)).party, featured: false }
  }

  /**
   * Requests the name, pays with newly minted coin, and collects the payment.
   * @throws as the registry and the wallet do
   */
  async register(userId: string, request: EntryRequest): Promise<void> {
    const user = await this.users.get(userId)
    const { subscriptionRequestCid } = await this.registry.create(user, request)
    await this.wallet.tap(user, enoughUsd)
    await this.wallet.accept(user, subscriptionRequestCid)
    await this.#automation.runUntilIdle()
  }

  /** The oldest event comes first. Events from before the start of this process are missing. */
  async history(name: string): Promise<readonly PastEvent[]> {
    return this.#history.of(name)
  }

  /** Resolves when the automation has nothing left to do at the present time of the clock. */
  runUntilIdle(): Promise<void> {
    return this.#automation.runUntilIdle()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync()
  }
}
