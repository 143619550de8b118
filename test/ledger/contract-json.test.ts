import { expect, test } from 'vitest'
import { contractJson } from '../../src/ledger/contract-json.ts'
import { defineTemplate } from '../../src/ledger/daml/template.ts'
import { decimalType, int64, list, map, optional, record, text } from '../../src/ledger/daml/type.ts'
import { withBlob } from '../../src/ledger/update.ts'

const Sample = defineTemplate('Sample:Sample', {
  package: { name: 'sample', id: 'ab'.repeat(32) },
  argument: record({
    decimals: list(decimalType),
    looksLikeOne: text,
    count: int64,
    some: optional(decimalType),
    none: optional(decimalType),
    prices: map(text, decimalType),
    nested: record({ fee: decimalType }),
  }),
  signatories: () => ['alice::1220'],
})

const unsealed = {
  contractId: '00ab',
  templateId: Sample.templateId,
  packageName: 'sample',
  argument: {
    decimals: ['1.0000000000', '0.0050000000', '10.0000000000', '-0.1234567891', '100.1000000000'],
    looksLikeOne: '1.0000000000',
    count: '100',
    some: '2.5000000000',
    none: null,
    prices: [['1.0000000000', '3.0000000000']],
    nested: { fee: '0.0000000000' },
  },
  signatories: ['alice::1220'],
  createdAt: 1_767_225_600_000_000,
}
const contract = withBlob(unsealed)

test('decimals lose the zeros at their end but one; nothing else changes', () => {
  expect(contractJson(Sample, contract)).toEqual({
    template_id: `${'ab'.repeat(32)}:Sample:Sample`,
    contract_id: '00ab',
    payload: {
      decimals: ['1.0', '0.005', '10.0', '-0.1234567891', '100.1'],
      looksLikeOne: '1.0000000000',
      count: '100',
      some: '2.5',
      none: null,
      prices: [['1.0000000000', '3.0']],
      nested: { fee: '0.0' },
    },
    created_event_blob: contract.createdEventBlob,
    created_at: '2026-01-01T00:00:00Z',
  })
})

test.each([
  [123_456, '2026-01-01T00:00:00.123456Z'],
  [120_000, '2026-01-01T00:00:00.120Z'],
  [1, '2026-01-01T00:00:00.000001Z'],
  [100, '2026-01-01T00:00:00.000100Z'],
])('a time with %d microseconds is %s', (micros, printed) => {
  expect(contractJson(Sample, { ...contract, createdAt: unsealed.createdAt + micros }).created_at).toBe(
    printed,
  )
})
