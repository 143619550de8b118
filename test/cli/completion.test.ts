import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { flat } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { configFlags } from '../../src/config/flags.ts'
import { command, commandHere } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

const typed: readonly (readonly [line: readonly string[], offered: readonly string[]])[] = [
  [['lo'], ['lookup', 'localnet']],
  [['ledger', 'v'], ['verify']],
  [['serve', '--lo'], ['--log-level']],
  [['--po'], ['--port']],
  [['serve', '--network', 'm'], ['mainnet']],
  [['--threshold', '2'], ['2f+1']],
  [['read', 'listAns'], ['listAnsEntries']],
  [['read', '--network', 'mainnet', 'listAns'], ['listAnsEntries']],
  [['read', 'getDsoInfo', 'listAns'], []],
  [['evidence', '--read', 'ro'], ['roster']],
  [['completion', 'z'], ['zsh']],
  [['serve', '--port', ''], []],
  [['ledger', 'verify', 'names.sq'], ['names.sqlite']],
  [['roster', '--config', 'own.'], ['own.yaml']],
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-'))
  for (const shell of shells) {
    const { out } = await command(['completion', shell])
    await writeFile(join(folder, `script.${shell}`), out)
  }
  for (const file of ['names.sqlite', 'own.yaml']) await writeFile(join(folder, file), '')
})
afterAll(() => rm(folder, { recursive: true }))

/** A program for each shell that completes its last argument and prints each completion on a line. */
const programs: Readonly<Record<Shell, string>> = {
  bash: `source script.bash
    compopt() { :; }
    COMP_WORDS=(bft-scan-proxy "$@"); COMP_CWORD=$#
    _bft_scan_proxy; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // zsh has the builtins of completion only while its line editor runs. These functions take their place.
  zsh: `compdef() { :; }
    compset() { return 1; }
    compadd() { shift; print -l -- \${(M)@:#$PREFIX*}; }
    _files() { print -l -- $PREFIX*(N); }
    _describe() { print -l -- \${(M)\${offered%%:*}:#$PREFIX*}; }
    source ./script.zsh
    words=(bft-scan-proxy "$@"); CURRENT=\${#words}; PREFIX=\${words[-1]}
    _bft_scan_proxy`,
  fish: `source script.fish
    complete -C "$TYPED" | string replace -r '\\t.*' ''; or true`,
}

async function complete(shell: Shell, line: readonly string[]): Promise<readonly string[]> {
  const flags = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[shell]
  const args = shell === 'fish' ? [] : [shell, ...line]
  const env = { PATH: process.env['PATH'], HOME: folder, TYPED: ['bft-scan-proxy', ...line].join(' ') }
  const options = { cwd: folder, env }
  const { stdout } = await promisify(execFile)(shell, [...flags, programs[shell], ...args], options)
  return stdout.split('\n').filter((offered) => offered !== '')
}

describe.each(shells)('the script for %s', (shell) => {
  test('has every command and every option of the table', async () => {
    const { out, code, err } = await commandHere(['completion', shell])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const { words, command: row } of flat(commands)) {
      for (const word of words.split(' ')) expect(out).toContain(word)
      for (const name of [...Object.keys(row.options ?? {}), ...(row.flags ?? [])])
        expect(out).toMatch(new RegExp(shell === 'fish' ? `-l ${name}\\b` : `--${name}\\b`))
    }
    for (const choice of configFlags.network.choices) expect(out).toContain(choice)
  })

  // Every machine that runs the tests has bash. The other shells are tested only where they are installed.
  const isHere = shell === 'bash' || spawnSync(shell, ['--version']).status === 0
  test.runIf(isHere).each(typed)('completes %j in the shell itself', async (line, offered) => {
    expect([...(await complete(shell, line))].sort()).toEqual([...offered].sort())
  })
})

test('for a shell without a script, the command names the shells that have one', async () => {
  expect(await commandHere(['completion', 'tcsh'])).toEqual({
    code: 64,
    out: '',
    err: 'error: SHELL must be bash, zsh or fish, not tcsh\n',
  })
})
