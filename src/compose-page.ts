import type { ReadPath } from './compose.ts'
import type { NameService } from './compose-ledger.ts'
import { receiptFiles } from './compose-receipt-files.ts'
import type { ComposedReceipts } from './compose-receipts.ts'
import type { Config } from './config/resolve.ts'
import type { Clock } from './lib/clock.ts'
import type { Faults } from './localnet/faults.ts'
import type { Localnet } from './localnet/localnet.ts'
import { readIds } from './reads/endpoints.ts'
import type { ReceiptDesk } from './receipts/receipt-desk.ts'
import type { LastHour } from './telemetry/last-hour.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { Traffic } from './telemetry/traffic.ts'
import type { LocalnetControls } from './ui/localnet-routes.ts'
import { networkKind } from './ui/network-kind.ts'
import { Page } from './ui/page.ts'
import { version } from './version.ts'

export interface ComposePageDeps {
  readonly scan: ReadPath
  readonly localnet: Localnet | undefined
  readonly names: NameService | undefined
  readonly receipts: ComposedReceipts | undefined
  readonly desk: ReceiptDesk | undefined
  /** The age of answers is computed by this clock, which can be moved forward on a localnet. */
  readonly clock: Clock
  readonly realClock: Clock
  readonly metrics: Metrics
  readonly lastHour: LastHour
}

export function composePage(
  current: () => Config,
  { scan, localnet, names, receipts, desk, clock, realClock, metrics, lastHour }: ComposePageDeps,
): Page {
  const config = current()
  const { discovery, connections, evidence, examiner, reader } = scan
  const network = networkKind(config.network, config.scanClient.seedUrls)
  const traffic = new Traffic(metrics, realClock, readIds)
  const networkMs = () => clock.wall()
  return new Page(
    { version },
    {
      sources: {
        discovery,
        connections,
        evidence,
        network,
        lastHour,
        traffic,
        networkMs,
        machineMs: () => realClock.wall(),
      },
      examiner,
      reader,
      mirrored: (question) =>
        scan.mirror?.find(question) ?? (scan.mirror?.status().asOf === null ? 'empty' : undefined),
      receipts:
        receipts &&
        desk &&
        receiptFiles({
          reader,
          desk,
          clock,
          keys: () => receipts.listedKeys(),
          areKeysKept: config.receipts.keyFile !== undefined,
        }),
      past: names && ((name) => names.history(name)),
      localnetControls: localnet && localnetControlsOf(config, localnet, names),
      examineNetwork: async (progress, signal) => {
        const { examineNetwork } = await import('./compose-doctor.ts')
        // The time limits follow real time. Otherwise the examination would end early when an
        // operator moves a localnet's time forward.
        const patient: Clock = {
          now: () => realClock.now(),
          after: (ms, run) => realClock.after(ms, run),
          wall: networkMs,
        }
        return examineNetwork(current(), { clock: patient, progress, signal })
      },
      clock: realClock,
    },
  )
}

function localnetControlsOf(
  config: Config,
  localnet: Localnet,
  service: NameService | undefined,
): LocalnetControls {
  return {
    kinds: localnet.faults,
    nodes: () =>
      localnet.show().map(({ name, fault }) => ({
        name,
        faults: [fault].flat().flatMap((each) => (each as { kind: string } | null)?.kind ?? []),
      })),
    setFault: (name, kind) => localnet.setFault(name, kind === undefined ? undefined : ({ kind } as Faults)),
    advance: localnet.advance,
    registration: service && { acronym: config.localnet.acronym, register: service.register },
  }
}
