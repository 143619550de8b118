import { digest } from '../../base/lib/digest.ts'
import type { Params, Question, Read } from '../reads/read.ts'
import { reads } from '../reads/table.ts'
import {
  type Comparison,
  comparisonOf,
  type JudgedValue,
  type Judgement,
  judgeBody,
  type Printed,
  printed,
  type ServedPart,
  valueIn,
} from './judgement.ts'
import { type Membership, membershipOf, membershipReads } from './membership.ts'

/**
 * Work on bodies for the judge thread. The thread loads `file`, the URL of a file that exports the
 * function `work` under its own name.
 */
export interface JudgeJob<Input = unknown, Result = unknown> {
  readonly file: string
  readonly work: (bodies: readonly Buffer[], input: Input) => Result
  readonly bodies: readonly Uint8Array[]
  readonly input: Input
}

/** A job as the thread gets it: with the name of the function. */
export interface JudgeMessage extends Omit<JudgeJob, 'work'> {
  readonly name: string
}

export type JudgeResult<Result = unknown> = { readonly made: Result } | { readonly failed: string }

/** Does the work of a job. If the work throws, the result says so. */
export function resultOf<Input, Result>({
  work,
  bodies,
  input,
}: Omit<JudgeJob<Input, Result>, 'file'>): JudgeResult<Result> {
  try {
    return { made: work(bodies.map(bufferOf), input) }
  } catch (error) {
    return { failed: String(error) }
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

interface AskedRead {
  readonly readId: string
  readonly params: Params
}

export type JudgedBody =
  | Exclude<Judgement, { kind: 'value' }>
  | (JudgedValue & {
      readonly digest: string
      /**
       * The whole value as JSON. Undefined if the daemon may serve the bytes of the body unchanged.
       */
      readonly printed: Printed | undefined
    })

export function judgedBody([bytes]: readonly Buffer[], asked: AskedRead): JudgedBody {
  const body = bytes as Buffer
  const question = questionOf(asked)
  const judgement = judgeBody(question, body)
  if (judgement.kind !== 'value') return judgement
  const { value, ...known } = judgement
  const whole = known.verbatim ? undefined : printed(question, [value], { on: 'whole' })
  return { ...known, digest: digest(body), printed: whole }
}

export function comparedBody([bytes]: readonly Buffer[], asked: AskedRead): Comparison {
  const question = questionOf(asked)
  return comparisonOf(question.read, valueIn(question, bytes as Buffer))
}

export function printedBodies(
  bodies: readonly Buffer[],
  { choice, ...asked }: AskedRead & { readonly choice: ServedPart },
): Printed {
  const question = questionOf(asked)
  const values = bodies.map((bytes) => valueIn(question, bytes))
  return printed(question, values, choice)
}

/**
 * A sentence if the values of the three bodies do not fit together; or the reply for the first body
 * without a value, and its place.
 */
export type JudgedRoster =
  | Membership
  | string
  | { readonly at: number; readonly reply: Exclude<Judgement, { kind: 'value' }> }

/** Judges the three bodies of `membershipReads`, and combines their values. */
export function judgedRoster(bodies: readonly Buffer[]): JudgedRoster {
  const values: unknown[] = []
  for (const [at, read] of membershipReads.entries()) {
    const judgement = judgeBody({ read, params: {} }, bodies[at] as Buffer)
    if (judgement.kind !== 'value') return { at, reply: judgement }
    values.push(judgement.value)
  }
  return membershipOf(values)
}

function questionOf({ readId, params }: AskedRead): Question {
  const read: Read | undefined = reads[readId as keyof typeof reads]
  if (read === undefined) throw new Error(`there is no read ${readId}`)
  return { read, params }
}
