import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../src/base/lib/clock.ts'
import type { AddressLookup } from '../../src/core/scan/address-guard.ts'
import { examineNetwork, type OpenDoctorDeps } from '../../src/doctor/open.ts'
import type { DoctorReport, ExaminedSuperValidator, StepId } from '../../src/doctor/report.ts'
import { configOf } from '../config/config.ts'

export function examineScans(scanClient: object, deps: Partial<OpenDoctorDeps> = {}): Promise<DoctorReport> {
  const defaults = { allowHttp: true, allowPrivate: true, minimumVoters: 1 }
  const config = configOf({ network: 'remote', scanClient: { ...defaults, ...scanClient } })
  return examineNetwork(config, { clock: systemClock, ...deps })
}

export function superValidator(
  { superValidators }: Pick<DoctorReport, 'superValidators'>,
  name: string,
): ExaminedSuperValidator {
  const found = superValidators.find(({ names }) => names.includes(name))
  if (found === undefined) throw new Error(`${name} was not examined`)
  return found
}

export function wordsOf({ steps }: ExaminedSuperValidator): Readonly<Record<StepId, string>> {
  const entries = Object.entries(steps).map(([step, { word }]) => [step, word])
  return Object.fromEntries(entries) as Record<StepId, string>
}

export const toLoopback: AddressLookup = (_, __, callback) =>
  queueMicrotask(() => callback(null, [{ address: '127.0.0.1', family: 4 }]))

/**
 * A port that drops connections without a reply. No code accepts the connections: the kernel queues a few of them and
 * drops all others.
 */
export class SilentPort implements AsyncDisposable {
  readonly port: number
  readonly #worker: Worker
  readonly #fillers: readonly { destroy(): unknown }[]

  private constructor(port: number, worker: Worker, fillers: readonly { destroy(): unknown }[]) {
    this.port = port
    this.#worker = worker
    this.#fillers = fillers
  }

  static async open(): Promise<SilentPort> {
    const code = `
      const { parentPort } = require('node:worker_threads')
      const server = require('node:net').createServer()
      server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
        parentPort.postMessage(server.address().port)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      })`
    const worker = new Worker(code, { eval: true })
    const [port] = (await once(worker, 'message')) as [number]
    // With a backlog of 1, the kernel queues two connections. These two connections fill the queue.
    const fillers = [0, 1].map(() => connect(port, '127.0.0.1'))
    await Promise.all(fillers.map((socket) => once(socket, 'connect')))
    return new SilentPort(port, worker, fillers)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const filler of this.#fillers) filler.destroy()
    await this.#worker.terminate()
  }
}
