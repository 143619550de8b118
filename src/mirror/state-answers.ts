import { LRUCache } from 'lru-cache'
import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import { instantKey } from '../reads/instant.ts'
import { entriesBody, entryBody } from '../reads/mirrored-entry.ts'
import type { Question } from '../reads/read.ts'
import type { Following } from './following.ts'
import type { LedgerReach } from './ledger-time.ts'
import { endOf, type FoundNames } from './name-state.ts'

const mostAnswers = 8_192

interface RememberedAnswer {
  readonly answer: Answer
  readonly following: Following
  readonly version: number
  readonly agreement: Agreement
}

export class StateAnswers {
  readonly #remembered = new LRUCache<string, RememberedAnswer>({ max: mostAnswers })

  /**
   * @returns undefined if scans with the same entries may answer differently (`NameState.find`).
   */
  find(
    key: string,
    question: Question,
    { following, reach }: { readonly following: Following; readonly reach: LedgerReach },
  ): Answer | undefined {
    const known = this.#remembered.get(key)
    if (known !== undefined && isCurrent(known, following, reach.reached)) return known.answer
    const found = following.find(question, reach)
    if (found === undefined) return undefined
    const { version, agreement } = following
    const answer = serialized(question, found, agreement)
    this.#remembered.set(key, { answer, following, version, agreement })
    return answer
  }
}

function isCurrent(
  { answer, following, version, agreement }: RememberedAnswer,
  now: Following,
  reached: number,
): boolean {
  if (following !== now || version !== now.version || reached > (answer.endsAt ?? reached)) return false
  return agreement === now.agreement
}

function serialized(question: Question, found: FoundNames, agreement: Agreement): Answer {
  const agreed = { ...agreement, complete: true }
  if (found.kind === 'absent')
    return answerOf('absence', JSON.stringify({ error: absenceOf(question) }), agreed)
  const body = found.kind === 'entry' ? entryBody(found.entry) : entriesBody(found.entries)
  const endsAt = endOf(found)
  return {
    ...answerOf('value', body, agreed),
    ...(Number.isFinite(endsAt) && { endsAt }),
    ...(found.kind === 'entry' && { version: instantKey(found.entry.expires_at) }),
  }
}

function answerOf(kind: Answer['kind'], text: string, agreement: Agreement): Answer {
  const body = ownBytes(text)
  return { kind, status: kind === 'value' ? 200 : 404, body, digest: digest(body), agreement }
}

/**
 * For an absent name or party, scans reply with the first template in `read.absent`, with the
 * parameters filled in.
 */
function absenceOf({ read, params }: Question): string {
  const [text = ''] = read.absent
  return text.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
}
