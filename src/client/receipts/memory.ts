import { isJsonObject, MisshapenJson, parseJson } from '../../lib/canonical-json.ts'

/** The most keys, and the most questions of one key, that a memory holds. It forgets those accepted longest ago. */
const most = 10_000

interface KeyMemory {
  roster: string
  readonly created: Map<string, number>
}

/**
 * Remembers the roster and the times of the receipts that a verifier accepted, by key. Without a memory a verifier
 * cannot tell a replayed answer from a new one. Keep its text between runs.
 */
export class ReceiptMemory {
  readonly #keys = new Map<string, KeyMemory>()

  /**
   * @param text the text of an earlier memory, from `toText`
   * @throws TypeError if the text is not that of a memory
   */
  constructor(text?: string) {
    if (text === undefined) return
    for (const [keyid, { roster, created }] of entriesIn(text))
      this.#keys.set(keyid, { roster, created: new Map(created) })
  }

  /** Returns the digest of the roster that was accepted last from this key. Undefined if none was. */
  rosterOf(keyid: string): string | undefined {
    return this.#keys.get(keyid)?.roster
  }

  /**
   * Returns the largest `created` of a key's accepted receipts for a question: seconds since 1970. Undefined if none
   * was.
   */
  newest(keyid: string, question: string): number | undefined {
    return this.#keys.get(keyid)?.created.get(question)
  }

  /** Remembers a receipt that was accepted. */
  accept(
    keyid: string,
    seen: { readonly question: string; readonly created: number; readonly roster: string },
  ) {
    const known = this.#keys.get(keyid) ?? { roster: seen.roster, created: new Map<string, number>() }
    known.roster = seen.roster
    setLast(known.created, seen.question, Math.max(seen.created, known.created.get(seen.question) ?? 0))
    setLast(this.#keys, keyid, known)
  }

  /** Returns the memory as JSON, for the constructor. */
  toText(): string {
    return JSON.stringify(
      [...this.#keys].map(([keyid, { roster, created }]) => ({ keyid, roster, created: [...created] })),
    )
  }
}

function setLast<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

type MemoryEntry = { readonly roster: string; readonly created: readonly (readonly [string, number])[] }

function entriesIn(text: string): readonly (readonly [string, MemoryEntry])[] {
  try {
    const keys = parseJson(text)
    if (!Array.isArray(keys)) throw new TypeError(notOne)
    return keys.map((key) => {
      const { keyid, roster, created } = isJsonObject(key) ? key : {}
      if (
        typeof keyid !== 'string' ||
        typeof roster !== 'string' ||
        !Array.isArray(created) ||
        !created.every(isTime)
      )
        throw new TypeError(notOne)
      return [keyid, { roster, created }] as const
    })
  } catch (error) {
    throw error instanceof MisshapenJson ? new TypeError(notOne, { cause: error }) : error
  }
}

const notOne = 'This is no memory of receipts.'

function isTime(entry: unknown): entry is readonly [string, number] {
  return (
    Array.isArray(entry) &&
    entry.length === 2 &&
    typeof entry[0] === 'string' &&
    Number.isSafeInteger(entry[1])
  )
}
