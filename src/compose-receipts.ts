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
import { ReceiptSigner } from './receipts/receipt-signer.ts'
import { SignThread } from './receipts/sign-thread.ts'
import type { PublicSigningKey } from './receipts/signing-key.ts'
import { operatorName } from './scan/roster.ts'
import type { Events } from './telemetry/events.ts'
import type { Logger } from './telemetry/logger.ts'

export interface ReceiptsDeps {
  /** Determines the age of answers. */
  readonly clock: Clock
  /** Real time, even if a localnet's time was moved. */
  readonly machine: Clock
  readonly logger: Logger
  readonly events: Pick<Events, 'receiptNotMade'>
}

/** The receipts of a daemon: the desk that makes them, and the keys and documents that it publishes. */
export interface ComposedReceipts extends AsyncDisposable {
  /**
   * Makes the desk that gives receipts for answers.
   * @param electors returns the super validators that may vote now.
   * @param set returns the set of names that the mirror serves now.
   */
  desk(electors: () => Electors | undefined, set: () => ProvableSet | undefined): ReceiptDesk
  readonly published: ReceiptsPublished
  /** The keys that sign now and later, for other statements than receipts. */
  readonly keys: KeyRing
  /** Returns the keys that the daemon lists. */
  listedKeys(): readonly PublicSigningKey[]
  /** Reads the keys again, because a rotation may have begun. */
  refresh(): Promise<void>
}

/**
 * The milliseconds after which the key file is read again, because another process may have begun a rotation. A
 * rotation lists the next key seven days before the key signs.
 */
const refreshMs = milliseconds('10m')

/**
 * Wires the signing of receipts.
 * @throws KeyFileProblem if the key file cannot be used as it is.
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
  const thread = new SignThread()
  const signer = new ReceiptSigner({ clock: machine, thread, notMade: () => events.receiptNotMade() })
  const desks: ReceiptDesk[] = []
  const refresh = async () => {
    const { keyid } = keys.signing(clock.wall()).key
    await file?.refresh()
    if (keys.signing(clock.wall()).key.keyid !== keyid) for (const desk of desks) desk.forget()
  }
  let cancel = () => {}
  const refreshLater = () => {
    cancel = machine.after(refreshMs, () => void refresh().finally(refreshLater))
  }
  if (file !== undefined) refreshLater()
  return {
    desk(electors, set) {
      const deps = { keys, signer, documents, electors, set, operatorName }
      const desk = new ReceiptDesk({ always: receipts.sign === 'always' }, deps)
      desks.push(desk)
      return desk
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
      await thread[Symbol.asyncDispose]()
    },
  }
}

/** @throws KeyFileProblem, or an error whose message names the option, if the file cannot be used. */
async function openKeyFile(file: string, deps: FileKeyRingDeps): Promise<FileKeyRing> {
  try {
    return await FileKeyRing.open(file, deps)
  } catch (error) {
    if (error instanceof KeyFileProblem) throw error
    const why = whyUnusable(file, error)
    throw new Error(`receipts.keyFile (RECEIPTS_KEY_FILE) cannot be used: ${why}`, { cause: error })
  }
}
