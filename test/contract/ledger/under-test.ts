import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { ManualClock } from '../../support/manual-clock.ts'

interface LedgerUnderTest extends AsyncDisposable {
  readonly ledger: Ledger
  readonly clock: ManualClock
}

export type OpenLedger = () => Promise<LedgerUnderTest>

export const everything = Number.MAX_SAFE_INTEGER
export const spring = Date.UTC(2026, 3, 1) * 1000
