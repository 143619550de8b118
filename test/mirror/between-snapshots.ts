import { gridAfter, gridMs } from '../../src/mirror/grid.ts'
import { ask } from '../localnet/ask.ts'

/**
 * Moves the time of a localnet past the next snapshot, to the middle between two of them, so that the snapshot can be
 * drained at once.
 */
export async function moveBetweenSnapshots(control: string | undefined): Promise<void> {
  const now = Date.parse(JSON.parse((await ask(control ?? '', '/time')).text).now)
  const duration = `${Math.round((gridAfter(now) + gridMs / 2 - now) / 1_000)}s`
  await ask(control ?? '', '/time/advance', { method: 'POST', body: JSON.stringify({ duration }) })
}
