import { gridAfter, gridMs } from '../../src/mirror/snapshot-grid.ts'
import { ask } from '../localnet/ask.ts'

/**
 * Moves the time of a localnet halfway between its next snapshot and the snapshot after. All scans then have the
 * earlier of the two, so a daemon can drain it at once.
 */
export async function moveBetweenSnapshots(control: string | undefined): Promise<void> {
  const now = Date.parse(JSON.parse((await ask(control ?? '', '/time')).text).now)
  const duration = `${Math.round((gridAfter(now) + gridMs / 2 - now) / 1_000)}s`
  await ask(control ?? '', '/time/advance', { method: 'POST', body: JSON.stringify({ duration }) })
}
