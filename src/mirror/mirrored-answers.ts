import { LRUCache } from 'lru-cache'
import type { Answer } from '../cache/answer.ts'
import { parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import { readingOf } from '../reads/reading.ts'
import { entryBody } from './entries.ts'
import type { MirroredEntry } from './entry.ts'
import type { MirroredName } from './mirrored-names.ts'

/** The answers of this many names stay printed. An answer takes about 3 KiB with what is sent of it. */
const mostAnswers = 8_192

/** Prints the answers of mirrored names, and remembers those that are asked for. */
export class MirroredAnswers {
  readonly #printed = new LRUCache<string, { readonly row: MirroredName; readonly answer: Answer }>({
    max: mostAnswers,
  })

  of(row: MirroredName): Answer {
    const { name } = row.entry
    const known = this.#printed.get(name)
    if (known?.row === row) return known.answer
    const answer = printedAnswer(row)
    this.#printed.set(name, { row, answer })
    return answer
  }
}

/** Prints the entry as a live read prints a value that no whole threshold sent identically. */
function printedAnswer({ entry, endsAt, source }: MirroredName): Answer {
  const body = ownBytes(entryBody(entry))
  const { agreement } = source
  return { kind: 'value', status: 200, body, digest: digest(body), agreement, endsAt }
}

/** Returns the entry in a live answer; undefined for an absence and for an entry that no contract stands for. */
export function entryOfAnswer({ kind, body }: Answer): MirroredEntry | undefined {
  if (kind === 'absence') return undefined
  const value = readingOf(lookupAnsEntryByName, parseJson(body))?.value as
    | { readonly entry: Partial<MirroredEntry> }
    | undefined
  const entry = value?.entry
  return entry?.contract_id == null || entry.expires_at == null ? undefined : (entry as MirroredEntry)
}
