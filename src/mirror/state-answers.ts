import { LRUCache } from 'lru-cache'
import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import type { Question } from '../reads/read.ts'
import { entriesBody, entryBody } from './entries.ts'
import type { Following } from './following.ts'
import type { LedgerReach } from './ledger-time.ts'
import { endOf, type FoundNames } from './name-state.ts'

/** The answers of this many questions stay printed. */
const mostAnswers = 8_192

interface PrintedAnswer {
  readonly answer: Answer
  readonly following: Following
  readonly version: number
  readonly agreement: Agreement
}

/** Prints answers from the state of the ledger, and remembers those that are asked for until names change. */
export class StateAnswers {
  readonly #printed = new LRUCache<string, PrintedAnswer>({ max: mostAnswers })

  /**
   * @param key identifies the question.
   * @param now the state, and the ledger's time.
   * @returns undefined if the answer depends on more than the ledger's entries.
   */
  find(
    key: string,
    question: Question,
    { following, reach }: { readonly following: Following; readonly reach: LedgerReach },
  ): Answer | undefined {
    const known = this.#printed.get(key)
    if (known !== undefined && isCurrent(known, following, reach.reached)) return known.answer
    const found = following.find(question, reach)
    if (found === undefined) return undefined
    const { version, agreement } = following
    const answer = printed(question, found, agreement)
    this.#printed.set(key, { answer, following, version, agreement })
    return answer
  }
}

function isCurrent(
  { answer, following, version, agreement }: PrintedAnswer,
  now: Following,
  reached: number,
): boolean {
  if (following !== now || version !== now.version || reached > (answer.endsAt ?? reached)) return false
  return agreement === now.agreement
}

/** Prints the answer as a live read prints one that no whole threshold sent identically. */
function printed(question: Question, found: FoundNames, agreement: Agreement): Answer {
  const agreed = { ...agreement, complete: true }
  if (found.kind === 'absent')
    return answerOf('absence', JSON.stringify({ error: absenceOf(question) }), agreed)
  const body = found.kind === 'entry' ? entryBody(found.entry) : entriesBody(found.entries)
  const endsAt = endOf(found)
  const answer = answerOf('value', body, agreed)
  return Number.isFinite(endsAt) ? { ...answer, endsAt } : answer
}

function answerOf(kind: Answer['kind'], text: string, agreement: Agreement): Answer {
  const body = ownBytes(text)
  return { kind, status: kind === 'value' ? 200 : 404, body, digest: digest(body), agreement }
}

/** The text of the row, as a scan says it. */
function absenceOf({ read, params }: Question): string {
  const [text = ''] = read.absent
  return text.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
}
