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
import { type KeyRing, MemoryKeyRing } from './receipts/key-ring.ts'
import type { ProvableSet } from './receipts/provable-set.ts'
import { ReceiptDesk } from './receipts/receipt-desk.ts'
import { SigningDispatch } from './receipts/signing-dispatch.ts'
import type { PublicSigningKey } from './receipts/signing-key.ts'
import { SigningQueue } from './receipts/signing-queue.ts'
import { operatorName } from './scan/roster.ts'
import type { Events } from './telemetry/events.ts'
import type { Logger } from './telemetry/logger.ts'

export interface ReceiptsDeps {
  /** The clock by which the age of answers is computed. */
  readonly clock: Clock
  /** The clock of the machine, which shows real time even on a localnet. */
  readonly machine: Clock
  readonly logger: Logger
  readonly events: Pick<Events, 'receiptNotMade' | 'threadFailed'>
}

/** The receipts of a daemon: the desk that makes them, and the keys and documents that it publishes. */
export interface ComposedReceipts extends AsyncDisposable {
  /**
   * Makes the desk that gives receipts for answers.
   * @param electors returns the super validators that may vote now; undefined without a roster.
   * @param set returns the set of names that the mirror serves now; undefined if it serves none.
   */
  desk(electors: () => Electors | undefined, set: () => ProvableSet | undefined): ReceiptDesk
  readonly published: ReceiptsPublished
  /**
   * The keys that sign receipts. The daemon signs its other statements, such as observations, with the same
   * keys.
   */
  readonly keys: KeyRing
  /** Returns the keys that the daemon publishes in its key directory. */
  listedKeys(): readonly PublicSigningKey[]
  /** Reads the key file again, because another process may have begun a rotation. */
  refresh(): Promise<void>
}

/**
 * The interval at which the key file is read again, in milliseconds. Another process may have begun a
 * rotation. Ten minutes are short enough: a rotation publishes the next key seven days before that key signs.
 */
const refreshMs = milliseconds('10m')

/**
 * Wires the signing of receipts.
 * @throws KeyFileProblem or Error if the key file cannot be used. The message of the Error names the option
 * `receipts.keyFile`.
 */
export async function openReceipts(
  { receipts, evidence }: Pick<Config, 'receipts' | 'evidence'>,
  { clock, machine, logger, events }: ReceiptsDeps,
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
  const signer = new SigningDispatch({ clock: machine, queue, notMade: () => events.receiptNotMade() })
  const refresh = async () => file?.refresh()
  let cancel = () => {}
  const refreshLater = () => {
    cancel = machine.after(refreshMs, () => void refresh().finally(refreshLater))
  }
  if (file !== undefined) refreshLater()
  return {
    desk(electors, set) {
      const deps = { keys, signer, documents, electors, set, operatorName }
      return new ReceiptDesk({ always: receipts.sign === 'always' }, deps)
    },
    keys,
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

/**
 * Opens the key file.
 * @throws KeyFileProblem or Error if the file cannot be used. The message of the Error names the option
 * `receipts.keyFile`.
 */
async function openKeyFile(file: string, deps: FileKeyRingDeps): Promise<FileKeyRing> {
  try {
    return await FileKeyRing.open(file, deps)
  } catch (error) {
    if (error instanceof KeyFileProblem) throw error
    const why = whyUnusable(file, error)
    throw new Error(`receipts.keyFile (RECEIPTS_KEY_FILE) cannot be used: ${why}`, { cause: error })
  }
}
