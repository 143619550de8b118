import { hash } from 'node:crypto'
import type { FaultKind } from '../../base/errors/fault-kinds.ts'
import { digest } from '../../base/lib/digest.ts'
import { ownBytes } from '../../base/lib/own-bytes.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import type { PageToken, Params, Question, Read } from '../reads/read.ts'
import { maxElementsOf } from '../reads/request.ts'
import { readPage, type SnapshotAsked, textOf } from '../reads/snapshot-page.ts'
import { getAcsSnapshotAtV1 } from '../reads/snapshots.ts'
import { reads } from '../reads/table.ts'
import { mirroredPartOf, type UpdateItem } from '../reads/update-items.ts'
import {
  type Comparison,
  comparisonOf,
  type JudgedValue,
  type Judgement,
  judgeBody,
  type Printed,
  printed,
  type ServedPart,
  tryParse,
  valueIn,
} from './judgement.ts'
import { type Membership, membershipOf, membershipReads } from './membership.ts'

interface JobOf {
  readonly readId: string
  readonly params: Params
}

/**
 * A job for the judge thread.
 * - `roster`: judges the three bodies of `membershipReads`, and combines their values.
 * - `page`: reads a page of a snapshot for the mirror.
 * - `set`: makes the digest of a snapshot from the hashes of its rows.
 * - `updates`: reads the changes that concern the mirror in a page of updates.
 */
export type JudgeJob =
  | (JobOf & { readonly job: 'judge' | 'compare'; readonly bytes: Uint8Array })
  | (JobOf & { readonly job: 'print'; readonly bodies: readonly Uint8Array[]; readonly choice: ServedPart })
  | { readonly job: 'roster' | 'set'; readonly bodies: readonly Uint8Array[] }
  | { readonly job: 'page'; readonly bytes: Uint8Array; readonly asked: SnapshotAsked }
  | { readonly job: 'updates'; readonly bytes: Uint8Array }

export type JudgedBody =
  | Exclude<Judgement, { kind: 'value' }>
  | (JudgedValue & {
      readonly digest: string
      /**
       * The whole value as JSON. Undefined if the daemon may serve the bytes of the body unchanged.
       */
      readonly printed: Printed | undefined
    })

export type JudgedPage =
  | {
      readonly kind: 'page'
      /** The rows as JSON (`SnapshotRow`). */
      readonly rows: Uint8Array
      /** The SHA-256 of each row's text (`textOf`), one after another. */
      readonly hashes: Uint8Array
      readonly entries: number
      readonly others: number
      readonly next: PageToken | undefined
    }
  | { readonly kind: 'fault'; readonly fault: FaultKind }

/**
 * A sentence if the values of the three bodies do not fit together; or the reply for the first body
 * without a value, and its place.
 */
export type JudgedRoster =
  | Membership
  | string
  | { readonly at: number; readonly reply: Exclude<Judgement, { kind: 'value' }> }

export interface JudgedSet {
  /** Whether the set has a row twice. */
  readonly isRepeated: boolean
  /** The SHA-256, in base64url, of the sorted SHA-256s of all rows. */
  readonly digest: string
}

/** By the name of a job: what it gives. */
export interface JobResults {
  readonly judge: JudgedBody
  readonly compare: Comparison
  readonly print: Printed
  readonly roster: JudgedRoster
  readonly page: JudgedPage
  readonly set: JudgedSet
  readonly updates: readonly UpdateItem[]
}

type AnyResult = JobResults[keyof JobResults]

export type JudgeResult<Kind extends keyof JobResults = keyof JobResults> =
  | { readonly made: JobResults[Kind] }
  | { readonly failed: string }

/** Does a job of the judge thread. If the job throws, the result says so. */
export function resultOf<Kind extends JudgeJob['job']>(
  job: JudgeJob & { readonly job: Kind },
): JudgeResult<Kind> {
  try {
    return { made: made(job) as JobResults[Kind] }
  } catch (error) {
    return { failed: String(error) }
  }
}

