import { commands, usage } from './cli/commands.ts'

const [name = 'serve', ...args] = process.argv.slice(2)
const print = {
  out: (line: string) => void process.stdout.write(`${line}\n`),
  err: (line: string) => void process.stderr.write(`${line}\n`),
}

// Whoever has read enough, as `head` does, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

if (name === '--help' || name === '-h' || name === 'help') {
  print.out(usage())
} else if (Object.hasOwn(commands, name)) {
  process.exitCode = await commands[name as keyof typeof commands].run(args, print)
} else {
  print.err(`There is no command ${name}.\n\n${usage()}`)
  process.exitCode = 64
}
