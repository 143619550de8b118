import { discoveryOptions } from './compose-asking.ts'
import type { Config } from './config/resolve.ts'
import { type DoctorDeps, runDoctor } from './doctor/doctor.ts'
import type { ScanAccess } from './doctor/examine.ts'
import type { DoctorReport } from './doctor/report.ts'
import type { Clock } from './lib/clock.ts'
import type { AddressLookup } from './scan/address-guard.ts'
import { Budgets } from './scan/in-flight-budget.ts'
import { inspectConnection } from './scan/node.inspect.ts'
import { createUndiciScanNode } from './scan/node.undici.ts'
import { RateLimit } from './scan/rate-limit.ts'

/**
 * Three steps of a connection and two requests run one after another for each scan. Their limits
 * add up to less than `totalMs`.
 */
const limits = {
  steps: { dnsMs: 2_000, tcpMs: 3_000, tlsMs: 2_000 },
  requestTimeoutMs: 2_500,
  totalMs: 14_000,
}

export interface ComposedDoctorDeps extends Pick<DoctorDeps, 'progress' | 'signal'> {
  readonly clock: Clock
  readonly lookup?: AddressLookup
}

/** Connects as the daemon does: with the same check of IP addresses and the same forward proxy. */
export function examineNetwork(
  options: Pick<Config, 'network' | 'scanClient'>,
  { clock, lookup, progress, signal }: ComposedDoctorDeps,
): Promise<DoctorReport> {
  const { network, scanClient } = options
  const { allowHttp, allowPrivate, maxResponseBytes, egressAddresses } = scanClient
  return runDoctor(
    {
      ...limits,
      requestTimeoutMs: Math.min(limits.requestTimeoutMs, scanClient.requestTimeoutMs),
      network,
      discovery: discoveryOptions(options),
      egressAddresses,
      allowHttp,
      allowPrivate,
      maxResponseBytes,
    },
    { clock, progress, signal, access: accessTo(scanClient, { clock, ...(lookup && { lookup }) }) },
  )
}

function accessTo(
  scanClient: Config['scanClient'],
  deps: { readonly clock: Clock; readonly lookup?: AddressLookup },
): ScanAccess {
  const { allowHttp, allowPrivate } = scanClient
  const budgets = new Budgets(scanClient)
  let opened = 0
  return {
    inspect: (target, steps) =>
      inspectConnection(target, { proxy: scanClient, allowPrivate, limits: steps }, deps),
    open: (url) => {
      const budget = budgets.open()
      budgets.divide(++opened)
      const rateLimit = new RateLimit(scanClient, deps.clock)
      return createUndiciScanNode(
        { url, budget, rateLimit, allowHttp, allowPrivate, proxy: scanClient },
        deps,
      )
    },
  }
}
