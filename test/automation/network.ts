import { type Duration, milliseconds } from '../../src/base/lib/clock.ts'
import { type Fields, type Logger, silentLogger } from '../../src/base/telemetry/logger.ts'
import { nameServiceDuties } from '../../src/localnet/automation/duties.ts'
import { Automation } from '../../src/localnet/automation/loop.ts'
import { bootstrap } from '../../src/localnet/automation/name-service.ts'
import { Wallet } from '../../src/localnet/wallet/wallet.ts'
import { Amulet, LockedAmulet } from '../../src/registry/ledger/daml/splice/amulet.ts'
import type { AnsEntry } from '../../src/registry/ledger/daml/splice/ans.ts'
import { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { type ContractFrom, listContracts } from '../../src/registry/ledger/ledger.ts'
import { onOneLedger, Registry } from '../../src/registry/names/registry.ts'
import { Rules } from '../../src/registry/names/rules.ts'
import { type User, Users } from '../../src/registry/names/users.ts'
import { ManualClock } from '../support/manual-clock.ts'

export const acronym = 'cns'

interface NetworkOptions {
  readonly file?: string
  /** Wraps the submissions of the automation, so that a test can add faults to them. */
  readonly submit?: (real: Submit) => Submit
}

type Submit = EmbeddedLedger['submit']

/**
 * Opens a name service on an embedded ledger, with a clock that the test moves. The automation acts only when the test
 * calls `runUntilIdle` or `pass`.
 */
export async function openNetwork({ file, submit = (real) => real }: NetworkOptions = {}) {
  const clock = new ManualClock()
  const ledger = new EmbeddedLedger({ file }, { clock })
  const dso = await bootstrap(ledger, { acronym, now: clock.wall() * 1000 })
  const rules = new Rules(dso, ledger)
  const deps = { ledger, rules, clock }
  const users = new Users(ledger)
  const warnings: unknown[] = []
  const warn = (fields: Fields, message: string) => warnings.push({ ...fields, message })
  const logger: Logger = { ...silentLogger, warn, error: warn }
  const registry = new Registry({ acronym }, { ...onOneLedger(ledger), rules, clock })
  const wallet = new Wallet(deps)
  const duties = nameServiceDuties({ ledger, rules, acronym, logger })
  const submitting = {
    submit: submit((submission) => ledger.submit(submission)),
    watch: (watcher: Parameters<EmbeddedLedger['watch']>[0]) => ledger.watch(watcher),
  }
  const anotherAutomation = (...names: readonly string[]) => {
    const some = duties.filter(({ name }) => names.length === 0 || names.includes(name))
    return new Automation(some, { ledger: submitting, clock, logger })
  }
  const automation = anotherAutomation()

  const user = (name: string): Promise<User> => users.get(name)
  const ask = (who: User, name: string) =>
    registry.create(who, { name: nameOf(name), url: '', description: '' })

  const pay = async (who: User, name: string): Promise<string> => {
    const { subscriptionRequestCid } = await ask(who, name)
    await wallet.tap(who, '1.0')
    return wallet.accept(who, subscriptionRequestCid)
  }

  return {
    clock,
    ledger,
    dso,
    rules,
    users,
    warnings,
    registry,
    wallet,
    automation,
    anotherAutomation,
    user,
    ask,
    pay,
    async register(who: User, name: string): Promise<ContractFrom<typeof AnsEntry>> {
      await pay(who, name)
      await automation.runUntilIdle()
      const [entry] = await ledger.entries({ name: nameOf(name), limit: 2 })
      if (entry === undefined) throw new Error(`${name} was not registered`)
      return entry
    },
    holders: async (name: string) => {
      const now = clock.wall() * 1000
      return (await ledger.entries({ name: nameOf(name), notExpiredAt: now, limit: 9 })).map(
        ({ argument }) => argument.user,
      )
    },
    async pass(duration: Duration): Promise<void> {
      clock.advance(milliseconds(duration))
      await automation.runUntilIdle()
    },
    /** Returns the template's name of each active contract, without rules, rounds and unlocked coin. */
    async leftovers(): Promise<readonly string[]> {
      const all = await Promise.all(
        [...living, LockedAmulet.name].map((template) => ledger.contracts({ template }, 1000)),
      )
      return all.flat().map(({ templateId }) => templateId.slice(templateId.lastIndexOf(':') + 1))
    },
    coinOf: async (who: User) => (await wallet.balance(who)).effective_unlocked_qty,
    coins: (who: User) => listContracts(ledger, Amulet, { where: { owner: who.party } }, 1000),
    async [Symbol.asyncDispose](): Promise<void> {
      await automation[Symbol.asyncDispose]()
      await ledger[Symbol.asyncDispose]()
    },
  }
}

export type Network = Awaited<ReturnType<typeof openNetwork>>

export function nameOf(label: string): string {
  return `${label}.unverified.${acronym}`
}

const subscriptions = [
  'SubscriptionRequest',
  'SubscriptionInitialPayment',
  'Subscription',
  'SubscriptionIdleState',
  'SubscriptionPayment',
  'TerminatedSubscription',
]
const living = [
  ...subscriptions.map((entity) => `Splice.Wallet.Subscriptions:${entity}`),
  'Splice.Ans:AnsEntry',
  'Splice.Ans:AnsEntryContext',
]
