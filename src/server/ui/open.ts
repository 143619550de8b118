import { networkKind } from '../../base/config/network-kind.ts'
import type { Config } from '../../base/config/resolve.ts'
import { withWall } from '../../base/lib/clock.ts'
import type { Base } from '../../base/telemetry/open.ts'
import { Traffic } from '../../base/telemetry/traffic.ts'
import { readIds } from '../../core/reads/endpoints.ts'
import type { ReadPath } from '../../core/scan/open.ts'
import { Examiner } from '../../doctor/examiner.ts'
import type { NameService } from '../../localnet/automation/name-service.ts'
import type { Localnet } from '../../localnet/localnet.ts'
import type { OpenMirror } from '../../mirror/open.ts'
import type { OpenReceipts } from '../../receipts/open.ts'
import { localnetControls } from './localnet-routes.ts'
import { Page } from './page.ts'
import { ReceiptFiles } from './receipt-files.ts'

export interface OpenPageDeps extends Pick<Base, 'clock' | 'realClock' | 'metrics' | 'lastHour'> {
  readonly scan: ReadPath
  readonly mirror: OpenMirror | undefined
  readonly localnet: Localnet | undefined
  readonly names: NameService | undefined
  readonly receipts: OpenReceipts | undefined
}

/** @param current returns the configuration that is in force */
export function openPage(current: () => Config, deps: OpenPageDeps): Page {
  const { scan, mirror, localnet, names, receipts, clock, realClock, metrics, lastHour } = deps
  const { network, scanClient, receipts: signing, ui } = current()
  const networkMs = () => clock.wall()
  // The time limits of an examination follow real time. Otherwise it would end early when an
  // operator moves a localnet's time forward.
  const patient = withWall(realClock, networkMs)
  return new Page({
    ...scan,
    examiner: new Examiner(scan.inquiring),
    sources: {
      ...scan,
      network: networkKind(network, scanClient.seedUrls),
      lastHour,
      traffic: new Traffic(metrics, realClock, readIds),
      networkMs,
      machineMs: () => realClock.wall(),
    },
    mirror,
    url: ui.url,
    receipts: receipts && new ReceiptFiles(signing.keyFile !== undefined, { ...scan, ...receipts, clock }),
    past: names && ((name) => names.history(name)),
    localnetControls: localnet && localnetControls(localnet, names),
    examineNetwork: async (progress, signal) => {
      const { examineNetwork } = await import('../../doctor/open.ts')
      return examineNetwork(current(), { clock: patient, progress, signal })
    },
    clock: realClock,
  })
}
