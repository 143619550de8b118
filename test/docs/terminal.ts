import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface TerminalOptions {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** A shell that is typed into, one command after the other; what they leave (variables, folders) stays. */
export class Terminal implements AsyncDisposable {
  readonly #shell: ChildProcessWithoutNullStreams
  readonly #ended: Promise<unknown>
  #output = ''
  #look: () => void = () => {}

  constructor({ folder, env }: TerminalOptions) {
    // A group of its own, which Ctrl-C reaches as a whole.
    this.#shell = spawn('bash', ['--norc', '--noprofile'], { cwd: folder, env, detached: true })
    this.#ended = once(this.#shell, 'close')
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
        this.#look()
      })
    this.#shell.stdin.on('error', () => {})
    // Jobs in the background are groups of their own, as in a shell that a person types into.
    this.#shell.stdin.write('set -m; exec 2>&1\n')
  }

  /** Types it; resolves with what it printed when it has come to its end. */
  async type(command: string): Promise<string> {
    const mark = `-- ${crypto.randomUUID()} --`
    this.#begin(`${command}\nprintf '\\n%s\\n' '${mark}'\n`)
    await this.#until(() => this.#output.includes(mark))
    return this.#output.slice(0, this.#output.indexOf(mark))
  }

  /** Types it, and leaves it running; resolves as soon as what it printed is enough. */
  async begin(command: string, isEnough: (output: string) => boolean): Promise<string> {
    this.#begin(`exec bash --norc -c ${quoted(command)}\n`)
    await this.#until(() => isEnough(this.#output))
    return this.#output
  }

  /** Presses Ctrl-C, and closes the terminal when what runs in it has ended. */
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
