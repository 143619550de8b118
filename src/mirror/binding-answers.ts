import { LRUCache } from 'lru-cache'
import type { Answer } from '../cache/answer.ts'
import { parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import { instantKey } from '../reads/instant.ts'
import { entryBody, type MirroredEntry } from '../reads/mirrored-entry.ts'
import { readingOf } from '../reads/reading.ts'
import type { MirroredName } from './mirrored-names.ts'

/**
 * The largest number of answers that are remembered. Each takes about 3 KiB of memory, including the
 * bytes that the HTTP server sends for it.
 */
const mostAnswers = 8_192

export class BindingAnswers {
  readonly #remembered = new LRUCache<string, { readonly row: MirroredName; readonly answer: Answer }>({
    max: mostAnswers,
  })

  of(row: MirroredName): Answer {
    const { name } = row.entry
    const known = this.#remembered.get(name)
    if (known?.row === row) return known.answer
    const answer = serializedAnswer(row)
    this.#remembered.set(name, { row, answer })
    return answer
  }
}

function serializedAnswer({ entry, endsAt, source }: MirroredName): Answer {
  const body = ownBytes(entryBody(entry))
  const { agreement } = source
  const version = instantKey(entry.expires_at)
  return { kind: 'value', status: 200, body, digest: digest(body), agreement, endsAt, version }
}

/**
 * Returns the entry in an answer to a lookup by name. Returns undefined for an absence, and for an
 * entry that scans add without a contract, such as the entry of the DSO.
 */
export function entryOfAnswer({ kind, body }: Answer): MirroredEntry | undefined {
  if (kind === 'absence') return undefined
  const value = readingOf(lookupAnsEntryByName, parseJson(body))?.value as
    | { readonly entry: Partial<MirroredEntry> }
    | undefined
  const entry = value?.entry
  return entry?.contract_id == null || entry.expires_at == null ? undefined : (entry as MirroredEntry)
}
