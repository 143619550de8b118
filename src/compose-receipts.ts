import type { Electors } from './cache/provenance.ts'
import type { Config } from './config/resolve.ts'
import type { ReceiptsPublished } from './http/routes/receipts.ts'
import type { Clock } from './lib/clock.ts'
import { milliseconds } from './lib/clock.ts'
import { ReceiptDocuments } from './receipts/documents.ts'
import { FileKeyRing } from './receipts/file-key-ring.ts'
import { directoryPath, directoryType, keyDirectory } from './receipts/key-directory.ts'
import { MemoryKeyRing } from './receipts/key-ring.ts'
import type { ProvableSet } from './receipts/provable-set.ts'
import { ReceiptDesk } from './receipts/receipt-desk.ts'
import { ReceiptSigner } from './receipts/receipt-signer.ts'
import { SignThread } from './receipts/sign-thread.ts'
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

/** Receipts as a daemon has them. */
export interface ComposedReceipts extends AsyncDisposable {
  /**
   * @param electors returns the super validators that may vote now.
   * @param set returns the set of names that the mirror serves now.
   */
  desk(electors: () => Electors | undefined, set: () => ProvableSet | undefined): ReceiptDesk
  readonly published: ReceiptsPublished
  /** Reads the keys again, because a rotation may have begun. */
  refresh(): Promise<void>
}

/** How often the files are read for a rotation that another process began: it lists the next key seven days ahead. */
const refreshMs = milliseconds('10m')

/**
 * Wires what signs receipts.
 * @throws KeyFileProblem if the key file cannot be used.
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
  const file =
    receipts.keyFile === undefined ? undefined : await FileKeyRing.open(receipts.keyFile, { clock, failed })
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
    published: {
      directoryPath,
      directoryType,
      directory: () => keyDirectory(keys.listed(clock.wall())),
      find: (digest) => documents.find(digest),
    },
    refresh,
    async [Symbol.asyncDispose]() {
      cancel()
      await thread[Symbol.asyncDispose]()
    },
  }
}
