import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import type { Json } from './contract.ts'
import type { DsoFacts } from './dso.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import { migrationId } from './network.ts'

type Body = { readonly [key: string]: Json }

/** An update in the form of `/v2/updates`, with the time at which the ledger recorded it. */
export interface Recorded {
  readonly at: Micros
  readonly body: Body
  /** The hash of the transaction that an external party prepared. */
  readonly externalHash: string | undefined
  /** Undefined if no mediator reports a verdict. */
  readonly verdict: Body | undefined
}

/** The updates that a node has, by record time. */
export interface History {
  /** Whether the node has loaded the whole history, not only the latest updates. */
  readonly complete: boolean
  /** The record time before which the node has pruned updates, and its error for pages that start earlier. */
  readonly pruned?: Pruned
  /** The first `limit` updates after a time, or of the whole history. */
  after(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  /** The last `limit` updates before a time, or of the whole history, in reverse order. */
  before(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  find(updateId: string): MaybePromise<Recorded | undefined>
  findByHash(hash: string): MaybePromise<Recorded | undefined>
}

interface Pruned {
  readonly to: Micros
  readonly says: 'not-found' | 'unavailable'
}

/**
 * Returns a history of these updates.
 * @param updates in order of record time.
 */
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

/** Returns the history of a node that has no updates before a time. */
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

/** Returns the history of a node that loaded all updates and has pruned those before a time. */
export function historyPruned(history: History, pruned: Pruned): History {
  return { ...historySince(history, pruned.to), complete: history.complete, pruned }
}

/** A coin in a snapshot. */
export interface Coin {
  readonly owner: string
  readonly amount: number
  readonly locked: boolean
  /** The event in the form of `/v1/state/acs`. */
  readonly event: Body
}

export interface Snapshot {
  readonly at: Micros
  readonly coins: readonly Coin[]
}

/** Selects contracts of a snapshot. A contract must meet every given condition. */
export interface ActiveFilter {
  /** At least one of these parties is a stakeholder. */
  readonly parties?: readonly string[] | undefined
  /** `package-name:Module.Path:Entity` */
  readonly templates?: readonly string[] | undefined
  /** The contract is coin, locked or not, of one of these owners. */
  readonly owners?: readonly string[] | undefined
}

/** Amounts as decimals. */
export interface Totals {
  readonly unlocked: string
  readonly locked: string
  readonly all: string
}

/** Snapshots of active contracts that a node has taken. A time without a snapshot has no active contracts. */
export interface Snapshots {
  /** The time of the last snapshot at or before `time`. */
  upTo(time: Micros): Micros | undefined
  /** The time of the first snapshot after `time`. */
  after(time: Micros): Micros | undefined
  /** The first `limit` contracts, in the form of `/v1/state/acs`. */
  active(at: Micros, filter: ActiveFilter, limit: number): MaybePromise<readonly Body[]>
  /** Undefined if the party has no coin. */
  totals(at: Micros, owner: string): MaybePromise<Totals | undefined>
}

/**
 * Returns the snapshots of a node.
 * @param all earliest first.
 */
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

/** Returns the snapshots of a node that has taken none before a time. */
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

/** Formats a Decimal as `compact_json` does in an update: with all decimal digits. */
function decimal(amount: number): string {
  return `${amount}.0000000000`
}

/** Creates one update per second until the start. Each update mints a coin. */
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

/** Creates two snapshots, six hours apart. Owners keep their coins from the first to the second. */
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
