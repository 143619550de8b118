import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Pool } from 'undici'
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'

interface Listening {
  readonly http: string
  readonly operations: string
  readonly control: string
  readonly superValidators: Readonly<Record<string, string>>
}

const freePorts = { http: { port: 0 }, operations: { port: 0 } }

function run(config: object, args: readonly string[] = ['serve']): ChildProcess {
  const { NODE_CONFIG_ENV: _, REDIS_URL: __, ...env } = process.env
  return spawn(process.execPath, ['src/main.ts', ...args], {
    env: { ...env, NODE_ENV: 'test', NODE_CONFIG: JSON.stringify(config) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function listening(child: ChildProcess): Promise<Listening> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const said = JSON.parse(line) as { msg: string }
    if (said.msg === 'listening') return said as unknown as Listening
  }
  throw new Error('it ended before it was listening')
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

async function asksOf(control: string): Promise<number> {
  const nodes = (await (await fetch(`${control}/super-validators`)).json()) as { asks: number }[]
  return nodes.reduce((sum, { asks }) => sum + asks, 0)
}

describe('SIGTERM in the middle of load', () => {
  test('no request whose first byte was read is cut, and the exit code is 0', async () => {
    const child = run(freePorts)
    const { http, control } = await listening(child)
    const delay = {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"delay","ms":400}',
    }
    for (const name of ['sv-1', 'sv-2', 'sv-3', 'sv-4'])
      await fetch(`${control}/super-validators/${name}/fault`, delay)
    const before = await asksOf(control)

    const pool = new Pool(http, { connections: 20 })
    const answers = Array.from({ length: 20 }, (_, at) =>
      pool.request({ method: 'GET', path: `/v0/scan-proxy/ans-entries/by-name/nobody-${at}.unverified.cns` }),
    )
    await eventually(async () => (await asksOf(control)) - before >= 2 * answers.length)
    child.kill('SIGTERM')
    for (const { statusCode, headers, body } of await Promise.all(answers)) {
      expect(statusCode).toBe(404)
      expect(headers['connection']).toBe('close')
      expect(await body.json()).toMatchObject({ error: expect.stringContaining('Did not find a AnsEntry') })
    }
    expect(await exitCode(child)).toBe(0)
    await expect(fetch(http)).rejects.toThrow()
    await pool.destroy()
  })

  test('readiness goes first, and new requests are answered until the delay is over', async () => {
    const child = run({ ...freePorts, http: { port: 0, shutdownDelay: '600ms' } })
    const { http, operations } = await listening(child)
    const ready = async (base: string) => (await fetch(`${base}/readyz`)).status
    expect(await ready(http)).toBe(200)
    child.kill('SIGTERM')
    await eventually(async () => (await ready(operations)) === 503)
    expect(await ready(http)).toBe(503)
    expect((await fetch(`${http}/v0/scan-proxy/ans-entries/by-name/dso.cns`)).status).toBe(200)
    expect(await exitCode(child)).toBe(0)
  })
})

describe('what cannot be started', () => {
  test('configuration problems are all told at once, with exit code 78', async () => {
    const child = run({ network: 'remote', scanClient: { seedUrl: [], threshold: 0 }, logLevel: 'loud' })
    const [code, told] = await Promise.all([exitCode(child), text(child.stderr as NodeJS.ReadableStream)])
    expect(code).toBe(78)
    expect(told).toContain('scanClient.seedUrls')
    expect(told).toContain('scanClient.threshold')
    expect(told).toContain('logLevel')
  })

  test('an address that is taken is told in one sentence, with exit code 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const child = run({ ...freePorts, http: { port } })
    const [code, told] = await Promise.all([exitCode(child), text(child.stderr as NodeJS.ReadableStream)])
    taken.close()
    expect(code).toBe(1)
    expect(told.trim().split('\n')).toEqual([expect.stringContaining(`127.0.0.1:${port}`)])
  })

  test('an unknown command is told what there is, with exit code 64', async () => {
    const child = run({}, ['fly'])
    const [code, told] = await Promise.all([exitCode(child), text(child.stderr as NodeJS.ReadableStream)])
    expect(code).toBe(64)
    expect(told).toContain('check-config')
  })
})
