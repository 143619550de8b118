/** Resolves at the first SIGTERM or SIGINT. A second one ends the process immediately. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.off(signal, stop)
        process.once(signal, () => process.exit(1))
      }
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}
