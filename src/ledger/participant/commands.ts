import { LRUCache } from 'lru-cache'
import type { Submission } from '../command.ts'
import { LedgerRefusal, LedgerUnavailable, type Outcome, telling, type WriteOutcome } from '../ledger.ts'
import type { Transaction } from '../update.ts'
import { parsed, submitted, transaction, understand, update } from './answers.ts'
import { boundedStream } from './bounded-updates.ts'
import { transactionOf } from './daml.ts'
import { endOf, type Participant } from './participant.ts'
import { answered, mayPass } from './refusals.ts'
import { commandJson, effectsOf, transactionFormatJson } from './request-json.ts'
import type { TokenReader } from './requests.ts'
import { Deadline, Tries } from './retry.ts'

/** Six tries, with the pauses between them, outlast a short outage of the participant. */
const mostTries = 6
const timeoutMs = 60_000
const mostOpen = 10_000

interface Attempt {
  readonly submission: Submission
  /**
   * The ledger's end before the first try. The participant looks for an earlier submission with the
   * same command id after this offset (`DeduplicationOffset`).
   */
  readonly begin: number
  readonly reader: TokenReader
  readonly signal: AbortSignal
}

/**
 * Sends a submission with the same command id until its outcome is known. The participant executes
 * it once. After a timeout, the outcome is unknown, and a later `submit` with that command id finds
 * it out.
 */
export class Commands {
  readonly #participant: Participant
  readonly #open = new LRUCache<string, number>({ max: mostOpen })

  readonly #wrote: (outcome: WriteOutcome) => void

  constructor(participant: Participant, wrote: (outcome: WriteOutcome) => void = () => {}) {
    this.#participant = participant
    this.#wrote = wrote
  }

  submit(submission: Submission, reader: TokenReader, signal: AbortSignal): Promise<Outcome> {
    return telling(this.#wrote, this.#submitInTime(submission, reader, signal))
  }

  async #submitInTime(submission: Submission, reader: TokenReader, signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#participant
    using deadline = new Deadline('The outcome of a submission is not known', timeoutMs, clock, [signal])
    try {
      return await this.#submit(submission, reader, deadline.signal)
    } catch (error) {
      throw error instanceof LedgerRefusal ? error : deadline.explain(error)
    }
  }

  async #submit(submission: Submission, reader: TokenReader, signal: AbortSignal): Promise<Outcome> {
    const { userId, actAs, commandId } = submission
    const changeId = JSON.stringify([userId, [...new Set(actAs)].sort(), commandId])
    const known = this.#open.peek(changeId)
    const begin = known ?? (await this.#end(reader, signal))
    const attempt = { submission, begin, reader, signal }
    this.#open.set(changeId, begin)
    const outcome = await this.#attempt(attempt, known !== undefined)
    this.#open.delete(changeId)
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
        if (error instanceof LedgerRefusal && !mayPass(error))
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

  async #send({ submission, begin, reader, signal }: Attempt): Promise<Transaction> {
    const answer = await this.#participant.api.call(
      {
        method: 'POST',
        path: '/v2/commands/submit-and-wait-for-transaction',
        token: reader.token,
        body: {
          commands: commandJson(submission, begin),
          transactionFormat: transactionFormatJson(effectsOf(submission.actAs)),
        },
      },
      signal,
    )
    return transactionOf(understand(submitted, answered(answer)).transaction, submission)
  }

  /**
   * Finds the submission's transaction by the command id alone, because the JSON Ledger API sends
   * neither the user nor the submitting parties. The id is unique: `Registry` makes it of a random
   * UUID.
   */
  async #lookUp({ submission, begin, reader, signal }: Attempt): Promise<Transaction | undefined> {
    const endInclusive = await this.#end(reader, signal)
    if (endInclusive <= begin) return undefined
    const format = {
      includeTransactions: effectsOf(submission.actAs),
      includeReassignments: undefined,
      includeTopologyEvents: undefined,
    }
    const request = { beginExclusive: begin, endInclusive, format, descending: false }
    for await (const updates of boundedStream(this.#participant, request, reader, signal)) {
      for (const { text } of updates) {
        const { variant, content } = understand(update, parsed(text))
        if (variant === 'Transaction' && content['commandId'] === submission.commandId)
          return transactionOf(understand(transaction, content), submission)
      }
    }
    return undefined
  }

  #end({ token }: TokenReader, signal: AbortSignal): Promise<number> {
    const request = { method: 'GET', path: '/v2/state/ledger-end', token } as const
    return this.#participant.read(request, (value) => endOf(value).offset, signal)
  }
}

function unknownOutcome(error: unknown): LedgerUnavailable {
  const why = error instanceof Error ? error.message : String(error)
  return new LedgerUnavailable(`It is not known whether the participant took a submission: ${why}`, {
    cause: error,
  })
}
