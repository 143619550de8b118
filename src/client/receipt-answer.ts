import { isJsonObject } from '../base/lib/canonical-json.ts'
import { pathOf } from '../core/reads/endpoint.ts'
import { endpoints, type ReadId, readIds, type Value } from '../core/reads/endpoints.ts'
import { readingOf } from '../core/reads/reading.ts'
import type { GivenAbsence, GivenValue } from './answered.ts'
import { ClientError } from './client-error.ts'
import { nameBases } from './receipts/name-question.ts'
import type { ReceiptQuestion } from './receipts/saved-receipt.ts'
import type { VerifiedReceipt } from './receipts/verdict.ts'

type AnswerTo<Id extends ReadId> = Id extends ReadId
  ? { readonly read: Id } & (GivenValue<Value<Id>> | GivenAbsence)
  : never

/** The answer that a verified receipt proves. `read` tells which type `value` has. */
export type ReceiptAnswer = AnswerTo<ReadId>

/**
 * Returns the answer that a verified receipt proves. Undefined if the receipt's method and path
 * belong to no read, or if its body does not fit the read.
 * @throws ClientError `badOption` if the receipt is not verified.
 */
export function receiptAnswer(
  verified: Pick<VerifiedReceipt, 'question' | 'statements'>,
): ReceiptAnswer | undefined {
  const { question, statements } = verified ?? {}
  if (statements === undefined)
    throw new ClientError(
      'badOption',
      'receiptAnswer takes a verdict of the kind current or provedThen; a refused receipt proves no answer.',
    )
  const [{ status, body }] = statements
  const read = readAt(question)
  if (read === undefined) return undefined
  if (status === 200) {
    const reading = readingOf(endpoints[read], body)
    return reading && ({ read, kind: 'value', value: reading.value } as ReceiptAnswer)
  }
  const error = isJsonObject(body) ? body['error'] : undefined
  if (typeof error !== 'string') return undefined
  return { read, kind: 'absence', value: undefined, status, error } as ReceiptAnswer
}

function readAt({ method, path }: ReceiptQuestion): ReadId | undefined {
  const segments = segmentsOf(path)
  const found = readIds.filter(
    (id) => endpoints[id].method === method && isAt(pathOf(endpoints[id]), segments),
  )
  return found.sort((one, other) => parametersIn(one) - parametersIn(other))[0]
}

/**
 * Daemons serve name lookups under several path prefixes (`nameBases`). The result has the first of
 * them, because `endpoints` has only that one.
 */
function segmentsOf(path: string): readonly string[] {
  const [bare = ''] = path.split('?')
  const base = nameBases.find((one) => bare.startsWith(`${one}/ans-entries/by-`))
  return (base === undefined ? bare : `${nameBases[0]}${bare.slice(base.length)}`).split('/')
}

function isAt(path: string, segments: readonly string[]): boolean {
  const parts = path.split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  )
}

function parametersIn(id: ReadId): number {
  return pathOf(endpoints[id]).split('{').length
}
