import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { childEnv } from '../support/child-env.ts'
import { printed } from './printed.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface CommandProcess {
  /** The user, and the group, that runs the process; those of this process by default. */
  readonly uid?: number
  /** The folder in which the process runs; an empty one by default. */
  readonly cwd?: string
  /** A program, with its first arguments, that runs the command that follows them. */
  readonly program?: readonly string[]
}

/**
 * Runs a command in a process of its own. Its environment variables are those of `childEnv` and the given ones.
 */
export async function command(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { uid, cwd: folder, program = [] }: CommandProcess = {},
): Promise<Ran> {
  const [file = '', ...rest] = [...program, process.execPath, main, ...args]
  const cwd = await mkdtemp(join(tmpdir(), 'command-'))
  try {
    const child: ChildProcess = spawn(file, rest, {
      ...(uid === undefined ? {} : { uid, gid: uid }),
      cwd: folder ?? cwd,
      env: { ...childEnv, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { stdout, stderr } = child
    if (stdout === null || stderr === null) throw new Error('the child has no pipes')
    const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
    return { code, out, err }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

/**
 * Runs a command in this process, which is many times faster than `command`. Use `command` only to test how a process
 * starts, writes and ends. Only one command may run at a time, because `commandHere` replaces `process.env`.
 */
export async function commandHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const ours = process.env
  const { print, out, err } = printed()
  process.env = { ...childEnv, ...env }
  try {
    const code = await runCommandLine(args, print)
    return { code, out: textOf(out), err: textOf(err) }
  } finally {
    process.env = ours
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
