import { LRUCache } from 'lru-cache'
import { SpliceError } from '../../base/errors/splice.ts'
import { ageMs, type Clock, type Moment, momentOf } from '../../base/lib/clock.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { HeldUpOutcome } from '../../base/telemetry/label-values.ts'
import type { Answer } from '../cache/answer.ts'
import type { Answers } from '../cache/answers.ts'
import { cacheKey } from '../cache/key.ts'
import type { FloorId, Sighting } from '../guard/floors.ts'
import type { RollbackGuard } from '../guard/rollback-guard.ts'
import type { Group } from '../quorum/electorate.ts'
import { longestPrefix } from '../quorum/history.ts'
import { decide } from '../quorum/rules.ts'
import { meetThreshold, tally } from '../quorum/tally.ts'
import type { AgreedVerdict } from '../quorum/verdict.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import type { Question } from '../reads/read.ts'
import { agreedAnswer } from './agreed-answer.ts'
import type { Witness } from './disagreement.ts'
import type { Discovery } from './discovery.ts'
import type { Inquiries, Inquiry } from './inquiry.ts'
import type { MirroredReads } from './mirrored-reads.ts'
import { quorumReached } from './not-agreed.ts'
import type { Roster } from './roster.ts'

export interface RollbackDeps {
  readonly clock: Clock
  readonly inquiries: Inquiries
  readonly events: Pick<Events, 'heldUp'>
  readonly guard: RollbackGuard
  readonly witness: Pick<Witness, 'withdrawn'>
  readonly answers: Pick<Answers, 'forget'>
}

interface JustAgreed {
  readonly question: Question
  readonly roster: Roster
  readonly agreed: Answer
  readonly signal: AbortSignal
}

interface SecondAnswer {
  readonly answer: Answer | undefined
  /**
   * - `newer`: all super validators were asked, and enough of them gave an answer that is new enough.
   * - `withdrawn`: all super validators but f gave an older answer twice, so the daemon serves it.
   * - `behind`: neither happened, so the read fails.
   */
  readonly outcome: HeldUpOutcome
}

/** An answer of the mirror that was compared with the floor of its question. */
interface Compared {
  /** Undefined if a read has raised the floor since. */
  at: Moment | undefined
  isAdmitted: MaybePromise<boolean>
}

/** The largest number of answers that are remembered. The mirror remembers as many. */
const mostCompared = 8_192

/**
 * The time after which an answer of the mirror is compared again. Another daemon with the same Redis
 * may have served a newer answer meanwhile.
 */
const comparedAgainMs = 30_000

/**
 * Prevents a read from serving an answer that is older than an answer served before. There is one
 * exception: all super validators but f give the older answer twice (quorum.md#never-back).
 */
export class RollbackCheck {
  readonly #deps: RollbackDeps
  /** By the answer itself: the mirror gives the same object again, and a key costs a hit 5 %. */
  readonly #mirrored = new WeakMap<Answer, Compared>()
  /** The answer of the mirror to each question that was compared last, by cache key. */
  readonly #latest = new LRUCache<string, Compared>({ max: mostCompared })
  #mirror: MirroredReads | undefined

  constructor(deps: RollbackDeps) {
    this.#deps = deps
  }

  /** From now on, floors are raised to what the mirror knows. */
  raiseTo(mirror: MirroredReads): void {
    this.#mirror = mirror
  }

  /**
   * Raises the floor to an answer of the mirror, so that it also applies after a restart. If the
   * mirror did not give this answer before, what is cached of the question ends: it may be older.
   * @param at the present moment.
   * @returns false if the answer is older than the floor, so that it must not be served.
   */
  admits(
    question: Question,
    roster: Roster,
    answer: Answer,
    at = momentOf(this.#deps.clock),
  ): MaybePromise<boolean> {
    const last = this.#mirrored.get(answer)
    if (last?.at !== undefined && ageMs(last.at, at) < comparedAgainMs) return last.isAdmitted
    const sighting = sightingOf(question, answer)
    if (sighting === undefined) return true
    const { guard, answers } = this.#deps
    const key = keyOf(question, roster)
    const isAdmitted = guard.raise(floorIdOf(guard.network, question, roster), sighting)
    const compared: Compared = { at, isAdmitted }
    this.#mirrored.set(answer, compared)
    this.#latest.set(key, compared)
    return whenKnown(isAdmitted, (found) => {
      compared.isAdmitted = found
      if (found && last === undefined) answers.forget(key)
      return found
    })
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
  async check(just: JustAgreed, caller: { readonly requestId?: () => string }): Promise<Answer> {
    const { guard } = this.#deps
    const { question, roster, agreed } = just
    const sighting = sightingOf(question, agreed)
    if (sighting === undefined) return agreed
    const id = floorIdOf(guard.network, question, roster)
    const known = this.#mirror?.known(question)
    if (known !== undefined) await this.admits(question, roster, known)
    const answer = (await guard.admit(id, sighting)) ? agreed : await this.#newer(id, just, caller)
    const compared = this.#mirror && this.#latest.get(keyOf(question, roster))
    if (compared !== undefined) compared.at = undefined
    return answer
  }

  async #newer(
    id: FloorId,
    { question, roster, signal }: JustAgreed,
    caller: { readonly requestId?: () => string },
  ): Promise<Answer> {
    const { guard, events, inquiries } = this.#deps
    using all = inquiries.ask(question, roster, signal, { fanout: 'all' })
    const { answer, outcome } = await this.#secondAnswer(all, id)
    events.heldUp(question.read.id, outcome, { keys: guard.keysOf(id), requestId: caller.requestId?.() })
    if (answer === undefined) throw new SpliceError('behind', {}, { quorum: quorumReached(all) })
    return answer
  }

  async #secondAnswer(all: Inquiry, id: FloorId): Promise<SecondAnswer> {
    const { guard, witness } = this.#deps
    const verdict = await all.decided
    if (verdict.kind === 'agreed') {
      const { answer, isAdmitted } = await this.#judge(all, id, verdict)
      if (isAdmitted) return { answer, outcome: 'newer' }
    }
    await all.whenOver()
    await all.ballots.compare()
    const newest = newestAgreed(all)
    if (newest === undefined) return { answer: undefined, outcome: 'behind' }
    const { answer, sighting, isAdmitted } = await this.#judge(all, id, newest)
    if (sighting === undefined || isAdmitted) return { answer, outcome: 'newer' }
    if (!isByAllButFaulty(all, newest) || !(await guard.withdraw(id, sighting)))
      return { answer: undefined, outcome: 'behind' }
    witness.withdrawn(all, newest)
    return { answer, outcome: 'withdrawn' }
  }

