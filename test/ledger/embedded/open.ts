import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedLedger } from '../../../src/registry/ledger/embedded/embedded-ledger.ts'
import type { LedgerEvent } from '../../../src/registry/ledger/embedded/writer.ts'
import { ManualClock } from '../../support/manual-clock.ts'

export interface OpenLedger extends AsyncDisposable {
  readonly ledger: EmbeddedLedger
  readonly clock: ManualClock
  readonly told: readonly LedgerEvent[]
}

/** @param file undefined for a ledger in memory. */
export async function openLedger(file?: string): Promise<OpenLedger> {
  const told: LedgerEvent[] = []
  const clock = new ManualClock()
  const ledger = new EmbeddedLedger({ file }, { clock, tell: (event) => told.push(event) })
  return { ledger, clock, told, [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose]() }
}

export interface Folder extends AsyncDisposable {
  readonly file: string
}

export async function temporaryFolder(): Promise<Folder> {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-test-'))
  return {
    file: join(folder, 'ledger.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
