import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import type { Json } from './contract.ts'
import type { DsoFacts } from './dso.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import { migrationId } from './network.ts'

type Body = { readonly [key: string]: Json }

/** An update as `/v2/updates` prints it, and when the ledger recorded it. */
export interface Recorded {
  readonly at: Micros
  readonly body: Body
  /** Of the transaction that an external party prepared. */
  readonly externalHash: string | undefined
  /** Undefined where no mediator tells. */
  readonly verdict: Body | undefined
}

/** Updates by their record times, as far as a node has them. */
export interface History {
  /** Whether it has loaded all of them, and not only the last ones. */
  readonly complete: boolean
  /** Where it has pruned what came before, and how it refuses pages that begin earlier. */
  readonly pruned?: Pruned
  /** The first so many after a time, or of all. */
  after(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  /** The last so many before a time, or of all, the last one first. */
  before(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  find(updateId: string): MaybePromise<Recorded | undefined>
  findByHash(hash: string): MaybePromise<Recorded | undefined>
}

interface Pruned {
  readonly to: Micros
  readonly says: 'not-found' | 'unavailable'
}

/** @param updates in the order of their record times. */
export function historyOf(updates: readonly Recorded[], complete = true): History {
  return {
    complete,
    after(time, limit) {
      const from = time === undefined ? 0 : updates.findIndex(({ at }) => at > time)
      return from === -1 ? [] : updates.slice(from, from + limit)
    },
    before: (time, limit) =>
      updates
        .filter(({ at }) => time === undefined || at < time)
        .slice(-limit)
        .reverse(),
    find: (updateId) => updates.find(({ body }) => body['update_id'] === updateId),
    findByHash: (hash) => updates.find(({ externalHash }) => externalHash === hash),
  }
}

/** The same to a node that has none of what came before a time. */
export function historySince(history: History, time: Micros): History {
  const known = (found: Recorded | undefined) => (found === undefined || found.at < time ? undefined : found)
  return {
    complete: false,
    after: (after, limit) => history.after(Math.max(after ?? 0, time - 1), limit),
    before: (before, limit) =>
      whenKnown(history.before(before, limit), (found) => found.filter(({ at }) => at >= time)),
    find: (updateId) => whenKnown(history.find(updateId), known),
    findByHash: (hash) => whenKnown(history.findByHash(hash), known),
  }
}

/** This node had loaded all of the history, and has pruned what came before a time. */
export function historyPruned(history: History, pruned: Pruned): History {
  return { ...historySince(history, pruned.to), complete: history.complete, pruned }
}

/** A coin in a snapshot. */
export interface Coin {
  readonly owner: string
  readonly amount: number
  readonly locked: boolean
  /** As `/v1/state/acs` prints it. */
  readonly event: Body
}

export interface Snapshot {
  readonly at: Micros
  readonly coins: readonly Coin[]
}

/** Which contracts of a snapshot; every condition that is given holds. */
export interface ActiveFilter {
  /** One of these is a stakeholder. */
  readonly parties?: readonly string[] | undefined
  /** `package-name:Module.Path:Entity` */
  readonly templates?: readonly string[] | undefined
  /** Coins, locked or not, and of one of these. */
  readonly owners?: readonly string[] | undefined
}

/** Decimals. */
export interface Totals {
  readonly unlocked: string
  readonly locked: string
  readonly all: string
}

/** What was active at times that a node has taken down. Where it has not taken a time down, nothing was. */
export interface Snapshots {
  /** The last one that is not later. */
  upTo(time: Micros): Micros | undefined
  /** The first one that is later. */
  after(time: Micros): Micros | undefined
  /** The first so many, as `/v1/state/acs` prints them. */
  active(at: Micros, filter: ActiveFilter, limit: number): MaybePromise<readonly Body[]>
  /** Undefined for a party that has no coin. */
  totals(at: Micros, owner: string): MaybePromise<Totals | undefined>
}

/** @param all earliest first. */
export function snapshotsIn(all: readonly Snapshot[]): Snapshots {
  const coinsAt = (time: Micros) => all.find(({ at }) => at === time)?.coins ?? []
  const sum = (coins: readonly Coin[]) => `${coins.reduce((total, { amount }) => total + amount, 0)}.0`
  return {
    upTo: (time) => all.findLast(({ at }) => at <= time)?.at,
    after: (time) => all.find(({ at }) => at > time)?.at,
    active(time, filter, limit) {
      const found = coinsAt(time).filter((coin) => isWanted(coin, filter))
      return found.slice(0, limit).map(({ event }) => event)
    },
    totals(time, party) {
      const own = coinsAt(time).filter(({ owner }) => owner === party)
      if (own.length === 0) return undefined
      return {
        unlocked: sum(own.filter(({ locked }) => !locked)),
        locked: sum(own.filter(({ locked }) => locked)),
        all: sum(own),
      }
    },
  }
}

function isWanted({ owner, event }: Coin, { parties, templates, owners }: ActiveFilter): boolean {
  const { template_id: id, package_name: packageName, signatories } = event
  const template = `${packageName}${String(id).slice(String(id).indexOf(':'))}`
  if (parties?.some((party) => (signatories as readonly Json[]).includes(party)) === false) return false
  return (templates?.includes(template) ?? true) && (owners?.includes(owner) ?? true)
}

/** The same to a node that has taken down none before a time. */
export function snapshotsSince(snapshots: Snapshots, first: Micros): Snapshots {
  return {
    ...snapshots,
    upTo(time) {
      const at = snapshots.upTo(time)
      return at === undefined || at < first ? undefined : at
    },
    after: (time) => snapshots.after(Math.max(time, first - 1)),
    active: (at, filter, limit) => (at < first ? [] : snapshots.active(at, filter, limit)),
    totals: (at, owner) => (at < first ? undefined : snapshots.totals(at, owner)),
  }
}

interface HistoryFacts extends Pick<DsoFacts, 'dso'> {
  readonly startedAt: Micros
  readonly alice: string
  readonly bob: string
}

const second = 1_000_000
const hour = 3_600 * second
const updateCount = 60

/** As `compact_json` prints a Daml Decimal of an update: with all its decimals. */
function decimal(amount: number): string {
  return `${amount}.0000000000`
}

/** One a second until the start, each a coin that is minted. */
export function updatesOf(
  identifiers: Identifiers,
  { dso, synchronizer, startedAt, alice, bob }: HistoryFacts & Pick<DsoFacts, 'synchronizer'>,
): readonly Recorded[] {
  const rulesId = identifiers.contractId()
  const packageId = identifiers.hex(64)
  const participant = identifiers.unique('participant')
  return Array.from({ length: updateCount }, (_, number) => {
    const at = startedAt - (updateCount - number) * second
    const id = `1220${identifiers.hex(64)}`
    const owner = number % 2 === 0 ? alice : bob
    const coin = identifiers.contractId()
    const externalHash = number % 5 === 0 ? identifiers.hex(64) : undefined
    const amount = decimal(number + 1)
    const body: Body = {
      update_id: id,
      migration_id: migrationId,
      workflow_id: '',
      record_time: isoTime(at),
      synchronizer_id: synchronizer,
      effective_at: isoTime(at - 250_000),
      root_event_ids: [`${id}:0`],
      events_by_id: {
        [`${id}:0`]: {
          event_type: 'exercised_event',
          event_id: `${id}:0`,
          contract_id: rulesId,
          template_id: `${packageId}:Splice.AmuletRules:AmuletRules`,
          package_name: 'splice-amulet',
          choice: 'AmuletRules_DevNet_Tap',
          choice_argument: { receiver: owner, amount },
          child_event_ids: [`${id}:1`],
          exercise_result: { amuletSum: { amulet: coin, amuletPrice: decimal(1) } },
          consuming: false,
          acting_parties: [owner],
          interface_id: null,
        },
        [`${id}:1`]: {
          event_type: 'created_event',
          event_id: `${id}:1`,
          contract_id: coin,
          template_id: `${packageId}:Splice.Amulet:Amulet`,
          package_name: 'splice-amulet',
          create_arguments: { dso, owner, amount: { initialAmount: amount } },
          created_at: isoTime(at - 250_000),
          signatories: [dso, owner],
          observers: [],
        },
      },
      ...(externalHash === undefined ? {} : { external_transaction_hash: externalHash }),
    }
    const verdict: Body = {
      update_id: id,
      migration_id: migrationId,
      domain_id: synchronizer,
      record_time: isoTime(at),
      submitting_parties: [owner],
      submitting_participant_uid: participant,
      verdict_result: 'VERDICT_RESULT_ACCEPTED',
      mediator_group: 0,
      transaction_views: {
        views: [
          {
            view_id: 0,
            informees: [dso, owner],
            confirming_parties: [{ parties: [dso], threshold: 1 }],
            sub_views: [],
            view_hash: identifiers.hex(64),
          },
        ],
        root_views: [0],
      },
    }
    return { at, body, externalHash, verdict }
  })
}

/** Two, six hours apart; what somebody had in the first, they still have in the second. */
export function snapshotsOf(
  identifiers: Identifiers,
  { dso, startedAt, alice, bob }: HistoryFacts,
): readonly Snapshot[] {
  const packageId = identifiers.hex(64)
  const coinOf = (owner: string, amount: number, locked: boolean, createdAt: Micros): Coin => ({
    owner,
    amount,
    locked,
    event: {
      created_in_update_id: locked ? null : `1220${identifiers.hex(64)}`,
      contract_id: identifiers.contractId(),
      template_id: `${packageId}:Splice.Amulet:${locked ? 'LockedAmulet' : 'Amulet'}`,
      package_name: 'splice-amulet',
      create_arguments: locked
        ? { amulet: { dso, owner, amount: { initialAmount: decimal(amount) } } }
        : { dso, owner, amount: { initialAmount: decimal(amount) } },
      created_at: isoTime(createdAt),
      signatories: [dso, owner],
      observers: [],
    },
  })
  const [earlier, later] = [startedAt - 12 * hour, startedAt - 6 * hour]
  const first = [
    coinOf(alice, 100, false, earlier - 3 * hour),
    coinOf(bob, 30, false, earlier - 2 * hour),
    coinOf(alice, 5, true, earlier - hour),
  ]
  return [
    { at: earlier, coins: first },
    { at: later, coins: [...first, coinOf(bob, 7, false, later - hour)] },
  ]
}
