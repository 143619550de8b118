import type { Ledger } from '../../ledger/ledger.ts'
import type { ActiveContract, EventPosition } from '../../ledger/update.ts'
import { isoTime, type Micros } from './instant.ts'
import type { HistoryLedger } from './ledger-history.ts'
import { createdBefore, inOrderOfCreation } from './served-contract.ts'
import type { ServedContract } from './snapshots.ts'

export interface SnapshotLedger extends HistoryLedger, Pick<Ledger, 'activeContracts'> {}

const chunk = 1_000

/**
 * Reads the contracts of a snapshot: the made-up ones, and those of the ledger that the DSO sees
 * and that are active just before the snapshot's time.
 */
export class LedgerContents {
  readonly #ledger: SnapshotLedger
  readonly #dso: string
  readonly #madeUp: readonly ServedContract[]
  /**
   * The contracts of the previous snapshot, by contract id. The next snapshot reuses them, because
   * most are still active.
   */
  #latest: ReadonlyMap<string, ServedContract> = new Map()

  constructor(ledger: SnapshotLedger, dso: string, madeUp: readonly ServedContract[]) {
    this.#ledger = ledger
    this.#dso = dso
    this.#madeUp = madeUp
  }

  async at(time: Micros): Promise<readonly ServedContract[]> {
    const upTo = await this.#ledger.offsetAt(time - 1)
    const served: ServedContract[] = []
    for await (const batch of this.#active(upTo)) served.push(...(await this.#served(batch)))
    this.#latest = new Map(served.map((contract) => [contract.contract_id, contract]))
    return inOrderOfCreation([...served, ...createdBefore(this.#madeUp, time)])
  }

  async *#active(upTo: number): AsyncGenerator<readonly ActiveContract[]> {
    let after: EventPosition | undefined
    for (;;) {
      const batch = await this.#ledger.activeContracts(upTo, chunk, after)
      yield batch.filter((active) => isSeenBy(this.#dso, active))
      const last = batch.at(-1)
      if (last === undefined || batch.length < chunk) return
      after = { offset: last.offset, nodeId: last.nodeId }
    }
  }

  async #served(batch: readonly ActiveContract[]): Promise<readonly ServedContract[]> {
    const unknown = batch.filter(({ contract }) => !this.#latest.has(contract.contractId))
    const offsets = [...new Set(unknown.map(({ offset }) => offset))]
    const ids = new Map(
      await Promise.all(offsets.map(async (offset) => [offset, await this.#updateIdAt(offset)] as const)),
    )
    return batch.map(
      (active) =>
        this.#latest.get(active.contract.contractId) ?? servedOf(active, ids.get(active.offset) ?? null),
    )
  }

  async #updateIdAt(offset: number): Promise<string | null> {
    const [update] = await this.#ledger.updates(offset - 1, offset, 1)
    return update?.updateId ?? null
  }
}

function servedOf({ contract }: ActiveContract, updateId: string | null): ServedContract {
  return {
    created_in_update_id: updateId,
    contract_id: contract.contractId,
    template_id: contract.templateId,
    package_name: contract.packageName,
    create_arguments: contract.argument,
    created_at: isoTime(contract.createdAt),
    signatories: contract.signatories,
    observers: contract.observers,
  }
}

function isSeenBy(party: string, { contract }: ActiveContract): boolean {
  return contract.signatories.includes(party) || contract.observers.includes(party)
}
