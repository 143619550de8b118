import { plainText } from '../lib/plain-text.ts'
import type { Print, Terminal } from './print.ts'

type Output = Pick<NodeJS.WriteStream, 'write' | 'on' | 'isTTY' | 'columns' | 'rows'>

export function printTo(stdout: Output, stderr: Output): Print {
  const left = new AbortController()
  // If the program that reads this output, such as `head`, stops early, the next write fails with
  // EPIPE.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    left.abort()
  })
  return {
    out: lineTo(stdout),
    err: lineTo(stderr),
    written: () => new Promise((resolve) => stdout.write('', () => resolve())),
    unread: left.signal,
    // `\r` and `\x1b[K` make each progress message overwrite the one before it.
    ...(stderr.isTTY && { progress: (doing) => void stderr.write(`\r\x1b[K${plainText(doing ?? '')}`) }),
    ...(stdout.isTTY && { terminal: terminalOf(stdout) }),
  }
}

function lineTo(stream: Output): (line: string) => void {
  return (line) => void stream.write(`${stream.isTTY ? plainText(line) : line}\n`)
}

function terminalOf(stdout: Output): Terminal {
  let isDrawn = false
  return {
    get columns() {
      // A pseudo-terminal reports 0 columns and 0 rows until a program sets its size.
      return stdout.columns || undefined
    },
    get rows() {
      return stdout.rows || undefined
    },
    redraw(lines) {
      const shown = lines.map((line) => `${plainText(line)}\x1b[K\n`).join('')
      stdout.write(`${isDrawn ? '\x1b[H' : '\x1b[2J\x1b[H'}${shown}\x1b[J`)
      isDrawn = true
    },
  }
}
