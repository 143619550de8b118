import type { Bench, Outcome } from '../row.ts'
import { type Program, Programs, StartedDaemon } from '../started-daemon.ts'
import { alternate, median } from '../statistics.ts'

const starts = 11
/**
 * Compares the start times of the default daemon, which includes a localnet, with that of a bare Node process that
 * loads the same packages. The start ends when the daemon listens. The figure is the worse of two ratios: from source
 * and packed.
 */
export async function startAgainstBare({ cores }: Bench): Promise<Outcome> {
  using programs = new Programs()
  const { source, bare } = programs
  const packed = programs.pack()
  const start = async (program: Program) => {
    await using daemon = await StartedDaemon.start(program, cores)
    return daemon.startMs
  }
  await start(bare)
  const coldSourceMs = await start(source)
  const coldPackedMs = await start(packed)
  const rounds = await alternate(
    starts,
    async () => ({ bareMs: await start(bare), sourceMs: await start(source) }),
    () => start(packed),
  )
  const sourceRatio = median(rounds.map(({ a }) => a.sourceMs / a.bareMs))
  const packedRatio = median(rounds.map(({ a, b }) => b / a.bareMs))
  return {
    kind: 'measured',
    figure: Math.max(sourceRatio, packedRatio),
    detail: {
      sourceRatio,
      packedRatio,
      bareMs: median(rounds.map(({ a }) => a.bareMs)),
      sourceMs: median(rounds.map(({ a }) => a.sourceMs)),
      packedMs: median(rounds.map(({ b }) => b)),
      coldSourceMs,
      coldPackedMs,
    },
  }
}
