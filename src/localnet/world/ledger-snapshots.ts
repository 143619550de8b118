import { add, type Decimal, decimal, shortest, zero } from '../../ledger/daml/decimal.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { ActiveContract, EventPosition } from '../../ledger/update.ts'
import type { DamlRecord } from '../../ledger/value.ts'
import type { ActiveFilter, Coin, Snapshots, Totals } from './history.ts'
import { isoTime, type Micros } from './instant.ts'
import type { HistoryLedger } from './ledger-history.ts'

export interface SnapshotLedger extends HistoryLedger, Pick<Ledger, 'activeContracts'> {}

/** One minute. Splice's scans take a snapshot every few hours, which is too long for a user who tries a localnet. */
const period = 60_000_000
/** The localnet makes a snapshot this many microseconds after its time: all earlier updates have arrived by then. */
const settling = 1_000_000
const chunk = 1_000

/** Snapshots of the DSO's contracts at every full minute of a ledger. */
export class LedgerSnapshots implements Snapshots {
  readonly #ledger: SnapshotLedger
  readonly #dso: string
  readonly #foundedAt: Micros
  readonly #latest: Micros

  /** @param ingested the node lacks updates with a later record time. */
  constructor(ledger: SnapshotLedger, dso: string, foundedAt: Micros, ingested: Micros) {
    this.#ledger = ledger
    this.#dso = dso
    this.#foundedAt = foundedAt
    this.#latest = ingested - settling
  }

  upTo(time: Micros): Micros | undefined {
    const at = Math.floor(Math.min(time, this.#latest) / period) * period
    return at >= this.#foundedAt ? at : undefined
  }

  after(time: Micros): Micros | undefined {
    const from = Math.max(time, this.#foundedAt - 1)
    const at = (Math.floor(from / period) + 1) * period
    return at <= this.#latest ? at : undefined
  }

  async active(at: Micros, filter: ActiveFilter, limit: number): Promise<readonly Coin['event'][]> {
    const events: Promise<Coin['event']>[] = []
    for await (const active of this.#find(at, filter, limit)) events.push(this.#eventOf(active))
    return Promise.all(events)
  }

  async totals(at: Micros, owner: string): Promise<Totals | undefined> {
    let hasCoin = false
    let [unlocked, locked] = [zero, zero]
    const filter = { owners: [owner] }
    for await (const { contract } of this.#find(at, filter, Number.POSITIVE_INFINITY)) {
      hasCoin = true
      const { amulet } = contract.argument
      const amount = amountOf(amulet === undefined ? contract.argument : (amulet as DamlRecord))
      if (amulet === undefined) unlocked = add(unlocked, amount)
      else locked = add(locked, amount)
    }
    if (!hasCoin) return undefined
    return { unlocked: shortest(unlocked), locked: shortest(locked), all: shortest(add(unlocked, locked)) }
  }

  async *#find(at: Micros, filter: ActiveFilter, limit: number): AsyncGenerator<ActiveContract> {
    if (this.upTo(at) !== at) return
    const upTo = await this.#ledger.offsetAt(at)
    let after: EventPosition | undefined
    let found = 0
    for (;;) {
      const batch = await this.#ledger.activeContracts(upTo, chunk, after)
      for (const active of batch) {
        if (!isSeenBy(this.#dso, active) || !isWanted(active, filter)) continue
        yield active
        if (++found === limit) return
      }
      const last = batch.at(-1)
      if (last === undefined || batch.length < chunk) return
      after = { offset: last.offset, nodeId: last.nodeId }
    }
  }

  async #eventOf({ contract, offset }: ActiveContract): Promise<Coin['event']> {
    const [update] = await this.#ledger.updates(offset - 1, offset, 1)
    return {
      created_in_update_id: update?.updateId ?? null,
      contract_id: contract.contractId,
      template_id: contract.templateId,
      package_name: contract.packageName,
      create_arguments: contract.argument,
      created_at: isoTime(contract.createdAt),
      signatories: contract.signatories,
      observers: contract.observers,
    }
  }
}

const coinTemplates: ReadonlySet<string> = new Set(['Splice.Amulet:Amulet', 'Splice.Amulet:LockedAmulet'])

function isSeenBy(party: string, { contract }: ActiveContract): boolean {
  return contract.signatories.includes(party) || contract.observers.includes(party)
}

function isWanted({ contract }: ActiveContract, { parties, templates, owners }: ActiveFilter): boolean {
  const { templateId, packageName, signatories, observers, argument } = contract
  const template = templateId.slice(templateId.indexOf(':') + 1)
  if (parties?.some((party) => signatories.includes(party) || observers.includes(party)) === false)
    return false
  if (templates?.includes(`${packageName}:${template}`) === false) return false
  if (owners === undefined) return true
  const { owner } = (argument['amulet'] ?? argument) as DamlRecord
  return coinTemplates.has(template) && owners.includes(String(owner))
}

function amountOf({ amount }: DamlRecord): Decimal {
  return decimal(String((amount as DamlRecord)['initialAmount']))
}
