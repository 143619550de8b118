import { runCommandLine } from './cli/command-line.ts'
import { printTo } from './cli/print-to-process.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), printTo(process.stdout, process.stderr))
