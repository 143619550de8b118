import { expect } from 'vitest'
import type { snapshotFaults } from '../../../src/localnet/faults/snapshots.ts'
import { drain, snapshotAt } from '../drain.ts'
import type { FaultCases } from './faulty-localnet.ts'

export const snapshotCases: FaultCases<(typeof snapshotFaults)[number]> = {
  async snapshot({ localnet, faulty, healthy, set }) {
    const at = localnet.world.snapshotTimes[0] ?? 0
    await set({ kind: 'snapshot' })
    const [false_, true_] = [await drain(faulty, at), await drain(healthy, at)]
    expect(false_.ids).toEqual(true_.ids)
    expect(false_.contracts).not.toEqual(true_.contracts)
    expect((await snapshotAt(faulty, at)).status).toBe(200)
  },
}
