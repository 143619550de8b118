import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EmbeddedLedger,
  type EmbeddedLedgerDeps,
  type EmbeddedLedgerOptions,
  openEmbeddedLedger,
} from '../../../src/ledger/embedded/embedded-ledger.ts'
import { ManualClock } from '../../support/manual-clock.ts'

type Told = Parameters<NonNullable<EmbeddedLedgerDeps['tell']>>[0]

export interface OpenLedger extends AsyncDisposable {
  readonly ledger: EmbeddedLedger
  readonly clock: ManualClock
  readonly told: readonly Told[]
}

export async function openLedger(
  options: EmbeddedLedgerOptions = {},
  { clock = new ManualClock() }: { clock?: ManualClock } = {},
): Promise<OpenLedger> {
  const told: Told[] = []
  const ledger = await openEmbeddedLedger(options, { clock, tell: (event) => told.push(event) })
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
