import { BadOptions } from '../../base/lib/bad-options.ts'
import { isJsonObject, MisshapenJson, parseJson } from '../../base/lib/canonical-json.ts'

/**
 * The maximum number of keys, and of questions for one key. A full memory forgets the key or
 * question that it accepted longest ago.
 */
const most = 10_000

/** The end of the year 9999, in seconds since 1970. No receipt is later. */
export const lastTime = 253_402_300_799

interface KeyMemory {
  roster: string
  readonly newest: Map<string, number>
}

/**
 * Remembers the receipts that a verifier accepted. Without a memory, a verifier cannot tell a
 * replayed old answer from a new one. To keep a memory across restarts, store the result of
 * `toText()` and pass it to the next constructor.
 */
export class ReceiptMemory {
  readonly #keys = new Map<string, KeyMemory>()

  /**
   * @param text the stored result of `toText()`; undefined for an empty memory
   * @throws BadOptions if `text` is no result of `toText()`
   */
  constructor(text?: string) {
    if (text === undefined) return
    for (const [keyid, { roster, newest }] of entriesIn(text))
      this.#keys.set(keyid, { roster, newest: new Map(newest) })
  }

  /**
   * Returns the digest of the list of super validators in the last accepted receipt of this key.
   */
  rosterOf(keyid: string): string | undefined {
    return this.#keys.get(keyid)?.roster
  }

  /**
   * Returns the latest time at which an accepted answer of this key to this question was true, in
   * seconds since 1970.
   */
  newest(keyid: string, question: string): number | undefined {
    return this.#keys.get(keyid)?.newest.get(question)
  }

  /**
   * Remembers an accepted receipt.
   * @param seen the question, the digest of the list of super validators, and when the answer was
   * true, in seconds since 1970
   */
  accept(keyid: string, seen: { readonly question: string; readonly asOf: number; readonly roster: string }) {
    const known = this.#keys.get(keyid) ?? { roster: seen.roster, newest: new Map<string, number>() }
    known.roster = seen.roster
    setLast(known.newest, seen.question, Math.max(seen.asOf, known.newest.get(seen.question) ?? 0))
    setLast(this.#keys, keyid, known)
  }

  /** Returns the memory as a JSON string for the constructor. */
  toText(): string {
    return JSON.stringify(
      [...this.#keys].map(([keyid, { roster, newest }]) => ({ keyid, roster, newest: [...newest] })),
    )
  }
}

function setLast<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

type MemoryEntry = { readonly roster: string; readonly newest: readonly (readonly [string, number])[] }

function entriesIn(text: string): readonly (readonly [string, MemoryEntry])[] {
  try {
    const keys = parseJson(text)
    if (!Array.isArray(keys)) throw new BadOptions([notOne])
    return keys.map((key) => {
      const { keyid, roster, newest } = isJsonObject(key) ? key : {}
      if (
        typeof keyid !== 'string' ||
        typeof roster !== 'string' ||
        !Array.isArray(newest) ||
        !newest.every(isTime)
      )
        throw new BadOptions([notOne])
      return [keyid, { roster, newest }] as const
    })
  } catch (error) {
    throw error instanceof MisshapenJson ? new BadOptions([notOne]) : error
  }
}

const notOne = 'This is no memory of receipts.'

function isTime(entry: unknown): entry is readonly [string, number] {
  return (
    Array.isArray(entry) &&
    entry.length === 2 &&
    typeof entry[0] === 'string' &&
    Number.isSafeInteger(entry[1]) &&
    Number(entry[1]) <= lastTime
  )
}
