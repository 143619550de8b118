import type { Bench, Outcome } from '../row.ts'
import { type Program, Programs, StartedDaemon } from '../started-daemon.ts'
import { alternate, median } from '../statistics.ts'

const starts = 11
const goalMs = { source: 900, packed: 600 }

/**
 * Compares the start times of the default daemon, which includes a localnet, with their goals. The start ends when the
 * daemon listens. The figure is the worse of two ratios: from source and packed.
 */
export async function startAgainstGoals({ cores }: Bench): Promise<Outcome> {
  using programs = new Programs()
  const { source } = programs
  const packed = programs.pack()
  const start = async (program: Program) => {
    await using daemon = await StartedDaemon.start(program, cores)
    return daemon.startMs
  }
  const coldSourceMs = await start(source)
  const coldPackedMs = await start(packed)
  const rounds = await alternate(
    starts,
    () => start(source),
    () => start(packed),
  )
  const sourceMs = median(rounds.map(({ a }) => a))
  const packedMs = median(rounds.map(({ b }) => b))
  return {
    kind: 'measured',
    figure: Math.max(sourceMs / goalMs.source, packedMs / goalMs.packed),
    detail: { sourceMs, packedMs, coldSourceMs, coldPackedMs },
  }
}
