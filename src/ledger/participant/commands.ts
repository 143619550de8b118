import { LRUCache } from 'lru-cache'
import type { Submission } from '../command.ts'
import {
  LedgerRefusal,
  LedgerUnavailable,
  type Outcome,
  reportingOutcome,
  type WriteOutcome,
} from '../ledger.ts'
import type { Transaction } from '../update.ts'
import { decode, MalformedResponse, submitted, transaction, update } from './answers.ts'
import { transactionOf } from './from-response.ts'
import type { Credentials, Participant } from './participant.ts'
import { answered, isTemporary } from './refusals.ts'
import { commandJson, effectsJson } from './request-json.ts'
import { Deadline, Tries } from './retry.ts'

/** Six tries, with the pauses between them, outlast a short outage of the participant. */
const mostTries = 6
const timeoutMs = 60_000
const mostUnknownOutcomes = 10_000

interface Attempt {
  readonly submission: Submission
  /**
   * The ledger's end before the first try. The participant looks for an earlier submission with the
   * same command id after this offset (`DeduplicationOffset`).
   */
  readonly begin: number
  readonly credentials: Credentials
  readonly signal: AbortSignal
}

/**
 * Sends a submission with the same command id until its outcome is known. The participant executes
 * it once. After a timeout, the outcome is unknown, and a later `submit` with that command id finds
 * it out.
 */
export class Commands {
  readonly #participant: Participant
  readonly #unknownOutcomes = new LRUCache<string, number>({ max: mostUnknownOutcomes })

  readonly #wrote: (outcome: WriteOutcome) => void

  constructor(participant: Participant, wrote: (outcome: WriteOutcome) => void = () => {}) {
    this.#participant = participant
    this.#wrote = wrote
  }

  submit(submission: Submission, credentials: Credentials, signal: AbortSignal): Promise<Outcome> {
    return reportingOutcome(this.#wrote, this.#submitInTime(submission, credentials, signal))
  }

  async #submitInTime(
    submission: Submission,
    credentials: Credentials,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock } = this.#participant
    using deadline = new Deadline('The outcome of a submission is not known', timeoutMs, clock, [signal])
    try {
      return await this.#submit(submission, credentials, deadline.signal)
    } catch (error) {
      throw error instanceof LedgerRefusal ? error : deadline.explain(error)
    }
  }

  async #submit(submission: Submission, credentials: Credentials, signal: AbortSignal): Promise<Outcome> {
    const { userId, actAs, commandId } = submission
    const changeId = JSON.stringify([userId, [...new Set(actAs)].sort(), commandId])
    const known = this.#unknownOutcomes.peek(changeId)
    const begin = known ?? (await this.#participant.end(credentials, signal))
    const attempt = { submission, begin, credentials, signal }
    this.#unknownOutcomes.set(changeId, begin)
    const outcome = await this.#attempt(attempt, known !== undefined)
    this.#unknownOutcomes.delete(changeId)
    if (outcome instanceof LedgerRefusal) throw outcome
    return outcome
  }

  /**
   * @param maybeDone true if an earlier call may have succeeded. A rejection can then be a
   * consequence of that success, for example because the contract is already archived.
   * @throws LedgerUnavailable if the outcome is not known.
   */
  async #attempt(attempt: Attempt, maybeDone: boolean): Promise<Outcome | LedgerRefusal> {
    const tries = new Tries(mostTries, this.#participant.clock)
    for (let isAmbiguous = maybeDone; ; isAmbiguous = true) {
      try {
        return { kind: 'committed', transaction: await this.#send(attempt), duplicate: false }
      } catch (error) {
        attempt.signal.throwIfAborted()
        if (error instanceof LedgerRefusal && !isTemporary(error))
          return this.#refused(error, attempt, isAmbiguous)
        if (tries.isLast) {
          const transaction = await this.#lookUp(attempt)
          if (transaction === undefined) throw unknownOutcome(error)
          return { kind: 'committed', transaction, duplicate: true }
        }
        await tries.failed(error, attempt.signal)
      }
    }
  }

  async #refused(
    refusal: LedgerRefusal,
    attempt: Attempt,
    isAmbiguous: boolean,
  ): Promise<Outcome | LedgerRefusal> {
    const { code } = refusal.error
    const isDuplicate = code === 'DUPLICATE_COMMAND'
    if (!isDuplicate && !isAmbiguous) return refusal
    const transaction = await this.#lookUp(attempt)
    if (transaction !== undefined) return { kind: 'committed', transaction, duplicate: true }
    if (!isDuplicate && code !== 'INVALID_DEDUPLICATION_PERIOD') return refusal
    throw unknownOutcome(refusal)
  }

  async #send({ submission, begin, credentials, signal }: Attempt): Promise<Transaction> {
    const answer = await this.#participant.api.call(
      {
        method: 'POST',
        path: '/v2/commands/submit-and-wait-for-transaction',
        token: credentials.token,
        body: {
          commands: commandJson(submission, begin),
          transactionFormat: effectsJson(submission.actAs),
        },
      },
      signal,
    )
    return transactionOf(decode(submitted, answered(answer)).transaction, submission)
  }

  /**
   * Finds the submission's transaction by the command id alone, because the JSON Ledger API sends
   * neither the user nor the submitting parties. The id is unique: `Registry` makes it of a random
   * UUID.
   */
  async #lookUp({ submission, begin, credentials, signal }: Attempt): Promise<Transaction | undefined> {
    const endInclusive = await this.#participant.end(credentials, signal)
    if (endInclusive <= begin) return undefined
    const updateFormat = {
      includeTransactions: effectsJson(submission.actAs),
      includeReassignments: null,
      includeTopologyEvents: null,
    }
    let reached = begin
    const pages = this.#participant.list(
      {
        path: '/v2/updates',
        token: credentials.token,
        bodyAfter: () => ({ beginExclusive: reached, endInclusive, updateFormat, descendingOrder: false }),
        decodeElement: (element) => decode(update, element),
      },
      signal,
    )
    for await (const updates of pages) {
      for (const { variant, content } of updates) {
        if (content.offset <= reached) throw new MalformedResponse('The participant sent an update twice.')
        reached = content.offset
        if (variant === 'Transaction' && content['commandId'] === submission.commandId)
          return transactionOf(decode(transaction, content), submission)
      }
    }
    return undefined
  }
}

function unknownOutcome(error: unknown): LedgerUnavailable {
  const why = error instanceof Error ? error.message : String(error)
  return new LedgerUnavailable(`It is not known whether the participant took a submission: ${why}`, {
    cause: error,
  })
}
