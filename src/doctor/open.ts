import type { Config } from '../base/config/resolve.ts'
import type { AddressLookup } from '../core/scan/address-guard.ts'
import { Budgets } from '../core/scan/in-flight-budget.ts'
import { createUndiciScanNode } from '../core/scan/node.undici.ts'
import { RateLimit } from '../core/scan/rate-limit.ts'
import { type DoctorDeps, runDoctor } from './doctor.ts'
import { inspectConnection } from './inspect-connection.ts'
import type { DoctorReport } from './report.ts'

export interface OpenDoctorDeps extends Omit<DoctorDeps, 'access'> {
  readonly lookup?: AddressLookup
}

/** Connects as the daemon does: with the same check of IP addresses and the same forward proxy. */
export function examineNetwork(
  config: Pick<Config, 'network' | 'scanClient'>,
  deps: OpenDoctorDeps,
): Promise<DoctorReport> {
  const { network, scanClient } = config
  const budgets = new Budgets(scanClient)
  let opened = 0
  const access: DoctorDeps['access'] = {
    inspect: (target, limits) =>
      inspectConnection(target, { ...scanClient, proxy: scanClient, limits }, deps),
    open(url) {
      const budget = budgets.open()
      budgets.divide(++opened)
      const rateLimit = new RateLimit(scanClient, deps.clock)
      return createUndiciScanNode({ ...scanClient, url, budget, rateLimit, proxy: scanClient }, deps)
    },
  }
  return runDoctor({ ...scanClient, network }, { ...deps, access })
}
