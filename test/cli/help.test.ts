import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type CommandTable, flat, type Given } from '../../src/cli/command.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { commands } from '../../src/cli/commands.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { top } from '../arch/sources.ts'
import { command, commandHere } from './command.ts'
import { printed } from './printed.ts'

const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))

interface Parsed {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly ran: (Given & { readonly words: string }) | undefined
}

/** Parses arguments as the program does, but the commands only record their arguments. */
async function parse(...args: readonly string[]): Promise<Parsed> {
  const out: string[] = []
  const err: string[] = []
  let ran: Parsed['ran']
  const noting = (words: string) => async (given: Given) => {
    ran = { words, ...given }
    return 0
  }
  const table: CommandTable = commands.map((row) =>
    'run' in row
      ? { ...row, run: noting(row.name) }
      : {
          ...row,
          commands: row.commands.map((inner) => ({ ...inner, run: noting(`${row.name} ${inner.name}`) })),
        },
  )
  const print = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) }
  const code = await runCommandLine(args, print, table)
  return { code, out: out.join('\n'), err: err.join('\n'), ran }
}

describe('flags before the command', () => {
  test.each([
    [['--threshold', '9', '--port=8099', 'check-config'], 'check-config', { threshold: '9', port: '8099' }],
    [['--config', 'own.yaml', 'receipts', 'revoke', 'a'], 'receipts revoke', { config: 'own.yaml' }],
    [['--port', '1'], 'serve', { port: '1' }],
    [['--operations', 'http://10.0.0.7', '--config', 'a', 'status', '--json'], 'status', { config: 'a' }],
  ])('%j run %s with its flags', async (args, words, flags) => {
    const { code, ran } = await parse(...args)
    expect(code).toBe(0)
    expect(ran).toMatchObject({ words, flags })
  })
})

describe('with --json, also a failure is one line of JSON:', () => {
  test.each([
    [['lookup', '--json', ''], 'NAME-OR-PARTY must not be empty'],
    [['status', '--json', '--prot'], expect.stringMatching(/^unknown option '--prot'/)],
    [['--json', 'check-config', 'x'], expect.stringMatching(/^too many arguments/)],
  ])('%j', async (args, error) => {
    const { code, out, err } = await parse(...args)
    expect(code).toBe(exitCodes.usage)
    expect(JSON.parse(out)).toEqual({ kind: 'error', code: 'usage', error })
    expect(err).toContain('error: ')
  })

  test.each([
    [
      ['read', '--json', 'nope'],
      exitCodes.usage,
      { code: 'usage', error: expect.stringContaining('no read nope') },
    ],
    [
      ['lookup', '--json', '--threshold', 'most', 'x'],
      exitCodes.badConfig,
      { code: 'badConfig', error: expect.stringContaining('(in --threshold)') },
    ],
    [
      ['lookup', '--network', 'nope', '--json', 'x'],
      exitCodes.badConfig,
      { code: 'badConfig', error: expect.stringContaining('(in --network)') },
    ],
  ])('%j, of a command that runs', async (args, exitCode, error) => {
    const { print, out } = printed()
    expect(await runCommandLine(args, print)).toBe(exitCode)
    expect(out.map((line) => JSON.parse(line))).toEqual([{ kind: 'error', ...error }])
  })
})

