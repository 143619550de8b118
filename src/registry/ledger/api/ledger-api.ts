import { CantonError } from '../../../base/errors/canton.ts'
import { RefusedToken } from '../../../base/errors/refused-token.ts'
import type { Clock } from '../../../base/lib/clock.ts'
import type { EmbeddedLedger } from '../embedded/embedded-ledger.ts'
import { Followers } from './feed.ts'
import { Reads, type ReadsDeps } from './reads.ts'
import type { Access } from './rights.ts'

interface LedgerApiSettings {
  readonly mostStreams?: number
  readonly anyPartyUsers?: readonly string[]
}

interface Deps {
  readonly ledger: EmbeddedLedger
  readonly clock: Clock
  readonly tokenClock: Pick<Clock, 'wall'>
  readonly access: (bearer: string) => Promise<Access>
}

/** Canton's JSON Ledger API on top of a ledger. */
export class LedgerApi implements Disposable {
  readonly #deps: ReadsDeps
  readonly #access: Deps['access']

  constructor(
    { mostStreams = 1_000, anyPartyUsers = [] }: LedgerApiSettings,
    { ledger, clock, tokenClock, access }: Deps,
  ) {
    this.#access = access
    this.#deps = {
      ledger,
      followers: new Followers(ledger, clock),
      tokenClock,
      mostStreams,
      anyPartyUsers: new Set(anyPartyUsers),
    }
  }

  get readers(): number {
    return this.#deps.followers.count
  }

  /**
   * Checks the caller's token, before any other check of a request.
   * @param bearer the token, without `Bearer`.
   * @throws CantonError `unauthenticated` if the token is invalid, `unknownUser`,
   * `permissionDenied` if the token is for another participant, `notRunning` if it cannot be
   * checked now.
   */
  async open(bearer: string): Promise<Reads> {
    const access = await this.#access(bearer)
    if (access.kind === 'reader') return new Reads(access, this.#deps)
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
    this.#deps.followers[Symbol.dispose]()
  }
}

/**
 * Canton's `GetLedgerApiVersionResponse`, with the version of the API that this ledger serves. The
 * delay of checkpoints is Canton's default.
 */
export const ledgerApiVersion = {
  version: '3.6.0',
  features: {
    experimental: {
      staticTime: { supported: false },
      commandInspectionService: { supported: false },
    },
    userManagement: { supported: true, maxRightsPerUser: 1_000, maxUsersPageSize: 1_000 },
    partyManagement: { maxPartiesPageSize: 10_000 },
    offsetCheckpoint: {
      maxOffsetCheckpointEmissionDelay: { seconds: 75, nanos: 0, unknownFields: { fields: {} } },
    },
    packageFeature: { maxVettedPackagesPageSize: 0 },
  },
}
