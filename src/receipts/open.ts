import type { Config } from '../base/config/resolve.ts'
import { whyUnusable } from '../base/lib/unusable-file.ts'
import type { Base } from '../base/telemetry/open.ts'
import type { Electors } from '../core/cache/provenance.ts'
import { operatorName } from '../core/scan/roster.ts'
import { ReceiptDocuments } from './documents.ts'
import { FileKeyRing, type FileKeyRingDeps } from './file-key-ring.ts'
import { KeyFileProblem } from './key-files.ts'
import { MemoryKeyRing } from './key-ring.ts'
import { ReceiptDesk } from './receipt-desk.ts'
import { ReceiptSigner } from './receipt-signer.ts'

export interface ReceiptsDeps extends Pick<Base, 'clock' | 'realClock' | 'logger' | 'events'> {
  readonly electors: () => Electors | undefined
}

export type OpenReceipts = Awaited<ReturnType<typeof openReceipts>>

/** @throws KeyFileProblem, or an Error whose message names the option `receipts.keyFile` */
export async function openReceipts(
  { receipts: { keyFile, sign }, evidence }: Pick<Config, 'receipts' | 'evidence'>,
  { clock, realClock, logger, events, electors }: ReceiptsDeps,
) {
  const failed = (error: unknown) =>
    logger.error(
      { reason: error instanceof Error ? error.message : String(error) },
      'the keys of receipts cannot be read or written: the daemon goes on with those it has',
    )
  await using opened = new AsyncDisposableStack()
  const file = keyFile === undefined ? undefined : await openKeyFile(keyFile, { clock, failed })
  const keys = file ?? new MemoryKeyRing(clock)
  const documents = new ReceiptDocuments(evidence)
  const signer = opened.use(
    new ReceiptSigner({
      failed: (why) => events.threadFailed('receipts', why),
      notMade: () => events.receiptNotMade(),
    }),
  )
  const deps = { keys, signer, documents, electors, operatorName }
  if (file !== undefined) opened.use(file.refreshing(realClock))
  const held = opened.move()
  return {
    desk: new ReceiptDesk({ always: sign === 'always' }, deps),
    /** Reads the keys again, if they are in a file. */
    refresh: async () => file?.refresh(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function openKeyFile(file: string, deps: FileKeyRingDeps): Promise<FileKeyRing> {
  try {
    return await FileKeyRing.open(file, deps)
  } catch (error) {
    if (error instanceof KeyFileProblem) throw error
    const why = whyUnusable(file, error)
    throw new Error(`receipts.keyFile (RECEIPTS_KEY_FILE) cannot be used: ${why}`, { cause: error })
  }
}