describe('help', () => {
  test('names every command, in a process of its own', async () => {
    const { code, out, err } = await command(['--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const { name } of commands) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  })

  test.each(flat(commands))('of $words shows its usage and its examples', async ({ words, command: row }) => {
    const { code, out } = await parse(...words.split(' '), '--help')
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^Usage: bft-scan-proxy ${words} `))
    expect(row.examples.length).toBeGreaterThan(0)
    for (const example of row.examples) expect(out).toContain(`  bft-scan-proxy ${example}`)
  })

  test.each(flat(commands))(
    'has examples of $words that work as they are typed',
    async ({ words, command: row }) => {
      for (const example of row.examples) {
        const [typed = ''] = example.split(/ [|>] /)
        const { code, err, ran } = await parse(...typed.split(' '))
        expect({ code, err, words: ran?.words }).toEqual({ code: 0, err: '', words })
      }
    },
  )

  test('loads no code of any command, no schema and no package but the parser', async () => {
    const list = fileURLToPath(new URL('../support/list-modules.ts', import.meta.url))
    const { code, err } = await command(['--help'], { NODE_OPTIONS: `--import=${list}` })
    expect({ code, err }).toEqual({ code: 0, err: 'loaded commander\n' })
  })
})

test.each([
  [['help'], 'Usage: bft-scan-proxy [options]'],
  [['help', 'status'], 'Usage: bft-scan-proxy status '],
  [['help', 'receipts'], 'Usage: bft-scan-proxy receipts '],
  [['receipts', 'help', 'rotate'], 'Usage: bft-scan-proxy receipts rotate '],
])('%j prints the help of a known command', async (args, usage) => {
  const { code, out, err } = await parse(...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(usage)
})

test('serve starts without the parser where it has no arguments', async () => {
  const list = fileURLToPath(new URL('../support/list-modules.ts', import.meta.url))
  const env = { NODE_OPTIONS: `--import=${list}`, HTTP_PORT: 'x' }
  for (const args of [[], ['serve']]) {
    const { code, err } = await command(args, env)
    expect(code).toBe(78)
    expect(err).toContain('loaded zod\n')
    expect(err).not.toContain('loaded commander\n')
  }
})

test.each(['--version', '-V'])('%s prints the version alone', async (flag) => {
  expect(await parse(flag)).toMatchObject({ code: 0, out: version, err: '' })
})

describe('arguments', () => {
  test.each([
    [['lokup', 'a'], "error: unknown command 'lokup'\n(Did you mean lookup?)"],
    [['foo'], "error: unknown command 'foo'\nSee `bft-scan-proxy --help`."],
    [['receipts', 'foo'], "error: unknown command 'foo'\nSee `bft-scan-proxy receipts --help`."],
    [['receipts', 'rotat'], "error: unknown command 'rotat'\n(Did you mean rotate?)"],
    [['serve', '--prot', '9000'], "error: unknown option '--prot'\n(Did you mean --port?)"],
    [['--prot', '9000'], "error: unknown option '--prot'\n(Did you mean --port?)"],
    [['serve', 'mainnet'], "error: too many arguments for 'serve'. Expected 0 arguments but got 1: mainnet."],
    [['serve', '--port'], "error: option '--port <PORT>' argument missing"],
    [['check-config', '--jsn'], "error: unknown option '--jsn'\n(Did you mean --json?)"],
    [['roster', '--all'], "error: unknown option '--all'"],
    [['lookup'], "error: missing required argument 'NAME-OR-PARTY'"],
    [['lookup', 'a', 'b'], "error: too many arguments for 'lookup'. Expected 1 argument but got 2: a, b."],
    [['lookup', ''], 'error: NAME-OR-PARTY must not be empty'],
    [['read', 'listAnsEntries', ' '], 'error: KEY=VALUE must not be empty'],
    [['alice.unverified.cns'], 'To look up a name or a party: `bft-scan-proxy lookup alice.unverified.cns`.'],
    [['--threshold', '9', 'a::12'], 'To look up a name or a party: `bft-scan-proxy lookup a::12`.'],
    [['token'], "error: required option '--user <NAME>' not specified"],
    [['token', '--user', ''], "error: option '--user <NAME>' argument '' is invalid. It must not be empty."],
    [['token', '--user', 'a', '--name', 'b'], "error: unknown option '--name'"],
    [['localnet', '--ports', '1'], "error: unknown option '--ports'\n(Did you mean --port?)"],
    [['receipts', 'revoke'], "error: missing required argument 'KEYID'"],
  ])('%j run nothing, and end with 64 and a sentence about the mistake', async (args, problem) => {
    const { code, out, err, ran } = await parse(...args)
    expect({ code, out, ran }).toEqual({ code: 64, out: '', ran: undefined })
    expect(err).toContain(problem)
  })

  test('of a wrong use name the help to read', async () => {
    expect((await parse('receipts', 'rotate', '--fast')).err).toContain(
      'See `bft-scan-proxy receipts rotate --help`.',
    )
  })

  test('of the configuration reach serve with or without its name', async () => {
    const flags = {
      port: '9000',
      network: 'mainnet',
      threshold: '2f+1',
      'log-level': 'debug',
      config: 'a.yaml',
    }
    const typed = ['--port=9000', '--network', 'mainnet', '--threshold', '2f+1', '--log-level', 'debug']
    for (const name of [[], ['serve']]) {
      const { ran } = await parse(...name, ...typed, '--config', 'a.yaml')
      expect(ran).toEqual({ words: 'serve', args: [], options: {}, flags })
    }
  })

  test('and options of a command reach it under their names', async () => {
    expect((await parse('read', '--network', 'devnet', 'getDsoInfo', 'a=b', 'c=-d')).ran).toEqual({
      words: 'read',
      args: ['getDsoInfo', 'a=b', 'c=-d'],
      options: { json: false, live: false, list: false },
      flags: { network: 'devnet' },
    })
    expect((await parse('localnet', '--super-validators', '3')).ran?.options).toEqual({
      'super-validators': '3',
      releases: undefined,
      port: undefined,
      'control-port': undefined,
    })
  })
})

test.each([
  ['--super-validators', 'x'],
  ['--port', '-1'],
  ['--control-port', '1.5'],
])('localnet %s %s ends with 64', async (option, value) => {
  const { code, out, err } = await commandHere(['localnet', `${option}=${value}`])
  expect({ code, out }).toEqual({ code: 64, out: '' })
  expect(err).toBe(`error: ${option} must be a whole number of at least 0, not "${value}"\n`)
})
