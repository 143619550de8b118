import { SpliceError } from '../../base/errors/splice.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import type { Answer } from '../../core/cache/answer.ts'
import type { Served } from '../../core/cache/answers.ts'
import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../../core/reads/ans.ts'
import type { Params, Question, Read } from '../../core/reads/read.ts'
import { doubtOf, type Examination, type Examiner, type VoteEvent } from '../../doctor/examiner.ts'
import type { OpenMirror } from '../../mirror/open.ts'
import { unusableName } from '../../registry/names/name.ts'
import {
  type Entry,
  type Finding,
  type LookupInput,
  type MirroredAnswer,
  type NameEvent,
  type PageModel,
  type Way,
  ways,
} from './model.ts'
import { type HistoryDeps, historyOf } from './name-timeline.ts'
import type { ReceiptFiles } from './receipt-files.ts'
import { mostListed } from './views/lookup.ts'

export interface Found {
  readonly status: number
  readonly finding: Finding
  /** The visitor may ask again after this many seconds. */
  readonly retryAfter?: number | undefined
}

export interface LookupDeps {
  readonly examiner: Pick<Examiner, 'examine'>
  readonly history: HistoryDeps
  /** The daemon's copy of the names. */
  readonly mirror: Pick<OpenMirror, 'reads' | 'status'> | undefined
  /**
   * Takes one cache miss from the visitor's budget, or throws a SpliceError if the budget is used
   * up.
   */
  readonly spend: () => void
  readonly receipts: Pick<ReceiptFiles, 'offer'> | undefined
  readonly machineMs: () => number
  readonly watch?: (event: VoteEvent) => void
}

/** `::` separates the two halves of a party id. A name never contains it. */
const partySign = '::'

/**
 * Reads the look-up form from the query of its URL. If the text is a party and the visitor chose
 * `name`, or the reverse, the choice is corrected.
 */
export function questionIn(query: URLSearchParams, mayAskAll: boolean): LookupInput {
  const chosen = ways.find((way) => way === query.get('by')) ?? 'name'
  const text = (query.get('q') ?? '').trim()
  const by = chosen === 'prefix' ? chosen : wayOf(text, chosen)
  const ask = query.get('ask') === 'enough' ? 'enough' : 'all'
  const fromMirror = query.get('from') === 'mirror'
  if (!mayAskAll) return { by, text, ask: undefined, strict: false, fromMirror }
  return { by, text, ask, strict: query.get('votes') === '2f+1', fromMirror }
}

function wayOf(text: string, chosen: Way): Way {
  if (text.includes(partySign)) return 'party'
  if (text.includes('.')) return 'name'
  // Every name has a dot, so a word without one is the beginning of a name.
  return chosen === 'name' && /^[a-z0-9_-]+$/.test(text) ? 'prefix' : chosen
}

export function inputProblem({ by, text }: LookupInput): string | undefined {
  if (by === 'prefix') return undefined
  if (text === '') return `Type a ${by} to look up.`
  if (by === 'name') return nameTypo(text)
  return /.::./.test(text)
    ? undefined
    : 'A party is a name, two colons, 1220 and 64 hex digits. For a name, choose "Name".'
}

function nameTypo(text: string): string | undefined {
  const problem = unusableName(text)
  const lower = text.toLowerCase()
  const isTypo = problem !== undefined && lower !== text && unusableName(lower) === undefined
  return isTypo ? `Names have no capital letters: did you mean ${lower}?` : problem
}

/**
 * Asks the super validators now, past the cache and the mirror. If the mirror has an answer too,
 * the finding compares both. If the visitor asks for the mirror's answer, nobody else is asked.
 */
export async function lookUp(input: LookupInput, deps: LookupDeps): Promise<Found> {
  const { by, text, ask, strict } = input
  const problem = inputProblem(input)
  if (problem !== undefined) return { status: 400, finding: { kind: 'senseless', why: problem } }
  const course: VoteEvent[] = []
  let settledAt = deps.machineMs()
  const watch = (event: VoteEvent) => {
    if (event.kind === 'settled') settledAt = deps.machineMs()
    course.push(event)
    deps.watch?.(event)
  }
  try {
    const question = questionOf(by, text)
    deps.spend()
    const askedAt = deps.machineMs()
    const { mirror } = deps
    const mirrored = mirror?.reads.find(question) ?? (mirror?.status().asOf === null ? 'empty' : undefined)
    if (input.fromMirror && typeof mirrored === 'object' && mirrored.asOf !== undefined) {
      const { answer, asOf } = mirrored
      return { status: 200, finding: { kind: 'mirrored', answer, asOf, askedAt } }
    }
    const examination = await deps.examiner.examine(question, { everyone: ask === 'all', strict, watch })
    const history = await pastAndFuture(by, text, examination, deps.history)
    const { answer } = examination
    // The page offers no receipt if the votes do not show who is right. A prefix gets none either,
    // because clients cannot verify the receipt of a list.
    const receipt =
      answer && by !== 'prefix' && doubtOf(examination) === undefined
        ? await deps.receipts?.offer({ what: text, question, answer, agoMs: deps.machineMs() - settledAt })
        : undefined
    const finding = {
      kind: 'examined',
      askedAt,
      examination,
      course,
      history,
      mirrored: mirrored === 'empty' ? mirrored : mirrored && mirroredAnswer(mirrored, examination),
      receipt,
    } as const
    return { status: 200, finding }
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    const { status, message: why, retryAfter } = error
    return { status, finding: { kind: 'refused', why }, retryAfter }
  }
}

