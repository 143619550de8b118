import type { Answer } from '../cache/answer.ts'
import { SpliceError } from '../errors/splice.ts'
import type { FloorId } from '../guard/floors.ts'
import type { RollbackGuard } from '../guard/rollback-guard.ts'
import { parseJson } from '../lib/canonical-json.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Group } from '../quorum/electorate.ts'
import type { Question, Read } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import { agreedAnswer } from './agreed-answer.ts'
import { Inquiry, type InquiryDeps, type InquiryOptions } from './inquiry.ts'
import type { MirroredReads } from './mirrored-reads.ts'
import { floorIdOf, newestAgreed, sightingOf } from './newest-agreed.ts'
import { quorumReached } from './quorum-reached.ts'
import type { Roster } from './roster.ts'
import type { Witness } from './witness.ts'

/**
 * The outcome of a read whose agreed answer is older than an answer that was served before.
 * - `newer`: all super validators were asked, and enough of them gave an answer that is new enough.
 * - `withdrawn`: all super validators but f gave an older answer twice, so the daemon serves it.
 * - `behind`: neither happened, so the read fails.
 */
export type HeldUp = 'newer' | 'withdrawn' | 'behind'

export interface HeldUpDetail {
  /**
   * The keys under which the guard stores the floor. The command `guard reset --key` accepts them.
   */
  readonly keys: readonly string[]
  readonly requestId: string | undefined
}

export interface RollbackDeps extends InquiryDeps {
  readonly guard: RollbackGuard
  readonly witness: Witness
  readonly mirror?: MirroredReads | undefined
  readonly heldUp: (read: Read, outcome: HeldUp, detail: HeldUpDetail) => void
  readonly open: Set<AbortController>
}

interface JustAgreed {
  readonly inquiry: Inquiry
  readonly agreed: Answer
  readonly source: AbortController
}

interface Found {
  readonly answer: Answer | undefined
  readonly outcome: HeldUp
}

/**
 * Prevents a read from serving an answer that is older than an answer served before. There is one
 * exception: all super validators but f give the older answer twice (quorum.md#never-back).
 */
export class RollbackCheck {
  readonly #options: InquiryOptions
  readonly #deps: RollbackDeps
  /** Answers of the mirror that were served. The mirror gives the same object again. */
  readonly #mirrored = new WeakSet<Answer>()

  constructor(options: InquiryOptions, deps: RollbackDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Raises the floor to an answer of the mirror, so that it also applies after a restart. */
  served(question: Question, roster: Roster, answer: Answer): MaybePromise<unknown> {
    const { read, params } = question
    if (read.version === undefined || answer.kind === 'absence' || this.#mirrored.has(answer))
      return undefined
    this.#mirrored.add(answer)
    const value = readingOf(read, parseJson(answer.body))?.value
    const version = read.version.of(value, params)
    const sighting = { kind: 'value', version, endsAt: answer.endsAt } as const
    const { guard } = this.#deps
    return guard.admit(floorIdOf(guard.network, question, roster), sighting)
  }

  /** Whether an answer that another daemon stored is older than an answer that was served. */
  isBehind(question: Question, roster: Roster, answer: Answer): MaybePromise<boolean> {
    const { guard } = this.#deps
    const sighting = sightingOf(question, answer)
    return sighting !== undefined && guard.isBehind(floorIdOf(guard.network, question, roster), sighting)
  }

  /**
   * Returns `agreed`, or the answer of a second inquiry of all super validators if `agreed` is older
   * than an answer that was served.
   * @throws SpliceError `behind` if the second inquiry gives no answer that may be served;
   * `notEncoded` if its answer cannot be encoded; the reason of the signal if that aborts.
   */
  async check(
    { inquiry, agreed, source }: JustAgreed,
    caller: { readonly requestId?: () => string },
  ): Promise<Answer> {
    const { guard, heldUp } = this.#deps
    const { question, read, roster } = inquiry
    const sighting = sightingOf(question, agreed)
    if (sighting === undefined) return agreed
    const id = floorIdOf(guard.network, question, roster)
    const known = this.#deps.mirror?.known(question)
    if (known !== undefined) await this.served(question, roster, known)
    if (await guard.admit(id, sighting)) return agreed
    const all = new Inquiry(question, roster, { ...this.#options, fanout: 'all' }, this.#deps)
    using _ = all.hold()
    const { answer, outcome } = await this.#askAll(all, id, source)
    heldUp(read, outcome, { keys: guard.keysOf(id), requestId: caller.requestId?.() })
    if (answer === undefined) throw new SpliceError('behind', {}, { quorum: quorumReached(all) })
    return answer
  }

  async #askAll(all: Inquiry, id: FloorId, source: AbortController): Promise<Found> {
    const { guard, witness, open } = this.#deps
    const over = Promise.withResolvers<void>()
    open.add(source)
    const ended = () => {
      open.delete(source)
      over.resolve()
    }
    const closed = () => {
      ended()
      witness.readClosed(all)
    }
    const verdict = await all.run(source.signal, closed, ended)
    if (verdict.kind === 'agreed') {
      const agreed = await agreedAnswer(all, verdict)
      const sighting = sightingOf(all.question, agreed)
      if (sighting === undefined || (await guard.admit(id, sighting)))
        return { answer: agreed, outcome: 'newer' }
    }
    await over.promise
    source.signal.throwIfAborted()
    await all.ballots.compare()
    return this.#newestOf(all, id)
  }

  async #newestOf(all: Inquiry, id: FloorId): Promise<Found> {
    const { guard, witness } = this.#deps
    const newest = newestAgreed(all)
    if (newest === undefined) return { answer: undefined, outcome: 'behind' }
    const agreed = await agreedAnswer(all, newest)
    const sighting = sightingOf(all.question, agreed)
    if (sighting === undefined || (await guard.admit(id, sighting)))
      return { answer: agreed, outcome: 'newer' }
    if (!isByAllButFaulty(all, newest) || !(await guard.withdraw(id, sighting)))
      return { answer: undefined, outcome: 'behind' }
    witness.withdrawn(all, newest)
    return { answer: agreed, outcome: 'withdrawn' }
  }
}

/**
 * Whether at least n - f voters gave the same answer. If super validators share votes, there may be
 * fewer than n - f voters; then every voter must have given that answer. Voters that have reached a
 * time may have gone on to different later ones.
 */
function isByAllButFaulty({ electorate, read }: Inquiry, { members }: { readonly members: Group }): boolean {
  if (read.agree.on === 'reached') return false
  const { n, f } = electorate.superValidators
  return members.length >= Math.min(n - f, electorate.voters.length)
}
