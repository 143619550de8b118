import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandName, commands, runCommand, usage } from '../../src/cli/commands.ts'
import { exitCodes } from '../../src/cli/print.ts'
import { top } from '../arch/sources.ts'
import { command } from './command.ts'

const page = readFileSync(join(top, 'docs/command-line.md'), 'utf8')

test('--help names every command', async () => {
  const { code, out } = await command(['--help'])
  expect({ code, out }).toEqual({ code: 0, out: `${usage()}\n` })
  for (const name of Object.keys(commands)) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
})

test.each(Object.keys(commands) as CommandName[])(
  '%s says how it is used, and the page does',
  async (name) => {
    const out: string[] = []
    const print = { out: (line: string) => void out.push(line), err: () => {} }
    expect(await runCommand(name, ['--help'], print)).toBe(0)
    expect(out.join('\n')).toMatch(new RegExp(`^Usage: bft-scan-proxy ${name}`))
    expect(page).toContain(`\`${name}`)
  },
)

test('the page has every exit code', () => {
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  expect(documented).toEqual(Object.values(exitCodes))
})

test('an unknown command ends with 64', async () => {
  const { code, err } = await command(['nonsense'])
  expect(code).toBe(64)
  expect(err).toMatch(/^There is no command nonsense\.\n\nUsage: /)
})