  async #judge(all: Inquiry, id: FloorId, verdict: AgreedVerdict) {
    const answer = await agreedAnswer(all, verdict)
    const sighting = sightingOf(all.question, answer)
    const isAdmitted = sighting === undefined || (await this.#deps.guard.admit(id, sighting))
    return { answer, sighting, isAdmitted }
  }
}

function keyOf({ read, params }: Question, { trustDigest }: Roster): string {
  return cacheKey(trustDigest, read.id, params)
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

const newestRule = 'of what a threshold gave, this is the newest, and an answer before it was older'

const absentStatus = 404

/**
 * Returns the id of a question in the rollback guard, which prevents answers older than those
 * served before. If the DSO is not known, the trust digest of the roster replaces it.
 */
function floorIdOf(network: string, { read, params }: Question, roster: Roster): FloorId {
  const { membership, trustDigest } = roster
  return {
    text: JSON.stringify(network) + cacheKey(membership.dso || trustDigest, read.id, params),
    isOfUnboundedRead: read.version?.hasUnboundedQuestions === true,
  }
}

function sightingOf({ read }: Question, answer: Answer): Sighting | undefined {
  if (read.version === undefined) return undefined
  if (answer.kind === 'value') return { kind: 'value', version: answer.version, endsAt: answer.endsAt }
  return answer.status === absentStatus ? { kind: 'absence', after: read.version.absence } : undefined
}

/**
 * Returns the newest value that enough voters gave; or, if it is longer, the beginning of a history
 * that enough voters share; or else a refusal that enough voters gave. All replies must have
 * arrived, and the caller must have awaited `Ballots.compare`.
 */
function newestAgreed(inquiry: Inquiry): AgreedVerdict | undefined {
  const { electorate, heard, ballots, read } = inquiry
  if (read.agree.on === 'reached') return latestReached(inquiry)
  const { values, refusals } = tally(electorate, heard)
  const wins = ({ members }: { readonly members: Group }) => meetThreshold(electorate, members)
  const versionOf = (vote: string) => ballots.statement(vote).bodies[0]?.judged?.version ?? ''
  const [newest] = values.filter(wins).sort((a, b) => (versionOf(a.vote) < versionOf(b.vote) ? 1 : -1))
  const beginning = read.agree.on === 'history' ? longestBeginning(inquiry) : undefined
  const made = { kind: 'agreed', rule: newestRule } as const
  if (newest !== undefined && lengthOf(inquiry, newest.vote) >= (beginning?.length ?? 0))
    return { ...made, on: 'value', vote: newest.vote, members: newest.members }
  if (beginning !== undefined) return { ...made, on: 'history', ...beginning }
  const refusal = refusals.find(wins)
  return refusal && { ...made, on: 'refusal', vote: refusal.vote, members: refusal.members }
}

function latestReached({ electorate, heard }: Inquiry): AgreedVerdict | undefined {
  const verdict = decide(electorate, heard, { agree: 'reached', patient: false })
  return verdict?.kind === 'agreed' ? { ...verdict, rule: newestRule } : undefined
}

function longestBeginning({ electorate, heard }: Inquiry) {
  const histories = heard.map((reply) => (reply?.kind === 'value' ? reply.steps : undefined))
  const { length, voters: members } = longestPrefix(electorate, histories)
  const [first] = members
  const reply = first === undefined ? undefined : heard[first]
  return length === 0 || reply?.kind !== 'value' ? undefined : { length, members, vote: reply.vote }
}

function lengthOf({ ballots }: Inquiry, vote: string): number {
  return ballots.statement(vote).comparison?.steps?.length ?? 0
}

/**
 * Removes floors. A floor is the age of an answer that was served: later answers to the same
 * question must not be older.
 */
export function floorResets(guard: RollbackGuard, discovery: Pick<Discovery, 'roster'>) {
  return {
    /**
     * Resolves with false while the daemon has no roster, because the key of a floor depends on the
     * roster.
     */
    async endOfName(name: string) {
      const { roster } = discovery
      if (roster === undefined) return false
      const question = { read: lookupAnsEntryByName, params: { name } }
      await guard.reset(floorIdOf(guard.network, question, roster))
      return true
    },
    endKey: async (key: string) => guard.resetKey(key),
  }
}
