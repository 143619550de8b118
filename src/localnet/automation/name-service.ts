import type { AdvancingClock } from '../../base/lib/advancing-clock.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Logger } from '../../base/telemetry/logger.ts'
import { AmuletRules } from '../../registry/ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../registry/ledger/daml/splice/ans.ts'
import { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import type { LedgerEvent } from '../../registry/ledger/embedded/writer.ts'
import { initialAmuletRules, initialAnsRules } from '../../registry/ledger/initial-rules.ts'
import { type Command, create } from '../../registry/ledger/ledger.ts'
import type { Micros, Party } from '../../registry/ledger/value.ts'
import type { EntryRequest } from '../../registry/names/name.ts'
import { NameHistory, type PastEvent } from '../../registry/names/name-history.ts'
import { onOneLedger, Registry } from '../../registry/names/registry.ts'
import { Rules } from '../../registry/names/rules.ts'
import { dsoUserId, Users } from '../../registry/names/users.ts'
import { Wallet } from '../wallet/wallet.ts'
import { nameServiceDuties } from './duties.ts'
import { byDso } from './duty.ts'
import { Automation } from './loop.ts'
import { decideRounds } from './mining-rounds.ts'

export interface NameServiceOptions {
  /** Without a file, the ledger is lost when the process ends. */
  readonly file?: string | undefined
  readonly acronym: string
  readonly validatorUser: string
}

export interface NameServiceDeps {
  readonly clock: AdvancingClock
  readonly logger: Logger
  readonly events: Pick<Events, 'ledgerWritten'>
}

/** This amount is more than the price of a name. */
const enoughUsd = '10.0'

export type NameService = Awaited<ReturnType<typeof openNameService>>

/**
 * Opens an embedded ledger, and what makes it a name service: the registry, a wallet and the
 * automation. Rejects with `LedgerUnavailable` if the file cannot be used.
 */
export async function openNameService(
  { file, acronym, validatorUser }: NameServiceOptions,
  { clock, logger, events }: NameServiceDeps,
) {
  await using opened = new AsyncDisposableStack()
  const tell = ({ kind, ...event }: LedgerEvent) => logger.warn(event, `ledger: ${kind}`)
  const ledger = opened.use(new EmbeddedLedger({ file }, { clock, tell, wrote: events.ledgerWritten }))
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
  const held = opened.move()
  return {
    ledger,
    users,
    registry,
    wallet,
    acronym,
    validatorUser,
    findValidator: async () => ({ party: (await users.get(validatorUser)).party, featured: false }),
    /**
     * Requests the name, pays with newly minted coin, and collects the payment.
     * @throws as the registry and the wallet do
     */
    async register(userId: string, request: EntryRequest): Promise<void> {
      const user = await users.get(userId)
      const { subscriptionRequestCid } = await registry.create(user, request)
      await wallet.tap(user, enoughUsd)
      await wallet.accept(user, subscriptionRequestCid)
      await automation.runUntilIdle()
    },
    /** The oldest event comes first. Events from before the start of this process are missing. */
    history: async (name: string): Promise<readonly PastEvent[]> => history.of(name),
    /** Resolves when the automation has nothing left to do at the present time of the clock. */
    runUntilIdle: () => automation.runUntilIdle(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

interface BootstrapOptions {
  /** The part of every name after its last dot, in lower case: `cns`. */
  readonly acronym: string
  readonly now: Micros
}

/**
 * Creates what the ledger of a name registry lacks: the DSO's party, the rules for names and for
 * amulets, and the first mining rounds.
 */
export async function bootstrap(ledger: EmbeddedLedger, { acronym, now }: BootstrapOptions): Promise<Party> {
  const dso = await ledger.partyOf(dsoUserId, 'DSO')
  const rules = new Rules(dso, ledger)
  const { ansRules, amuletRules, rounds } = await rules.get()
  if (ansRules === undefined) {
    await found(ledger, dso, 'found-ans-rules', create(AnsRules, initialAnsRules(dso, acronym)))
  }
  if (amuletRules === undefined) {
    const [latest] = (await ledger.checkpoint()).synchronizerTimes
    const initial = initialAmuletRules(dso, latest?.synchronizerId ?? '')
    await found(ledger, dso, 'found-amulet-rules', create(AmuletRules, initial))
  }
  // If the ledger has everything already, nothing is written, so a daemon can start on a ledger
  // that takes no writes.
  if (rounds.length === 0) {
    for (const submission of decideRounds(await rules.get(), now)) await ledger.submit(submission)
  }
  return dso
}

async function found(ledger: EmbeddedLedger, dso: Party, commandId: string, command: Command): Promise<void> {
  const outcome = await ledger.submit(byDso(dso, commandId, [command]))
  if (outcome.kind === 'refused') throw new Error(`the ledger refused ${commandId}: ${outcome.message}`)
}
