export type StopSignal = 'SIGTERM' | 'SIGINT'

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process at once, with exit code
 * 1.
 */
export function stopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    const stop = (first: StopSignal) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.off(signal, stop)
        process.once(signal, () => process.exit(1))
      }
      resolve(first)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}
