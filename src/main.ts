const args = process.argv.slice(2)

// A signal may come while the modules load, and a process that is number 1 of a container ignores
// SIGTERM without a handler. `serve` reads the configuration later, so SIGHUP needs no reload here.
if (args.every((word) => word.startsWith('-')) || args.includes('serve')) {
  process.on('SIGHUP', () => {})
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
}

const [{ runCommandLine }, { printTo }, { aSecondAfterStop }] = await Promise.all([
  import('./cli/command-line.ts'),
  import('./cli/print.ts'),
  import('./cli/stop-signal.ts'),
])
const print = printTo(process.stdout, process.stderr)
const code = await runCommandLine(args, print)
await Promise.race([print.written(), aSecondAfterStop])
process.exit(print.failed() ?? code)
