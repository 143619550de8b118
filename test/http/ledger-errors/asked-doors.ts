import { expect } from 'vitest'
import { type CantonErrorKind, cantonErrors } from '../../../src/errors/canton.ts'
import { type As, anyone, eventsOf, type LedgerHeard, openLedgerDoors, updatesOf } from '../ledger-doors.ts'

export const traceparent = '00-5f3b6c0d9a1e4b7c8d2f00112233aabb-93bb0fa23a8fb53a-01'
const tid = '5f3b6c0d9a1e4b7c8d2f00112233aabb'

export const updates = 'POST /v2/updates'
export const byOffset = 'POST /v2/updates/update-by-offset'
export const byId = 'POST /v2/updates/update-by-id'
export const byHash = 'POST /v2/updates/update-by-hash'
export const page = 'POST /v2/updates/get-updates-page'
export const contracts = 'POST /v2/state/active-contracts'

export const everything = updatesOf(eventsOf())

export async function openAskedDoors() {
  const doors = await openLedgerDoors()
  const { party: alice } = await doors.net.user('alice')
  const end = await doors.net.ledger.end()
  return {
    ...doors,
    alice,
    end,
    asked: (body: object) => ({ beginExclusive: 0, endInclusive: end, ...body }),
    ask: (line: string, body?: unknown, as: As = { as: anyone }) =>
      doors.asks(line, body, { ...as, headers: { traceparent, ...as.headers } }),
  }
}

export type AskedDoors = Awaited<ReturnType<typeof openAskedDoors>>

export function expectCanton(heard: LedgerHeard, kind: CantonErrorKind, status: number, told: object = {}) {
  const { code, category, grpcCode, bodyLayout, retryInfo = null } = cantonErrors[kind]
  expect(heard).toMatchObject({ status, type: 'application/json' })
  expect(Object.keys(heard.json)).toEqual(
    `code cause correlationId traceId context resources errorCategory grpcCodeValue retryInfo
  definiteAnswer`.split(/\s+/),
  )
  expect(heard.json).toMatchObject({
    code,
    correlationId: null,
    traceId: tid,
    errorCategory: bodyLayout === 'redacted' ? -1 : category,
    grpcCodeValue: grpcCode,
    retryInfo: bodyLayout === 'redacted' ? null : retryInfo,
    definiteAnswer: bodyLayout === 'json' ? false : null,
    ...told,
  })
  expect(heard.json.context).toMatchObject(
    bodyLayout === 'ledger' ? { category: String(category), definite_answer: 'false', tid } : {},
  )
  expect(heard.json.cause).not.toMatch(/\{\w+\}/)
}
