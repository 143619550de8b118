import { expect, test } from 'vitest'
import { receiptLink, receiptSection } from '../../src/ui/views/receipts.ts'
import { textOf } from './samples.ts'

const lost = 'The key of this daemon is only in memory, and is lost when the daemon ends.'

const told = (isKept: boolean) => [
  textOf(receiptSection({ known: [], areKept: isKept })),
  textOf(receiptLink({ address: 'ui/receipt?by=name&q=dso.cns', lastsMs: 300_000, isKeyKept: isKept })),
]

test('the zone and the button say that a key without a file is lost when the daemon ends', () => {
  for (const text of told(false)) expect(text).toContain(lost)
})

test('the zone and the button say nothing about the loss of a key that a file keeps', () => {
  for (const text of told(true)) expect(text).not.toContain('memory')
})
