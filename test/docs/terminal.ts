import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface TerminalOptions {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** A shell that keeps its variables and its folder from one typed command to the next. */
export class Terminal implements AsyncDisposable {
  readonly #shell: ChildProcessWithoutNullStreams
  readonly #ended: Promise<unknown>
  #output = ''
  #look: () => void = () => {}

  constructor({ folder, env }: TerminalOptions) {
    // The shell begins a process group, because Ctrl-C interrupts a whole process group.
    this.#shell = spawn('bash', ['--norc', '--noprofile'], { cwd: folder, env, detached: true })
    this.#ended = once(this.#shell, 'close')
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
        this.#look()
      })
    this.#shell.stdin.on('error', () => {})
    // With `set -m`, each job in the background has its own process group, as in an interactive shell.
    this.#shell.stdin.write('set -m; exec 2>&1\n')
  }

  async type(command: string): Promise<string> {
    const mark = `-- ${crypto.randomUUID()} --`
    this.#begin(`${command}\nprintf '\\n%s\\n' '${mark}'\n`)
    await this.#until(() => this.#output.includes(mark))
    return this.#output.slice(0, this.#output.indexOf(mark))
  }

  async begin(command: string, isEnough: (output: string) => boolean): Promise<string> {
    this.#begin(`exec bash --norc -c ${quoted(command)}\n`)
    await this.#until(() => isEnough(this.#output))
    return this.#output
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#shell.pid !== undefined && this.#shell.exitCode === null)
      process.kill(-this.#shell.pid, 'SIGINT')
    this.#shell.stdin.end()
    await this.#ended
  }

  #begin(text: string): void {
    this.#output = ''
    this.#shell.stdin.write(text)
  }

  #until(holds: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#look = () => {
      if (holds()) resolve()
    }
    this.#look()
    void this.#ended.then(() => reject(new Error(`the terminal was closed:\n${this.#output}`)))
    return promise
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
