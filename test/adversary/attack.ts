import { mangled, plainText, sameText } from './json-text.ts'
import { lie } from './lies.ts'
import { retold } from './retold.ts'
import type { Tape } from './tape.ts'
import { type Tree, treeOf } from './tree.ts'
import type { Truth } from './world.ts'

export interface Said {
  readonly status: number
  readonly bytes: Buffer
}

/** Some replies mean the same as the truth. Others mean something slightly different. */
export interface Attack {
  readonly truth: Truth
  readonly said: readonly Said[]
}

const odd = [
  200, 201, 202, 203, 204, 205, 206, 226, 299, 404, 400, 410, 409, 422, 100, 301, 304, 401, 403, 418, 429,
  451, 500, 502, 503, 599,
] as const

export function attackOf(truths: readonly Truth[], tape: Tape, size: number): Attack {
  const truth = tape.pick(truths)
  const stories = storiesOf(truth, truths, tape)
  const said = Array.from({ length: size }, (_, nth) =>
    nth === 0 ? honest(truth) : hostile(truth, stories, tape),
  )
  return { truth, said }
}

function honest({ status, body }: Truth): Said {
  return { status, bytes: Buffer.from(plainText(body)) }
}

/** Returns the truth in one of its many texts. */
export function honestly(truth: Truth, tape: Tape): Said {
  const body = tape.once(3) ? retold(truth, tape) : truth.body
  return { status: truth.status, bytes: Buffer.from(sameText(body, tape)) }
}

/** Liars choose from few bodies, so that several liars often tell the same lie. */
export function storiesOf(truth: Truth, truths: readonly Truth[], tape: Tape): readonly Tree[] {
  const first = lie(truth.body, tape)
  const second = lie(first, tape)
  const other = tape.once(4) ? tape.pick(truths).body : lie(truth.body, tape)
  return [truth.body, first, second, other]
}

export function hostile(truth: Truth, stories: readonly Tree[], tape: Tape): Said {
  const status = statusOf(truth, tape)
  if (tape.once(16)) return { status, bytes: Buffer.alloc(0) }
  const story = tape.once(10) ? treeOf({ error: tape.pick(refusalTexts) }) : tape.pick(stories)
  const text = sameText(tape.once(4) ? retold({ ...truth, body: story }, tape) : story, tape)
  return { status, bytes: tape.once(6) ? mangled(text, tape) : Buffer.from(text) }
}

function statusOf({ status }: Truth, tape: Tape): number {
  if (!tape.once(4)) return status
  return tape.once(3) ? 100 + tape.below(500) : tape.pick(odd)
}

const refusalTexts = [
  '',
  'No DsoRules contract found',
  'Undetermined',
  'The requested resource could not be found: http://scan/x',
  'Nothing here',
  'No ans entry found for name: alice.unverified.cns',
  'No ans entry found for name: bob.unverified.cns',
  'Transaction with id x not found',
  'The request was refused.',
  'The request was refused',
] as const
