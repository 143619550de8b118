import type { Testimony } from '../quorum/dissenters.ts'

/**
 * One side of a disagreement. It is one of these:
 * - the value or the refusal that some voters gave
 * - a text that this daemon or a peer signed (`splitView`)
 * - a list of names that the mirror wrote for the evidence
 */
export interface CaseStatement {
  readonly kind: 'value' | 'refusal'
  /**
   * Identifies the statement. For a vote on a read, it is the SHA-256 of the canonical JSON, in base64url.
   */
  readonly digest: string
  /** The statement as text, cut after 65,536 characters. For a vote on a read, it is canonical JSON. */
  readonly body: string
  /**
   * The names of the super validators that gave the statement, or of the peer that signed it; may be empty.
   */
  readonly who: readonly string[]
}

/**
 * The outcome of a dissent (quorum.md#lag-is-not-a-lie).
 * - `dissent`: a lie or an error.
 * - `lag`: the voter was only late or early.
 * - `split`: so many voters contradict the answer in the same way that at least one of them is honest.
 * - `unchecked`: the daemon could not find out which of these applies.
 */
export type DissentOutcome = 'dissent' | 'lag' | 'split' | 'unchecked'

/**
 * The state of a dissent: `pending` until its recheck, then its outcome. A dissent in a drain of the mirror
 * is not rechecked, and has its outcome at once.
 */
export type Filing = 'pending' | DissentOutcome

/**
 * The value of `Case.read` for a contradiction that was found by comparing notes with a peer. The
 * contradiction is one of these:
 * - A super validator told this daemon and the peer different things, or the peer lies about the
 *   super validator.
 * - The peer signed two different notes of one epoch.
 */
export const splitView = 'split-view'

/** The evidence of one disagreement. */
export interface Case {
  /** The time at which the disagreement was found, in ISO 8601. */
  readonly at: string
  /** The id of a read, `roster` for evidence about the roster, or `split-view` (`splitView`). */
  readonly read: string
  /**
   * The SHA-256 of the question, which identifies the question without revealing it. Empty if `read` is
   * `roster`. In a `split-view` case it is the SHA-256 of one of these:
   * - the subject, if a super validator's observations of it contradict each other
   * - the peer's key and the epoch, if the peer signed two notes
   */
  readonly params: string
  /**
   * The parameters of the read, each cut after 65,536 characters. They may be private, so they are present
   * only if the option `evidence.questions` is true. A `split-view` case always has this field: it then
   * contains the peer, the epochs and, if there is one, the subject.
   */
  readonly question?: Readonly<Record<string, string>>
  readonly outcome: 'agreed' | 'disputed' | 'undecided' | 'unreachable'
  /**
   * A sentence that states the rule by which the verdict was reached. Without a vote, the sentence says how
   * the disagreement was found.
   */
  readonly rule: string
  /**
   * The digest of the agreed answer. Null if nothing was agreed. Also null if only a part of the answer was
   * agreed: some items of a list, or the beginning of a history.
   */
  readonly agreed: string | null
  /**
   * The number of votes for the part that was agreed. If several items of a list were agreed, the number of
   * votes for the item with the fewest votes. Absent if the whole answer or nothing was agreed.
   */
  readonly partVotes?: number
  readonly statements: readonly CaseStatement[]
  readonly silent: readonly {
    readonly kind: 'abstention' | 'fault'
    readonly what: string
    readonly who: readonly string[]
  }[]
  /** The super validators that an operator of this daemon had set aside; absent if there were none. */
  readonly setAside?: readonly string[]
  /**
   * The super validators that share a vote, because the daemon asks them at the same origin: one list of
   * names for each shared vote. Absent if every super validator has its own vote.
   */
  readonly sharedVotes?: readonly (readonly string[])[]
  /** The state of each dissent, by the name of the super validator. */
  readonly dissent: Record<string, Filing>
}

/**
 * Returns the parts of a `Case` that say what each voter replied.
 * @param shown returns the digest and the text with which the evidence shows a vote.
 */
