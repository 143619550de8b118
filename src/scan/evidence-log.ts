/** A value or a refusal that one or more voters gave, in canonical form. */
export interface Statement {
  readonly kind: 'value' | 'refusal'
  /** SHA-256 of the canonical form, base64url. */
  readonly digest: string
  /** Canonical JSON, cut after 65,536 characters. */
  readonly body: string
  /** The names of the super validators that gave it. */
  readonly who: readonly string[]
}

/**
 * The outcome of a dissent (quorum.md#lag-is-not-a-lie). `dissent`: a lie or an error. `lag`: the voter was only late
 * or early. `split`: so many super validators contradict the answer alike that one of them is certainly honest.
 * `unchecked`: the daemon could not find out.
 */
export type DissentOutcome = 'dissent' | 'lag' | 'split' | 'unchecked'

/** The state of a dissent: `pending` until its recheck, then its outcome. */
export type Filing = 'pending' | DissentOutcome

/**
 * The `read` of cases that compare what super validators told this daemon with what peers say they were told. Nobody voted,
 * and a peer may lie.
 */
export const splitView = 'split-view'

/** The evidence of one disagreement. */
export interface Case {
  /** When the disagreement was found, in ISO 8601. */
  readonly at: string
  /** The id of a read, `roster` or `split-view`. */
  readonly read: string
  /** SHA-256 of the question. It identifies the question without revealing it. Empty if `read` is `roster`. */
  readonly params: string
  /**
   * The parameters of the read, each cut after 65,536 characters. Present only if the option `evidence.questions` is
   * true, because they may be private.
   */
  readonly question?: Readonly<Record<string, string>>
  readonly outcome: 'agreed' | 'disputed' | 'undecided' | 'unreachable'
  /** The sentence of the rule that led to the verdict. */
  readonly rule: string
  /**
   * The digest of the agreed answer. Null if nothing was agreed, or only a part: items of a list, or the beginning of
   * a history.
   */
  readonly agreed: string | null
  /**
   * The number of votes for the part that was agreed; of a list, for the item that the fewest super validators list.
   * Absent if the whole answer or nothing was agreed.
   */
  readonly partVotes?: number
  readonly statements: readonly Statement[]
  readonly silent: readonly {
    readonly kind: 'abstention' | 'fault'
    readonly what: string
    readonly who: readonly string[]
  }[]
  /** The super validators that an operator of this daemon had set aside; absent if there were none. */
  readonly setAside?: readonly string[]
  /** The state of each dissent, by the name of the super validator. */
  readonly dissent: Record<string, Filing>
}

interface Kept {
  readonly case: Case
  readonly bytes: number
}

export const longestBody = 65_536
const overheadBytes = 512

/**
 * The latest disagreements, in bounded memory. Every super validator has an equal share of the bytes for the cases in
 * which it dissents, so that one liar cannot evict the cases of others. Cases without a dissenter have a share of
 * their own.
 */
export class EvidenceLog {
  readonly #maxBytes: number
  readonly #added: ((kept: Case) => void) | undefined
  readonly #shares = new Map<string, { kept: Kept[]; bytes: number }>()
  #sharers = 1

  constructor(options: { readonly maxBytes: number; readonly added?: (kept: Case) => void }) {
    this.#maxBytes = options.maxBytes
    this.#added = options.added
  }

  /**
   * Divides the bytes among the super validators of a new roster. Deletes the cases in which only others dissented.
   * @param superValidators the names of those that may dissent from now on.
   */
  setRoster(superValidators: readonly string[]): void {
    const names = new Set(superValidators)
    for (const name of this.#shares.keys()) if (name !== '' && !names.has(name)) this.#shares.delete(name)
    this.#sharers = names.size + 1
    for (const share of this.#shares.values()) this.#trim(share)
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
