import { CantonError } from '../../errors/canton.ts'
import { RefusedToken } from '../../errors/refused-token.ts'
import type { Clock } from '../../lib/clock.ts'
import { Tail } from '../feed/tail.ts'
import type { Ledger } from '../ledger.ts'
import type { UpdateReads, UpdateService } from '../update-service.ts'
import type { Catalog } from '../visibility/catalog.ts'
import { checkpointTimes } from '../visibility/checkpoints.ts'
import type { Access } from '../visibility/rights.ts'
import { LocalReads, type Shared } from './local-reads.ts'

export interface LocalUpdatesOptions {
  readonly ledgerId: string
  readonly synchronizerId: string
  readonly mostStreams?: number
  readonly anyPartyUsers?: readonly string[]
}

export interface LocalUpdatesDeps {
  readonly ledger: Ledger
  readonly catalog: Catalog
  readonly clock: Clock
  readonly tokenClock: Pick<Clock, 'wall'>
  readonly access: (bearer: string) => Promise<Access>
}

export class LocalUpdates implements UpdateService, Disposable {
  readonly #shared: Shared
  readonly #access: LocalUpdatesDeps['access']

  constructor(
    { ledgerId, synchronizerId, mostStreams = 10_000, anyPartyUsers = [] }: LocalUpdatesOptions,
    deps: LocalUpdatesDeps,
  ) {
    const tail = new Tail(deps)
    this.#access = deps.access
    const own = { ledgerId, synchronizerId, mostStreams, anyPartyUsers: new Set(anyPartyUsers) }
    this.#shared = { ...deps, ...own, tail }
  }

  get readers(): number {
    return this.#shared.tail.readers
  }

  async version(): Promise<object> {
    return ledgerVersion
  }

  async open(bearer: string): Promise<UpdateReads> {
    const access = await this.#access(bearer)
    if (access.kind === 'reader') return new LocalReads(access, this.#shared)
    if (access.kind === 'unknown-user')
      throw new CantonError('unknownUser', {}, { context: { ledger_api_error: 'invalid token' } })
    const { kind, reason } = access
    const options = reason === undefined ? {} : { cause: new RefusedToken(reason) }
    switch (kind) {
      case 'unauthenticated':
        throw new CantonError('unauthenticated', {}, options)
      case 'other-participant':
        throw new CantonError('permissionDenied', {}, options)
      case 'unavailable':
        throw new CantonError('notRunning', { service: 'The verifier of tokens' }, options)
    }
  }

  [Symbol.dispose](): void {
    this.#shared.tail[Symbol.dispose]()
  }
}

const { lookUpMs, idleMs } = checkpointTimes

/** Canton's `GetLedgerApiVersionResponse`, with the version of the API that this ledger serves. */
const ledgerVersion = {
  version: '3.6.0',
  features: {
    experimental: {
      staticTime: { supported: false },
      commandInspectionService: { supported: false },
    },
    userManagement: { supported: true, maxRightsPerUser: 1_000, maxUsersPageSize: 1_000 },
    partyManagement: { maxPartiesPageSize: 10_000 },
    offsetCheckpoint: {
      maxOffsetCheckpointEmissionDelay: {
        seconds: (lookUpMs + idleMs) / 1000,
        nanos: 0,
        unknownFields: { fields: {} },
      },
    },
    packageFeature: { maxVettedPackagesPageSize: 0 },
  },
}
