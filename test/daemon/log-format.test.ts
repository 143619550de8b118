import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { childEnv } from '../support/child-env.ts'
import { eventually } from '../support/eventually.ts'
import { Scans } from '../support/scans.ts'

const serve = `${process.execPath} ${fileURLToPath(new URL('../../src/main.ts', import.meta.url))} serve`

async function outputOf(terminal: boolean, env: Readonly<Record<string, string>> = {}) {
  const [file = '', ...args] = terminal ? ['script', '-qec', serve, '/dev/null'] : serve.split(' ')
  const child = spawn(file, args, {
    env: { ...childEnv, NO_COLOR: '1', HTTP_PORT: '0', OPERATIONS_PORT: '0', LEDGER_DRIVER: 'none', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(() => {
    process.kill(-(child.pid as number), 'SIGKILL')
  })
  let text = ''
  child.stdout.on('data', (part: Buffer) => {
    text += part.toString().replaceAll('\r', '')
  })
  await eventually(() => /listening(?:"\}|\n(?:.+\n){3})/.test(text))
  return text
}

async function runSuggestedCommand(output: string): Promise<unknown> {
  const command = / {2}try {3}(curl .+)/.exec(output)?.[1] ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  return JSON.parse(stdout)
}

describe('In a terminal', () => {
  test('the log is for people, and four lines say where to look, where to set faults and what to type', async () => {
    const output = await outputOf(true)
    expect(output).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] INFO: roster taken \{/m)
    expect(output).toMatch(
      /INFO: listening\n {2}API {3}http:\/\/127\.0\.0\.1:\d+\n {2}page {2}http:\/\/127\.0\.0\.1:\d+\n {2}faults of the localnet {2}http:\S+\n {2}try {3}curl /,
    )
    expect(await runSuggestedCommand(output)).toMatchObject({ entry: { name: 'dso.cns' } })
  })

  test('LOG_FORMAT=json keeps it for programs', async () => {
    const lines = (await outputOf(true, { LOG_FORMAT: 'json' })).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('listening')
  })
})

test('A daemon ends when its terminal is closed', async () => {
  const words = `echo pid $$; exec ${serve}`
  const env = { ...childEnv, HTTP_PORT: '0', OPERATIONS_PORT: '0', LEDGER_DRIVER: 'none' }
  const [program = '', ...args] = ['script', '-qec', words, '/dev/null']
  const terminal = spawn(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  terminal.stdout.on('data', (part: Buffer) => {
    text += part.toString()
  })
  await eventually(() => text.includes('listening'))
  const pid = Number(/pid (\d+)/.exec(text)?.[1])
  terminal.kill('SIGKILL')
  await eventually(() => !isAlive(pid))
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('Where standard output is no terminal', () => {
  test('the log is JSON', async () => {
    const lines = (await outputOf(false)).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('listening')
  })

  test('LOG_FORMAT=pretty makes it for people, and the command to type is one that this network answers', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const output = await outputOf(false, {
      LOG_FORMAT: 'pretty',
      NETWORK: 'remote',
      SCAN_SEED_URLS: scans.urls.join(),
      NODE_CONFIG: '{"scanClient":{"allowHttp":true,"allowPrivate":true}}',
    })
    expect(output).toMatch(/\n {2}try {3}curl .+\n {2}on {4}remote, threshold f\+1\n/)
    expect(await runSuggestedCommand(output)).toEqual({ dso_party_id: 'DSO::1220d5' })
  })
})