export function mirroredAnswer(
  { answer, asOf }: Pick<Served, 'answer' | 'asOf'>,
  { answer: live }: Pick<Examination, 'answer'>,
): MirroredAnswer | undefined {
  if (asOf === undefined) return undefined
  return { answer, asOf, compared: comparedWith(answer, live) }
}

function comparedWith(mirrored: Answer, live: Answer | undefined): MirroredAnswer['compared'] {
  if (live?.kind !== mirrored.kind) return 'other'
  // Two absences are the same even if their error texts differ.
  if (live.kind === 'absence' || live.body.equals(mirrored.body)) return 'same'
  const [own, other] = [entryIn(mirrored), entryIn(live)]
  if (own === undefined || other === undefined) return 'other'
  const isBound = (['name', 'user', 'url', 'description'] as const).every((key) => own[key] === other[key])
  if (!isBound) return 'other'
  if (own.contract_id === other.contract_id && own.expires_at === other.expires_at) return 'same'
  return Date.parse(own.expires_at ?? '') < Date.parse(other.expires_at ?? '') ? 'renewed' : 'other'
}

function entryIn({ body }: Answer): Entry | undefined {
  return (parseJsonText(body.toString()) as { readonly entry?: Entry }).entry
}

async function pastAndFuture(
  by: Way,
  text: string,
  examination: Examination,
  deps: HistoryDeps,
): Promise<readonly NameEvent[]> {
  const { answer } = examination
  // The history is computed from the answer. If the answer may be a lie, the history would repeat
  // the lie.
  if (answer === undefined || by === 'prefix' || doubtOf(examination) !== undefined) return []
  if (answer.kind === 'absence') return by === 'name' ? historyOf(text, undefined, deps) : []
  const { entry } = parseJsonText(answer.body.toString()) as { readonly entry: Entry }
  return historyOf(entry.name, entry, deps)
}

const mostSuggested = 8

/**
 * Returns registered names that begin with this text, as a quorum lists them.
 * @throws SpliceError if no quorum agrees.
 */
export async function suggestions(
  text: string,
  agreed: HistoryDeps['agreed'],
): Promise<readonly Pick<Entry, 'name' | 'user'>[]> {
  const found = await agreed(questionOf('prefix', text, mostSuggested))
  const { entries } = (found ?? { entries: [] }) as { readonly entries: readonly Entry[] }
  return entries.map(({ name, user }) => ({ name, user }))
}

const mostNewest = 5

/**
 * Returns the names that the mirror knows to be registered or renewed last, or a sentence that says
 * why it knows none yet. Undefined without a mirror.
 */
export function newestNames({ mirror }: Pick<LookupDeps, 'mirror'>): PageModel['newest'] {
  if (mirror === undefined) return undefined
  const { asOf, degradedBecause } = mirror.status()
  if (asOf === null) return degradedBecause ?? ''
  return mirror.reads.newest(mostNewest).flatMap((name) => {
    const served = mirror.reads.find(questionOf('name', name))
    if (served?.asOf === undefined || served.answer.kind !== 'value') return []
    const { entry } = parseJsonText(served.answer.body.toString()) as { readonly entry: Entry }
    return { entry, asOf: served.asOf }
  })
}

/** @throws SpliceError if a parameter is not valid. */
function questionOf(by: Way, text: string, most = mostListed): Question {
  const asked = {
    name: [lookupAnsEntryByName, { name: text }],
    party: [lookupAnsEntryByParty, { party: text }],
    prefix: [listAnsEntries, { name_prefix: text, page_size: String(most) }],
  } as const
  const [read, given] = asked[by] as readonly [Read, Params]
  const params = read.params.flatMap(({ name, parse }) =>
    given[name] === undefined ? [] : [[name, parse(given[name])] as const],
  )
  return { read, params: Object.fromEntries(params) }
}
