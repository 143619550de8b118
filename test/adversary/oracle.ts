import type { Answer } from '../../src/core/cache/answer.ts'
import { schemaOf } from '../../src/core/reads/schema.ts'
import { plainText } from './json-text.ts'
import { canonicalText, type Meaning, meaningOf } from './reference.ts'
import type { Truth } from './world.ts'

export function untruth(truth: Truth, answer: Pick<Answer, 'status' | 'body' | 'kind'>): string | undefined {
  const { read, params, status } = truth
  const true_ = trueMeaning(truth)
  const kind = true_.kind === 'value' ? 'value' : 'absence'
  if (answer.status !== status || answer.kind !== kind) return `status ${answer.status} of an ${answer.kind}`
  const got = meaningOf(read, params, answer.status, withShortToken(answer.body))
  if (isSame(got, true_)) return undefined
  return `${got.kind}: ${Buffer.from(answer.body).toString().slice(0, 2000)}`
}

/** The daemon's page token holds those of many scans, so that it is longer than a scan's own may be. */
function withShortToken(body: Uint8Array): Buffer {
  const text = Buffer.from(body).toString('latin1')
  return Buffer.from(text.replace(/"next_page_token":"[\w-]+"/, '"next_page_token":"sealed"'), 'latin1')
}

/** Whether a reply means the same as the reply of every honest super validator. */
export function tellsTruth(truth: Truth, { status, bytes }: { status: number; bytes: Uint8Array }): boolean {
  return isSame(meaningOf(truth.read, truth.params, status, bytes), trueMeaning(truth))
}

/**
 * Whether an answer is a beginning of the true history, with at least one step. Where histories differ, the daemon may
 * serve their common beginning.
 */
export function isBeginning(truth: Truth, { body }: Pick<Answer, 'body'>): boolean {
  const { agree } = truth.read
  if (agree.on !== 'history') return false
  const got = elementsOf(truth, Buffer.from(body))
  const all = elementsOf(truth, Buffer.from(plainText(truth.body)))
  return got.length > 0 && got.every((element, nth) => element === all[nth])
}

function elementsOf({ read }: Truth, bytes: Buffer): readonly (string | undefined)[] {
  if (read.agree.on !== 'history') return []
  const value = schemaOf(read.reply).parse(JSON.parse(bytes.toString()))
  const normal = read.normalise?.(value) ?? value
  return read.agree
    .list(read.own?.put(normal, () => null) ?? normal)
    .map((element) => canonicalText(Buffer.from(JSON.stringify(element))))
}

const meanings = new WeakMap<Truth, Meaning>()

export function trueMeaning(truth: Truth): Meaning {
  let known = meanings.get(truth)
  if (known === undefined) {
    known = meaningOf(truth.read, truth.params, truth.status, Buffer.from(plainText(truth.body)))
    meanings.set(truth, known)
  }
  return known
}

function isSame(a: Meaning, b: Meaning): boolean {
  return 'canonical' in a && 'canonical' in b && a.kind === b.kind && a.canonical === b.canonical
}