export function repliesIn(
  testimonies: readonly Testimony[],
  shown: (kind: CaseStatement['kind'], vote: string) => Pick<CaseStatement, 'digest' | 'body'>,
): Pick<Case, 'statements' | 'silent'> {
  return {
    statements: testimonies.flatMap(({ kind, what, who }) =>
      kind === 'value' || kind === 'refusal' ? [{ kind, ...shown(kind, what), who }] : [],
    ),
    silent: testimonies.flatMap(({ kind, what, who }) =>
      kind === 'abstention' || kind === 'fault' ? [{ kind, what, who }] : [],
    ),
  }
}

interface Kept {
  readonly case: Case
  readonly bytes: number
}

export const longestBody = 65_536
const overheadBytes = 512

/**
 * The latest disagreements, in bounded memory. Every super validator has an equal share of the memory, for
 * the cases in which it dissents. One liar can therefore not evict the cases in which others dissent. Cases
 * without a dissenter have a share of their own.
 */
export class EvidenceLog {
  readonly #maxBytes: number
  readonly #added: ((kept: Case) => void) | undefined
  readonly #shares = new Map<string, { kept: Kept[]; bytes: number }>()
  #superValidators: ReadonlySet<string> = new Set()
  #sharers = 1

  constructor(options: { readonly maxBytes: number; readonly added?: (kept: Case) => void }) {
    this.#maxBytes = options.maxBytes
    this.#added = options.added
  }

  /**
   * Divides `maxBytes` among the super validators of a new roster. Deletes the cases in which every dissenter
   * is a super validator that the new roster lacks. Cases without a dissenter stay.
   * @param superValidators the names of the super validators of the new roster.
   */
  setRoster(superValidators: readonly string[]): void {
    const names = new Set(superValidators)
    for (const name of this.#shares.keys()) if (name !== '' && !names.has(name)) this.#shares.delete(name)
    this.#superValidators = names
    this.#divide()
  }

  add(kept: Case): void {
    this.#added?.(kept)
    const bytes = sizeOf(kept)
    const names = Object.keys(kept.dissent)
    for (const name of names.length === 0 ? [''] : names) {
      let share = this.#shares.get(name)
      if (share === undefined) {
        share = { kept: [], bytes: 0 }
        this.#shares.set(name, share)
        this.#divide()
      }
      share.kept.push({ case: kept, bytes })
      share.bytes += bytes
      this.#trim(share)
    }
  }

  /** All recorded disagreements, newest first, without duplicates. */
  cases(): readonly Case[] {
    const all = new Set([...this.#shares.values()].flatMap(({ kept }) => kept.map((entry) => entry.case)))
    return [...all].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  }

  /**
   * The estimated memory of all cases, in bytes; never above `maxBytes`. A case counts once for each of its
   * dissenters.
   */
  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.#shares.values()) sum += bytes
    return sum
  }

  /**
   * Divides `maxBytes` into equal shares. A dissenter that the current roster lacks has a share too, because
   * its case may be about a read under the former roster.
   */
  #divide(): void {
    this.#sharers = new Set(['', ...this.#superValidators, ...this.#shares.keys()]).size
    for (const share of this.#shares.values()) this.#trim(share)
  }

  #trim(share: { kept: Kept[]; bytes: number }): void {
    const most = Math.floor(this.#maxBytes / this.#sharers)
    let gone = 0
    while (share.bytes > most && gone < share.kept.length) share.bytes -= (share.kept[gone++] as Kept).bytes
    if (gone > 0) share.kept.splice(0, gone)
  }
}

/** Estimates the bytes of memory that a case occupies: strings take up to two bytes a character. */
function sizeOf({ statements, silent, setAside = [], dissent, question = {} }: Case): number {
  let characters = setAside.join().length
  for (const [name, value] of Object.entries(question)) characters += name.length + value.length
  for (const { body, who } of statements) characters += body.length + 64 + who.join().length
  for (const { what, who } of silent) characters += what.length + who.join().length
  for (const name of Object.keys(dissent)) characters += name.length + 16
  return overheadBytes + 2 * characters
}
