import { LRUCache } from 'lru-cache'
import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import { parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import { instantKey } from '../reads/instant.ts'
import { entriesBody, entryBody, type MirroredEntry } from '../reads/mirrored-entry.ts'
import type { Question } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import type { FoundNames, HeldEntry } from './name-state.ts'

/**
 * The largest number of answers that are remembered. One with a single entry takes about 3 KiB of
 * memory, including the bytes that the HTTP server sends for it.
 */
const mostAnswers = 8_192

/**
 * Makes answers of found names. The same entries give the same object, so that their headers are
 * made once.
 */
export class NameAnswers {
  readonly #remembered = new LRUCache<HeldEntry | string, Answer>({ max: mostAnswers })

  of(question: Question, found: FoundNames, agreement: Agreement): Answer {
    const key = found.kind === 'entry' ? found.held : bodyOf(question, found)
    const known = this.#remembered.get(key)
    if (known?.agreement === agreement) return known
    const body = ownBytes(typeof key === 'string' ? key : entryBody(key.entry))
    const answer: Answer = { ...sortOf(found), body, digest: digest(body), agreement }
    this.#remembered.set(key, answer)
    return answer
  }
}

function bodyOf(question: Question, found: Exclude<FoundNames, { kind: 'entry' }>): string {
  return found.kind === 'entries'
    ? entriesBody(found.held.map(({ entry }) => entry))
    : JSON.stringify({ error: absenceOf(question) })
}

function sortOf(found: FoundNames): Pick<Answer, 'kind' | 'status' | 'endsAt' | 'version'> {
  if (found.kind === 'absent') return { kind: 'absence', status: 404 }
  const value = { kind: 'value', status: 200 } as const
  if (found.kind === 'entry') {
    const { entry, endsAt } = found.held
    return { ...value, endsAt, version: instantKey(entry.expires_at) }
  }
  const endsAt = Math.min(...found.held.map((held) => held.endsAt))
  return Number.isFinite(endsAt) ? { ...value, endsAt } : value
}

/**
 * For an absent name or party, scans reply with the first template in `read.absent`, with the
 * parameters filled in.
 */
function absenceOf({ read, params }: Question): string {
  const [text = ''] = read.absent
  return text.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
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
