import { nameServicePackage } from '../../ledger/daml/packages.ts'
import { isoTime, type Micros } from './contract.ts'
import type { AnsEntry, Network } from './network.ts'
import {
  createdBefore,
  inOrderOfCreation,
  KeptSnapshots,
  type ServedContract,
  type Snapshots,
  servedContract,
  snapshotsOnGrid,
} from './snapshots.ts'

/**
 * A version of an entry: the contract that the entry has from `from` (included) until `until`
 * (excluded). A renewal begins a new version.
 */
export interface Version {
  readonly entry: AnsEntry
  readonly expiresAt: Micros
  readonly from: Micros
  until: Micros
}

const hour = 3_600_000_000
const day = 24 * hour
const templateId = `${nameServicePackage.id}:Splice.Ans:AnsEntry`

export class WorldSnapshots {
  readonly #network: Pick<Network, 'dsoParty' | 'startedAt'>
  readonly #foundedAt: Micros
  #lasting: readonly ServedContract[] = []
  readonly #versions: Version[] = []
  readonly #kept = new KeptSnapshots((at) => this.#contractsAt(at))

  constructor(network: Pick<Network, 'dsoParty' | 'startedAt'>) {
    this.#network = network
    this.#foundedAt = network.startedAt - 12 * hour
  }

  setConstantContracts(lasting: readonly ServedContract[]): void {
    this.#lasting = lasting
  }

  record(version: Version): void {
    this.#versions.push(version)
  }

  upTo(latest: Micros): Snapshots {
    return snapshotsOnGrid({ foundedAt: this.#foundedAt, latest }, (at) => this.#kept.at(at))
  }

  #contractsAt(at: Micros): readonly ServedContract[] {
    const held = this.#versions.filter(
      ({ from, until, expiresAt }) => from < at && at <= until && expiresAt >= at,
    )
    return inOrderOfCreation([
      ...createdBefore(this.#lasting, at),
      ...held.map((version) => this.#served(version)),
    ])
  }

  /**
   * Returns the contract that snapshots show for a version. If `from` is `-Infinity`, the world has
   * the name from its start, and the contract's creation time is before that start.
   */
  #served({ entry, expiresAt, from }: Version): ServedContract {
    const { startedAt, dsoParty: dso } = this.#network
    const createdAt = Number.isFinite(from) ? from : Math.min(expiresAt - 90 * day, startedAt - day)
    const { user, name, url, description, contract_id: contractId } = entry
    const contract = servedContract(
      {
        template_id: templateId,
        contract_id: String(contractId),
        payload: { user, dso, name, url, description, expiresAt: isoTime(expiresAt) },
        created_at: isoTime(createdAt),
      },
      dso,
    )
    return { ...contract, signatories: [dso, user].sort() }
  }
}
