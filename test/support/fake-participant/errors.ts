import type { Json, Reply } from './json.ts'
import type { FakeLedger } from './ledger.ts'

export function ledgerError(
  { version }: FakeLedger,
  code: string,
  errorCategory: number,
  grpcCodeValue: number,
  more: Json = {},
): Json {
  const { resources = [], ...rest } = more
  const named = (type: string) => (version === '3.6' ? type : `ErrorResource(${type})`)
  return {
    code,
    cause: `the participant says ${code}`,
    correlationId: null,
    traceId: '99e67812af315256ef9a02a9fdb94646',
    context: {},
    resources: resources.map(([type, value]: [string, string]) => [named(type), value]),
    errorCategory,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
    ...rest,
  }
}

export function redacted(grpcCodeValue: number): Json {
  return {
    code: 'NA',
    cause: 'A security-sensitive error has been received',
    correlationId: null,
    traceId: '5f3b6c0d9a1e4b7c8d2f00112233aabb',
    context: {},
    resources: [],
    errorCategory: -1,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
  }
}

/** What is wrong with a range; facts 1.1, checks 8 to 20. */
export function rangeProblem(ledger: FakeLedger, { beginExclusive, endInclusive }: Json): Reply | undefined {
  if (beginExclusive > ledger.end || endInclusive > ledger.end)
    return [400, ledgerError(ledger, 'OFFSET_AFTER_LEDGER_END', 12, 11)]
  if (endInclusive !== undefined && beginExclusive > endInclusive)
    return [400, ledgerError(ledger, 'OFFSET_OUT_OF_RANGE', 9, 9)]
  if (beginExclusive < ledger.pruned) {
    const context = { earliest_offset: String(ledger.pruned) }
    return [400, ledgerError(ledger, 'PARTICIPANT_PRUNED_DATA_ACCESSED', 9, 9, { context })]
  }
  return undefined
}
