import { type CommandName, commands, runCommand, usage } from './cli/commands.ts'
import { exitCodes } from './cli/print.ts'

const [name = 'serve', ...args] = process.argv.slice(2)
const print = {
  out: (line: string) => void process.stdout.write(`${line}\n`),
  err: (line: string) => void process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY && { progress: showProgress }),
}

// A reader that stops early, such as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

if (name === '--help' || name === '-h' || name === 'help') {
  print.out(usage())
} else if (Object.hasOwn(commands, name)) {
  process.exitCode = await runCommand(name as CommandName, args, print)
} else {
  print.err(`There is no command ${name}.\n\n${usage()}`)
  process.exitCode = exitCodes.usage
}

/** Shows one terminal line and overwrites it with the next. */
function showProgress(doing: string | undefined): void {
  process.stderr.write(`\r\x1b[K${doing ?? ''}`)
}
