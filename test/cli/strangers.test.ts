import { createServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainJson } from '../../src/base/lib/plain-text.ts'
import { createLogger } from '../../src/base/telemetry/logger.ts'
import { prettyLines } from '../../src/base/telemetry/pretty-lines.pino-pretty.ts'
import { evidence } from '../../src/cli/evidence.ts'
import { resetFloor } from '../../src/cli/guard.ts'
import { printTo } from '../../src/cli/print.ts'
import { status } from '../../src/cli/status.ts'
import { byName } from '../daemon/questions.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { onLoopback } from '../support/on-loopback.ts'

const forged = 'forged: all is well'
const hostile = `x\n${forged}\r\x1b[2J\x9b31m\u202e\u2028${forged}\u2029\u0085\u{e0001}\t.`
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

function output(columns?: number) {
  const stream = new PassThrough()
  return Object.assign(stream, { isTTY: columns !== undefined, columns: columns ?? 0, rows: 24 })
}

/** Expects of a text that no line of it is forged, and that no character is one that a terminal obeys. */
function expectPlain(text: string): void {
  expect(text.split('\n').filter((line) => unseen.test(line) || line.startsWith(forged))).toEqual([])
}

test('JSON with invisible characters escaped says the same', () => {
  const value = { [hostile]: [hostile, '\u{1d173}', 'ä𝄞'] }
  const text = plainJson(JSON.stringify(value))
  expectPlain(text)
  expect(JSON.parse(text)).toEqual(value)
})

describe('a line of the log', () => {
  test('in JSON has none of the characters that a terminal obeys, and says the same', () => {
    const lines: string[] = []
    const to = { write: (line: string) => void lines.push(line) }
    const logger = createLogger({ level: 'info', version: '1.0.0', to })
    logger.warn({ sv: hostile, err: new Error(hostile) }, 'a stranger said so')
    expectPlain(lines.join(''))
    expect(JSON.parse(lines.join(''))).toMatchObject({ sv: hostile, err: { message: hostile } })
  })

  test('for people is one line, and only its stack has more', () => {
    const lines: string[] = []
    const to = prettyLines({ write: (line: string) => void lines.push(line) }, false)
    const logger = createLogger({ level: 'info', version: '1.0.0', to })
    logger.warn({ sv: hostile, err: new Error(hostile) }, 'a stranger said so')
    expectPlain(lines.join(''))
    expect(lines.join('')).toMatch(/\n +at /)
  })
})

describe('A hostile daemon', () => {
  let stage: Stage<undefined>
  let failing = false
  let answers: Readonly<Record<string, unknown>> = {}
  const server = createServer(({ url = '' }, response) => {
    response.statusCode = failing ? 500 : 200
    response.end(JSON.stringify(answers[url.split('?')[0] ?? '']))
  })
  let operations = ''

  beforeAll(async () => {
    stage = await startLiveStage({ config: { 'scanClient.fanout': 'all' } })
    await stage.fault(['sv-4'], { kind: 'lie', only: ['by-name'] })
    await stage.get(byName('dso.cns'))
    operations = `http://127.0.0.1:${(await onLoopback(server)).port}`
  })
  afterAll(async () => {
    server.close()
    await stage[Symbol.asyncDispose]()
  })

  async function shown(command: typeof status | typeof evidence, json: boolean): Promise<string> {
    const [stdout, stderr] = [output(), output()]
    const none = { sv: undefined, read: undefined, since: undefined, limit: undefined }
    const given = { operations, json, follow: false, ...none }
    await command(given, printTo(stdout as never, stderr as never))
    return `${stdout.read() ?? ''}${stderr.read() ?? ''}`
  }

  test.each(['/status', '/evidence'] as const)(
    'that sends any value at any place of %s forges no line, and ends no command with a stack',
    async (path) => {
      const honest = {
        '/status': await stage.report('/status'),
        '/evidence': await stage.report('/evidence'),
      }
      const command = path === '/status' ? status : evidence
      for (const altered of [hostile, 7, null, true, [], {}, [hostile], { [hostile]: hostile }]) {
        for (const place of placesIn(honest[path])) {
          answers = { ...honest, [path]: withValue(honest[path], place, altered) }
          for (const json of [false, true]) expectPlain(await shown(command, json))
        }
      }
    },
    120_000,
  )

  test('that sends a text of a megabyte fills no terminal with it', async () => {
    const honest = await stage.report('/status')
    const kept = await stage.report('/evidence')
    const long = 'x'.repeat(1_000_000)
    const [one] = kept.cases
    const silent = [{ who: [long], what: long }]
    const bodies = Object.fromEntries(
      Object.keys(kept.bodies).map((digest) => [digest, `"${digest}${long}"`]),
    )
    answers = {
      '/status': { ...honest, network: long, warning: long, waitingFor: long },
      '/evidence': { cases: [{ ...one, rule: long, silent, dissent: { a: long } }], bodies },
    }
    for (const command of [status, evidence]) {
      const lines = (await shown(command, false)).split('\n')
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(2_500)
    }
  })

  test('that fails with a text of a megabyte, or ends no floor, is reported in one short line', async () => {
    for (const [answer, said] of [
      [{ error: 'x'.repeat(1_000_000) }, /^.{1000}\n$/],
      [{}, /is no operations address of bft-scan-proxy\n$/],
    ] as const) {
      answers = { '/admin/floors/names/alice': answer }
      failing = 'error' in answer
      const [stdout, stderr] = [output(), output()]
      const given = { name: 'alice', key: undefined, operations }
      expect(await resetFloor(given, printTo(stdout as never, stderr as never))).toBe(69)
      expect(stdout.read()).toBeNull()
      expect(String(stderr.read())).toMatch(said)
    }
  })
})

type Place = readonly (string | number)[]

function* placesIn(value: unknown, above: Place = []): Iterable<Place> {
  if (typeof value !== 'object' || value === null) return yield above
  if (above.length > 0) yield above
  for (const [key, inner] of Object.entries(value).slice(0, 4)) yield* placesIn(inner, [...above, key])
}

function withValue(value: unknown, [key, ...rest]: Place, altered: unknown): unknown {
  if (key === undefined) return altered
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  const inner = (value as Readonly<Record<string, unknown>>)[key]
  return Object.assign(copy, { [key]: withValue(inner, rest, altered) })
}
