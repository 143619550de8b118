import { expect } from 'vitest'
import type { Faults } from '../../../src/localnet/faults.ts'
import { startLocalnet, type WorldLocalnet } from '../../../src/localnet/localnet.ts'
import { ask, byName, type Heard } from '../ask.ts'
import { WatchedClock } from '../watched-clock.ts'

/** A localnet of four super validators. sv-1 has the fault, and sv-4 is always healthy. */
export interface FaultyLocalnet extends AsyncDisposable {
  readonly localnet: WorldLocalnet
  readonly clock: WatchedClock
  /** `faulty`, `second` and `healthy` are the base URLs of sv-1, sv-2 and sv-4. */
  readonly faulty: string
  readonly second: string
  readonly healthy: string
  set(fault: Faults): Promise<void>
  heal(): Promise<void>
  honest(path: string): Promise<Heard>
  /** Whether a promise is still pending after a whole request to another node. */
  isPending(promise: Promise<unknown>): Promise<boolean>
  expectHonestValue(path: string): Promise<string>
}

/** Tests of what a client observes, by the kind of fault. */
export type FaultCases<Row extends { readonly kind: string }> = Readonly<
  Partial<Record<Row['kind'], (net: FaultyLocalnet) => Promise<void>>>
>

export const alice = byName('alice.unverified.cns')
export const scans = '/api/scan/v0/scans'
export const rules = '/api/scan/v0/ans-rules'
export const post = { method: 'POST', body: '{}' }

export async function startFaultyLocalnet(): Promise<FaultyLocalnet> {
  const clock = new WatchedClock()
  const localnet = await startLocalnet({ superValidators: 4 }, { clock })
  const url = (name: string) => localnet.superValidators.find((shown) => shown.name === name)?.url ?? ''
  const [faulty, second, healthy] = [url('sv-1'), url('sv-2'), url('sv-4')]
  const set = (fault: Faults) => localnet.setFault('sv-1', fault)
  const honest = (path: string) => ask(healthy, path)
  return {
    localnet,
    clock,
    faulty,
    second,
    healthy,
    set,
    honest,

    async heal() {
      for (const { name } of localnet.superValidators) await localnet.setFault(name, undefined)
    },

    async isPending(promise) {
      const settled = promise.then(
        () => 'settled',
        () => 'settled',
      )
      return (await Promise.race([settled, honest(alice)])) !== 'settled'
    },

    async expectHonestValue(path) {
      const [heard, other] = await Promise.all([ask(faulty, path), honest(path)])
      expect(heard.status).toBe(other.status)
      expect(JSON.parse(heard.text)).toEqual(JSON.parse(other.text))
      return heard.text
    },

    [Symbol.asyncDispose]: () => localnet[Symbol.asyncDispose](),
  }
}
