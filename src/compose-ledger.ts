import { type LedgerAccessOptions, ledgerAccess } from './auth/ledger-access.ts'
import type { ClaimsVerifier, Verifier } from './auth/verifier.ts'
import { bootstrap } from './automation/bootstrap.ts'
import { nameServiceDuties } from './automation/duties.ts'
import { Automation } from './automation/loop.ts'
import { Retention } from './automation/retention.ts'
import { registryRoutes } from './http/routes/entry.ts'
import { inSpliceWords, type LedgerRoute } from './http/routes/route.ts'
import { validatorUserRoutes } from './http/routes/validator-user.ts'
import { walletRoutes } from './http/routes/wallet.ts'
import { LedgerApi } from './ledger/api/ledger-api.ts'
import { type EmbeddedLedger, openEmbeddedLedger } from './ledger/embedded/embedded-ledger.ts'
import type { TouchedName } from './ledger/update.ts'
import type { AdvancingClock } from './lib/advancing-clock.ts'
import type { Clock } from './lib/clock.ts'
import { Rules } from './names/cached-rules.ts'
import type { EntryRequest } from './names/name.ts'
import { NameHistory, type PastEvent } from './names/name-history.ts'
import { onOneLedger, Registry } from './names/registry.ts'
import { Users } from './names/users.ts'
import { topicsOfName } from './scan/name-topics.ts'
import type { Events } from './telemetry/events.ts'
import type { Logger } from './telemetry/logger.ts'
import { Wallet } from './wallet/wallet.ts'

export interface NameServiceOptions {
  /** Without a file, the ledger is lost when the process ends. */
  readonly file: string | undefined
  readonly acronym: string
  readonly validatorUser: string
  /** The ledger stores each update for this many milliseconds; undefined means forever. */
  readonly retainMs: number | undefined
}

export interface NameServiceDeps {
  readonly clock: AdvancingClock
  readonly logger: Logger
  readonly events: Pick<Events, 'ledgerWritten'>
}

export interface NameService extends AsyncDisposable {
  readonly ledger: EmbeddedLedger
  routes(verifier: Verifier): readonly LedgerRoute[]
  /** @param tokenClock the clock by which tokens expire */
  updates(
    options: Omit<LedgerAccessOptions, 'participantId'>,
    verifier: ClaimsVerifier,
    tokenClock: Clock,
  ): LedgerApi
  /**
   * Requests the name, pays with newly minted coin, and collects the payment.
   * @throws SpliceError, as the registry and the wallet do
   */
  register(userId: string, request: EntryRequest): Promise<void>
  /** The oldest event comes first. Events from before the start of this process are missing. */
  history(name: string): Promise<readonly PastEvent[]>
  /** Resolves when the automation has nothing left to do at the present time of the clock. */
  runUntilIdle(): Promise<void>
  /**
   * Whenever a name changes, calls `invalidate`, which must drop the cached answers about the name
   * on every daemon (quorum.md#invalidation).
   */
  invalidateChanges(invalidate: (topics: readonly string[]) => void): void
}

/** This amount is more than the price of a name. */
const enoughUsd = '10.0'

/** Rejects with `LedgerUnavailable` if the file cannot be used. */
export async function openNameService(
  { file, acronym, validatorUser, retainMs }: NameServiceOptions,
  { clock, logger, events }: NameServiceDeps,
): Promise<NameService> {
  await using opened = new AsyncDisposableStack()
  const ledger = opened.use(
    await openEmbeddedLedger(file === undefined ? {} : { file }, {
      clock,
      tell: ({ kind, ...event }) => logger.warn(event, `ledger: ${kind}`),
      wrote: events.ledgerWritten,
    }),
  )
  // Record times must not go back. An earlier process may have written to the file while its clock
  // was moved forward, so this clock begins at the last record time or later. Otherwise all mining
  // rounds might begin in the future, and no payment would be possible.
  const [latest] = (await ledger.checkpoint()).synchronizerTimes
  clock.advance(Math.max(0, (latest?.recordTime ?? 0) / 1000 - clock.wall()))
  const dso = await bootstrap(ledger, { acronym, now: Math.round(clock.wall() * 1000) })
  const users = new Users(ledger)
  const rules = opened.use(new Rules(dso, ledger))
  const duties = nameServiceDuties({ ledger, rules, acronym, logger })
  const automation = opened.use(new Automation(duties, { ledger, clock, logger }))
  automation.start()
  const registry = new Registry({ acronym }, { ...onOneLedger(ledger), rules, clock })
  // Renewals may be due that the user paid by hand until now.
  const renewingSet = () => void automation.runDuties()
  const wallet = new Wallet({ ledger, rules, clock, renewingSet })
  const history = opened.use(new NameHistory(ledger, clock))
  if (retainMs !== undefined) opened.use(new Retention(retainMs, { ledger, clock, logger }))
  const held = opened.move()
  return {
    ledger,
    routes: (verifier) => [
      ...registryRoutes({ verifier, users, registry }),
      ...walletRoutes({ verifier, users, wallet }),
      ...validatorUserRoutes(validatorUser, async () => {
        return { party: (await users.get(validatorUser)).party, featured: false }
      }),
    ],
    updates(options, verifier, tokenClock) {
      const { participantId, synchronizerId } = ledger
      const access = ledgerAccess({ ...options, participantId }, { verifier, users })
      const { anyPartyUsers } = options
      const ids = { participantId, synchronizerId, anyPartyUsers }
      return held.use(new LedgerApi(ids, { ledger, clock, tokenClock, access }))
    },
    async register(userId, request) {
      try {
        const user = await users.get(userId)
        const { subscriptionRequestCid } = await registry.create(user, request)
        await wallet.tap(user, enoughUsd)
        await wallet.accept(user, subscriptionRequestCid)
      } catch (error) {
        throw inSpliceWords(error, userId)
      }
      await automation.runUntilIdle()
    },
    history: async (name) => history.of(name),
    runUntilIdle: () => automation.runUntilIdle(),
    invalidateChanges: (invalidate) =>
      held.defer(ledger.watch(({ names }) => names.length > 0 && invalidate(topicsOf(names)))),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

function topicsOf(names: readonly TouchedName[]): readonly string[] {
  return [...new Set(names.flatMap(({ name, user }) => topicsOfName(name, user)))]
}
