import { SpliceError } from '../../base/errors/splice.ts'
import type { EmbeddedLedger } from '../ledger/embedded/embedded-ledger.ts'
import type { Party } from '../ledger/value.ts'

/** The user id of the DSO's automation. No token may act or read as this user's party. */
export const dsoUserId = 'dso-automation'

/** The syntax of the user ids that a participant accepts. */
const userIdText = /^[a-zA-Z0-9@^$.!`\-#+'~_|:()]{1,128}$/

export function userIdProblem(userId: string): string | undefined {
  if (userId === dsoUserId) return `The user ${dsoUserId} is the automation of the DSO.`
  return userIdText.test(userId)
    ? undefined
    : "The user has to have 1 to 128 letters from a to z, digits, and the characters @^$.!`-#+'~_|:()."
}

export interface User {
  readonly userId: string
  readonly party: Party
}

export interface UserDirectory<U extends User = User> {
  /**
   * @param token the verified bearer token, whose subject is `userId`.
   * @throws SpliceError `forbidden`
   */
  get(userId: string, token: string): Promise<U>
}

const longestHint = 64

/** The users of the ledger. The first call for a user allocates the user's party. */
export class Users implements UserDirectory {
  readonly #ledger: Pick<EmbeddedLedger, 'partyOf' | 'findParty'>

  constructor(ledger: Pick<EmbeddedLedger, 'partyOf' | 'findParty'>) {
    this.#ledger = ledger
  }

  /**
   * @throws SpliceError `forbidden` for an id that no participant accepts, and for the DSO's
   * automation.
   */
  async get(userId: string): Promise<User> {
    if (userIdProblem(userId) !== undefined) throw new SpliceError('forbidden', { user: userId })
    const hint = userId.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longestHint)
    return { userId, party: await this.#ledger.partyOf(userId, hint) }
  }

  /**
   * Returns the party of a user, without allocating one. Returns undefined for a user without a
   * party, for an id that no participant accepts, and for the DSO's automation.
   */
  async findParty(userId: string): Promise<Party | undefined> {
    return userIdProblem(userId) === undefined ? this.#ledger.findParty(userId) : undefined
  }
}
