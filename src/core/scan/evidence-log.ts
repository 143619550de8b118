import type { Testimony } from '../quorum/dissenters.ts'

/**
 * One side of a disagreement: usually the value or refusal that some voters gave. Other sides are a
 * text that this daemon or a peer signed, and a list of names from the mirror.
 */
export interface CaseStatement {
  readonly kind: 'value' | 'refusal'
  /** For a vote on a read, the SHA-256 of the canonical JSON, in base64url. */
  readonly digest: string
  /**
   * At most 65,536 characters of the statement. For a vote on a read, the text is canonical JSON.
   */
  readonly body: string
  readonly who: readonly string[]
}

/**
 * The outcome of a dissent (quorum.md#lag-is-not-a-lie).
 * - `dissent`: a lie or an error.
 * - `lag`: the voter was late, and then gave the agreed answer or a newer one.
 * - `ahead`: the agreed answer was late, and a quorum then agreed on what the voter had said.
 * - `split`: so many voters contradict the answer alike that at least one of them is honest.
 * - `unchecked`: the daemon could not find out which of these applies.
 */
export type DissentOutcome = 'dissent' | 'lag' | 'ahead' | 'split' | 'unchecked'

export type Filing = 'pending' | DissentOutcome

/** Whether the difference was gone when the daemon asked again. */
export function hasEnded(filing: Filing): filing is 'lag' | 'ahead' {
  return filing === 'lag' || filing === 'ahead'
}

export interface Case {
  /** The time at which the daemon found the disagreement, in ISO 8601. */
  readonly at: string
  /** The id of a read, or `roster` for evidence about the roster. */
  readonly read: string
  /**
   * The SHA-256 of the question, which does not reveal the question. Empty if `read` is `roster`.
   */
  readonly params: string
  /**
   * The parameters of the read, each cut after 65,536 characters. They may be private, so they are
   * present only if `evidence.questions` is true.
   */
  readonly question?: Readonly<Record<string, string>>
  readonly outcome: 'agreed' | 'disputed' | 'undecided' | 'unreachable'
  readonly rule: string
  /**
   * The digest of the agreed answer. Null if nothing was agreed, or only a part: some items of a
   * list, or the beginning of a history.
   */
  readonly agreed: string | null
  /**
   * The number of votes for the agreed part of an answer. If the part is several list items, the
   * votes for the item that got the fewest. Absent if the whole answer or nothing was agreed.
   */
  readonly partVotes?: number
  readonly statements: readonly CaseStatement[]
  readonly silent: readonly {
    readonly kind: 'abstention' | 'fault'
    readonly what: string
    readonly who: readonly string[]
  }[]
  readonly setAside?: readonly string[]
  /**
   * One list of names for each vote that several super validators share, because the daemon asks
   * them at the same origin. Absent if every super validator has its own vote.
   */
  readonly sharedVotes?: readonly (readonly string[])[]
  readonly dissent: Record<string, Filing>
}

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

interface KeptCase {
  readonly case: Case
  readonly bytes: number
}

export const longestBody = 65_536
const overheadBytes = 512

/**
 * The latest disagreements, in bounded memory. Every super validator has an equal share of the
 * memory for its dissents, so one liar cannot evict the cases in which others dissent.
 */
export class EvidenceLog {
  readonly #maxBytes: number
  readonly #added: ((kept: Case) => void) | undefined
  readonly #shares = new Map<string, { kept: KeptCase[]; bytes: number }>()
  #superValidators: ReadonlySet<string> = new Set()
  #sharers = 1

  constructor(options: { readonly maxBytes: number; readonly added?: (kept: Case) => void }) {
    this.#maxBytes = options.maxBytes
    this.#added = options.added
  }

  /**
   * Divides `maxBytes` among the super validators of a new roster. Deletes the cases in which every
   * dissenter is a super validator that the new roster lacks.
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

  clear(): void {
    this.#shares.clear()
    this.#divide()
  }

  cases(): readonly Case[] {
    const all = new Set([...this.#shares.values()].flatMap(({ kept }) => kept.map((entry) => entry.case)))
    return [...all].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  }

  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.#shares.values()) sum += bytes
    return sum
  }

  /**
   * Divides the memory into equal shares again, and deletes the oldest cases of each share that is
   * too large. A dissenter that the current roster lacks has a share too, because its case may be
   * about a read under the former roster.
   */
  #divide(): void {
    this.#sharers = new Set(['', ...this.#superValidators, ...this.#shares.keys()]).size
    for (const share of this.#shares.values()) this.#trim(share)
  }

  #trim(share: { kept: KeptCase[]; bytes: number }): void {
    const most = Math.floor(this.#maxBytes / this.#sharers)
    let gone = 0
    while (share.bytes > most && gone < share.kept.length)
      share.bytes -= (share.kept[gone++] as KeptCase).bytes
    if (gone > 0) share.kept.splice(0, gone)
  }
}

function sizeOf({ statements, silent, setAside = [], dissent, question = {} }: Case): number {
  let characters = setAside.join().length
  for (const [name, value] of Object.entries(question)) characters += name.length + value.length
  for (const { body, who } of statements) characters += body.length + 64 + who.join().length
  for (const { what, who } of silent) characters += what.length + who.join().length
  for (const name of Object.keys(dissent)) characters += name.length + 16
  return overheadBytes + 2 * characters
}