function made(job: JudgeJob): AnyResult {
  switch (job.job) {
    case 'judge':
      return judged(questionOf(job), bufferOf(job.bytes))
    case 'compare': {
      const question = questionOf(job)
      return comparisonOf(question.read, valueIn(question, bufferOf(job.bytes)))
    }
    case 'print': {
      const question = questionOf(job)
      const values = job.bodies.map((bytes) => valueIn(question, bufferOf(bytes)))
      return printed(question, values, job.choice)
    }
    case 'roster':
      return judgedRoster(job.bodies.map(bufferOf))
    case 'page':
      return pageIn(job)
    case 'set':
      return setOf(job.bodies)
    case 'updates':
      return mirroredPartOf(parseJsonText(bufferOf(job.bytes).toString()))
  }
}

export function bodiesOf(job: JudgeJob): readonly Uint8Array[] {
  return 'bodies' in job ? job.bodies : [job.bytes]
}

/** The byte arrays of a result that fill their buffers, and can thus be transferred. */
export function transfersIn(result: JudgeResult): ArrayBuffer[] {
  return 'failed' in result ? [] : bytesOf(result.made).map(({ buffer }) => buffer as ArrayBuffer)
}

function bytesOf(made: AnyResult): readonly Uint8Array[] {
  if (typeof made === 'string') return []
  if ('rows' in made) return [made.rows, made.hashes]
  if ('body' in made) return [made.body]
  return 'printed' in made && made.printed !== undefined ? [made.printed.body] : []
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function questionOf({ readId, params }: Extract<JudgeJob, { readId: string }>): Question {
  const read: Read | undefined = reads[readId as keyof typeof reads]
  if (read === undefined) throw new Error(`there is no read ${readId}`)
  return { read, params }
}

function judgedRoster(bodies: readonly Buffer[]): JudgedRoster {
  const values: unknown[] = []
  for (const [at, read] of membershipReads.entries()) {
    const judgement = judgeBody({ read, params: {} }, bodies[at] as Buffer)
    if (judgement.kind !== 'value') return { at, reply: judgement }
    values.push(judgement.value)
  }
  return membershipOf(values)
}

function judged(question: Question, bytes: Buffer): JudgedBody {
  const judgement = judgeBody(question, bytes)
  if (judgement.kind !== 'value') return judgement
  const { value, ...known } = judgement
  const whole = known.verbatim ? undefined : printed(question, [value], { on: 'whole' })
  return { ...known, digest: digest(bytes), printed: whole }
}

function pageIn({ bytes, asked }: Extract<JudgeJob, { job: 'page' }>): JudgedPage {
  const maxElements = maxElementsOf({ read: getAcsSnapshotAtV1, params: {} }, bytes.length)
  const json = tryParse(bufferOf(bytes), { maxElements })
  if (typeof json === 'string') return { kind: 'fault', fault: json }
  const page = readPage(json.value, asked)
  if (page.kind === 'fault') return page
  const { rows, next } = page
  const hashes = new Uint8Array(rows.length * hashBytes)
  rows.forEach((row, at) => void hashes.set(hash('sha256', textOf(row), 'buffer'), at * hashBytes))
  const others = rows.filter(({ entry }) => entry === undefined).length
  return {
    kind: 'page',
    rows: ownBytes(JSON.stringify(rows)),
    hashes,
    entries: rows.length - others,
    others,
    next,
  }
}

/** The length of a hash of a row. */
const hashBytes = 32

/** Pages may divide and order the rows of a set in any way, so the hashes are sorted before they are hashed. */
function setOf(pages: readonly Uint8Array[]): JudgedSet {
  const hashes: string[] = []
  for (const page of pages.map(bufferOf))
    for (let at = 0; at < page.length; at += hashBytes)
      hashes.push(page.toString('latin1', at, at + hashBytes))
  hashes.sort()
  const isRepeated = hashes.some((one, at) => one === hashes[at - 1])
  return { isRepeated, digest: digest(Buffer.from(hashes.join(''), 'latin1')) }
}
