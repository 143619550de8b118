import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReceiptRefusalReason } from '../../src/client/receipts/refusals.ts'
import type { MadeReceipt, TestKey } from './receipt-signer.ts'

/** Receipts, the arguments of their verification, and the expected outcome. Times are seconds since 1970. */
interface ReceiptVector {
  readonly pins: readonly {
    readonly name: string
    readonly owner?: string
    readonly key: TestKey['jwk'] | string
  }[]
  readonly question: MadeReceipt['request']
  readonly now: number
  readonly maxAgeSeconds?: number
  readonly current?: boolean
  readonly k?: number
  readonly threshold?: number
  readonly operators?: number
  readonly rosters?: readonly string[]
  readonly seen?: readonly MadeReceipt[]
  readonly receipts: readonly MadeReceipt[]
  readonly expect: 'current' | 'provedThen' | ReceiptRefusalReason
}

const folder = join(import.meta.dirname, '../vectors/receipts')

export const receiptVectors = readdirSync(folder).map((file): [sentence: string, vector: ReceiptVector] => [
  file.replace('.json', ''),
  JSON.parse(readFileSync(join(folder, file), 'utf8')),
])
