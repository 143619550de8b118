import { LRUCache } from 'lru-cache'
import type { Submission } from '../command.ts'
import { LedgerUnavailable, type Outcome } from '../ledger.ts'
import { LedgerRefusal } from '../refusal.ts'
import type { Transaction } from '../update.ts'
import { telling, type WriteOutcome } from '../write-outcome.ts'
import { boundedStream } from './bounded.ts'
import { transactionOf } from './daml.ts'
import { Deadline } from './deadline.ts'
import { updateIn } from './elements.ts'
import { transactionFormatJson } from './formats.ts'
import { ledgerEnd, type Participant } from './participant.ts'
import { asObject, objectIn, parsed } from './reading.ts'
import { answered, mayPass } from './refusals.ts'
import type { Reader } from './requests.ts'
import { Tries } from './retry.ts'
import { commandJson, effectsOf } from './submission.ts'

/** A participant that is out of order for a moment is waited for. */
const mostTries = 6
const timeoutMs = 60_000
/** Submissions of which it is remembered that their outcome is not known. */
const mostOpen = 10_000

/** A submission on its way. */
interface Attempt {
  readonly submission: Submission
  /** The ledger's end before it was sent first: it is done once from there on (`DeduplicationOffset`). */
  readonly begin: number
  readonly reader: Reader
  readonly signal: AbortSignal
}

/**
 * Submissions to a participant. Each is sent again under its command id until its outcome is known, and done once. One
 * whose outcome is not known in time rejects with `LedgerUnavailable`, and whoever comes again with the same command id
 * gets what became of the first.
 */
export class Commands {
  readonly #participant: Participant
  /** By user, parties and command id: where those begin whose outcome is not known. */
  readonly #open = new LRUCache<string, number>({ max: mostOpen })

  readonly #wrote: (outcome: WriteOutcome) => void

  /** @param wrote told of what becomes of each submission. */
  constructor(participant: Participant, wrote: (outcome: WriteOutcome) => void = () => {}) {
    this.#participant = participant
    this.#wrote = wrote
  }

  /** @throws LedgerRefusal, LedgerUnavailable; the signal's reason. */
  submit(submission: Submission, reader: Reader, signal: AbortSignal): Promise<Outcome> {
    return telling(this.#wrote, this.#submitInTime(submission, reader, signal))
  }

  async #submitInTime(submission: Submission, reader: Reader, signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#participant
    using deadline = new Deadline('The outcome of a submission is not known', timeoutMs, clock, [signal])
    try {
      return await this.#submit(submission, reader, deadline.signal)
    } catch (error) {
      throw error instanceof LedgerRefusal ? error : deadline.explain(error)
    }
  }

  async #submit(submission: Submission, reader: Reader, signal: AbortSignal): Promise<Outcome> {
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
   * @param maybeDone whether it was sent before, so that what this participant says may be about what it did itself.
   * @throws LedgerUnavailable where the outcome is not known.
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
        if (tries.areUp) {
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
    return transactionOf(objectIn(asObject(answered(answer)), 'transaction'), submission)
  }

  /** The transaction that a submission became, among those that came since it was sent first. */
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
        const { variant, content } = updateIn(parsed(text))
        if (variant === 'Transaction' && content['commandId'] === submission.commandId)
          return transactionOf(content, submission)
      }
    }
    return undefined
  }

  #end({ token }: Reader, signal: AbortSignal): Promise<number> {
    const request = { method: 'GET', path: '/v2/state/ledger-end', token } as const
    return this.#participant.read(request, (value) => ledgerEnd(value).offset, signal)
  }
}

function unknownOutcome(error: unknown): LedgerUnavailable {
  const why = error instanceof Error ? error.message : String(error)
  return new LedgerUnavailable(`It is not known whether the participant took a submission: ${why}`, {
    cause: error,
  })
}
