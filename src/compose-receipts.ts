import type { Electors } from './cache/provenance.ts'
import type { Config } from './config/resolve.ts'
import type { ReceiptsPublished } from './http/routes/receipts.ts'
import type { Clock } from './lib/clock.ts'
import { milliseconds } from './lib/clock.ts'
import { whyUnusable } from './lib/unusable-file.ts'
import { ReceiptDocuments } from './receipts/documents.ts'
import { FileKeyRing, type FileKeyRingDeps } from './receipts/file-key-ring.ts'
import { directoryPath, directoryType, keyDirectory } from './receipts/key-directory.ts'
import { KeyFileProblem } from './receipts/key-files.ts'
import { MemoryKeyRing } from './receipts/key-ring.ts'
import { ReceiptDesk } from './receipts/receipt-desk.ts'
import { SigningDispatch } from './receipts/signing-dispatch.ts'
import type { PublicSigningKey } from './receipts/signing-key.ts'
import { SigningQueue } from './receipts/signing-queue.ts'
import { operatorName } from './scan/roster.ts'
import type { Events } from './telemetry/events.ts'
import type { Logger } from './telemetry/logger.ts'

export interface ReceiptsDeps {
  readonly clock: Clock
  /** This clock shows real time even on a localnet. */
  readonly realClock: Clock
  readonly logger: Logger
  readonly events: Pick<Events, 'receiptNotMade' | 'threadFailed'>
}

export interface ComposedReceipts extends AsyncDisposable {
  desk(electors: () => Electors | undefined): ReceiptDesk
  readonly published: ReceiptsPublished
  listedKeys(): readonly PublicSigningKey[]
  refresh(): Promise<void>
}

/**
 * The daemon reads the key file again after this time, because another process may have begun to
 * replace the keys. A new key is published seven days before it signs, so ten minutes are short
 * enough.
 */
const refreshMs = milliseconds('10m')

/** @throws KeyFileProblem, or an Error whose message names the option `receipts.keyFile` */
export async function openReceipts(
  { receipts, evidence }: Pick<Config, 'receipts' | 'evidence'>,
  { clock, realClock, logger, events }: ReceiptsDeps,
): Promise<ComposedReceipts> {
  const failed = (error: unknown) =>
    logger.error(
      { reason: error instanceof Error ? error.message : String(error) },
      'the keys of receipts cannot be read or written: the daemon goes on with those it has',
    )
  const { keyFile } = receipts
  const file = keyFile === undefined ? undefined : await openKeyFile(keyFile, { clock, failed })
  const keys = file ?? new MemoryKeyRing(clock)
  const documents = new ReceiptDocuments({ maxBytes: evidence.maxBytes })
  const queue = new SigningQueue({ failed: (why) => events.threadFailed('receipts', why) })
  const signer = new SigningDispatch({ clock: realClock, queue, notMade: () => events.receiptNotMade() })
  const refresh = async () => file?.refresh()
  let cancel = () => {}
  const refreshLater = () => {
    cancel = realClock.after(refreshMs, () => void refresh().finally(refreshLater))
  }
  if (file !== undefined) refreshLater()
  return {
    desk(electors) {
      const deps = { keys, signer, documents, electors, operatorName }
      return new ReceiptDesk({ always: receipts.sign === 'always' }, deps)
    },
    published: {
      directoryPath,
      directoryType,
      directory: () => keyDirectory(keys.listed(clock.wall())),
      find: (digest) => documents.find(digest),
    },
    listedKeys: () => keys.listed(clock.wall()),
    refresh,
    async [Symbol.asyncDispose]() {
      cancel()
      await queue[Symbol.asyncDispose]()
    },
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
