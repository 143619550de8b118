/**
 * Runs something while a timer looks how long the event loop was blocked, in milliseconds, and returns the longest time
 * of the best of a few runs. Only this thread's own work counts, not the time in which other programs used the
 * processor.
 */
export async function longestBlockMs(run: () => Promise<unknown>, runs = 3): Promise<number> {
  const longest: number[] = []
  for (let nth = 0; nth < runs; nth++) {
    let most = 0
    let isOver = false
    let turned = performance.now()
    let used = process.threadCpuUsage()
    const turn = () => {
      const { user, system } = process.threadCpuUsage(used)
      most = Math.max(most, Math.min(performance.now() - turned, (user + system) / 1000))
      turned = performance.now()
      used = process.threadCpuUsage()
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await run()
    await new Promise(setImmediate)
    isOver = true
    longest.push(most)
  }
  return Math.min(...longest)
}
