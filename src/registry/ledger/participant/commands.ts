import { LRUCache } from 'lru-cache'
import {
  type Command,
  LedgerRefusal,
  LedgerUnavailable,
  type Outcome,
  reportingOutcome,
  type Submission,
  type WriteOutcome,
} from '../ledger.ts'
import type { DamlValue, Party } from '../value.ts'
import { answered, decode, isTemporary, MalformedResponse, submitted, update } from './answers.ts'
import { type Credentials, eventsJson, type Participant, qualified } from './participant.ts'
import { Deadline, Tries } from './retry.ts'

/** Six tries, with the pauses between them, outlast a short outage of the participant. */
const mostTries = 6
const timeoutMs = 60_000
const mostUnknownOutcomes = 10_000

interface SubmissionCall {
  readonly submission: Submission
  readonly credentials: Credentials
  readonly signal: AbortSignal
}

interface SubmissionAttempt extends SubmissionCall {
  /**
   * The ledger's end before the first try. The participant looks for an earlier submission with the
   * same command id after this offset (`DeduplicationOffset`).
   */
  readonly begin: number
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
    return reportingOutcome(this.#wrote, this.#inTime({ submission, credentials, signal }))
  }

  async #inTime(given: SubmissionCall): Promise<Outcome> {
    const { clock } = this.#participant
    const failure = 'The outcome of a submission is not known'
    using deadline = new Deadline(failure, timeoutMs, clock, [given.signal])
    try {
      return await this.#submit({ ...given, signal: deadline.signal })
    } catch (error) {
      throw error instanceof LedgerRefusal ? error : deadline.explain(error)
    }
  }

  async #submit(given: SubmissionCall): Promise<Outcome> {
    const { submission, credentials, signal } = given
    const { userId, actAs, commandId } = submission
    const changeId = JSON.stringify([userId, [...new Set(actAs)].sort(), commandId])
    const known = this.#unknownOutcomes.peek(changeId)
    const begin = known ?? (await this.#participant.end(credentials, signal))
    this.#unknownOutcomes.set(changeId, begin)
    const outcome = await this.#attempt({ ...given, begin }, known !== undefined)
    this.#unknownOutcomes.delete(changeId)
    if (outcome instanceof LedgerRefusal) throw outcome
    return outcome
  }

  /**
   * @param maybeDone true if an earlier call may have succeeded. A rejection can then be a
   * consequence of that success, for example because the contract is already archived.
   * @throws LedgerUnavailable if the outcome is not known.
   */
  async #attempt(attempt: SubmissionAttempt, maybeDone: boolean): Promise<Outcome | LedgerRefusal> {
    const tries = new Tries(mostTries, this.#participant.clock)
    for (let isAmbiguous = maybeDone; ; isAmbiguous = true) {
      try {
        return { kind: 'committed', result: await this.#send(attempt), duplicate: false }
      } catch (error) {
        attempt.signal.throwIfAborted()
        if (error instanceof LedgerRefusal && !isTemporary(error))
          return this.#refused(error, attempt, isAmbiguous)
        if (tries.isLast) {
          const result = await this.#lookUp(attempt)
          if (result === undefined) throw unknownOutcome(error)
          return { kind: 'committed', result, duplicate: true }
        }
        await tries.failed(error, attempt.signal)
      }
    }
  }

  async #refused(
    refusal: LedgerRefusal,
    attempt: SubmissionAttempt,
    isAmbiguous: boolean,
  ): Promise<Outcome | LedgerRefusal> {
    const { code } = refusal
    const isDuplicate = code === 'DUPLICATE_COMMAND'
    if (!isDuplicate && !isAmbiguous) return refusal
    const result = await this.#lookUp(attempt)
    if (result !== undefined) return { kind: 'committed', result, duplicate: true }
    if (!isDuplicate && code !== 'INVALID_DEDUPLICATION_PERIOD') return refusal
    throw unknownOutcome(refusal)
  }

  async #send({ submission, begin, credentials, signal }: SubmissionAttempt): Promise<DamlValue> {
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
    return decode(submitted, answered(answer))
  }

  /**
   * Finds the submission's result by the command id alone, because the JSON Ledger API sends
   * neither the user nor the submitting parties. The id is unique: `Registry` makes it of a random
   * UUID.
   */
  async #lookUp({
    submission,
    begin,
    credentials,
    signal,
  }: SubmissionAttempt): Promise<DamlValue | undefined> {
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
      for (const { offset, transaction } of updates) {
        if (offset <= reached) throw new MalformedResponse('The participant sent an update twice.')
        reached = offset
        if (transaction?.['commandId'] === submission.commandId) return decode(submitted, { transaction })
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

/**
 * Writes every field, because older participants require fields that later ones do not. An empty
 * `synchronizerId` lets the participant choose the synchronizer. Canton 3.4 requires the field in
 * disclosed contracts.
 * @param begin the offset after which the participant looks for an earlier submission with the same
 * command id.
 */
function commandJson(submission: Submission, begin: number): object {
  const { commandId, userId, actAs, commands, disclosed } = submission
  return {
    commands: commands.map(oneJson),
    commandId,
    userId,
    actAs,
    readAs: [],
    workflowId: null,
    deduplicationPeriod: { DeduplicationOffset: { value: begin } },
    disclosedContracts: disclosed.map((contract) => ({ ...contract, synchronizerId: '' })),
    synchronizerId: '',
    packageIdSelectionPreference: [],
  }
}

function oneJson(command: Command): object {
  if (command.kind === 'create')
    return { CreateCommand: { templateId: qualified(command.template), createArguments: command.argument } }
  const { contractId, choice, argument } = command
  const templateId = qualified(choice.template)
  return { ExerciseCommand: { templateId, contractId, choice: choice.name, choiceArgument: argument } }
}

/** Selects everything that transactions did in the view of the parties. */
function effectsJson(parties: readonly Party[]): object {
  return { eventFormat: eventsJson(parties), transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
}
