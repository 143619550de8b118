import { execFile } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { printTo } from '../../src/cli/print.ts'
import { childEnv } from '../support/child-env.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

function output(columns?: number) {
  const stream = new PassThrough()
  return Object.assign(stream, { isTTY: columns !== undefined, columns: columns ?? 0, rows: 24 })
}

function written(stream: PassThrough): string {
  let text = ''
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += chunk
  return text
}

describe('what a command prints', () => {
  const hostile = 'sv-1\x1b[2J\x07\x9b31m\u202e'

  test('cannot make a terminal obey what a scan said', () => {
    const [stdout, stderr] = [output(80), output(80)]
    const print = printTo(stdout as never, stderr as never)
    print.out(hostile)
    print.err(hostile)
    print.progress?.(hostile)
    print.terminal?.redraw([hostile])
    const shown = 'sv-1\ufffd[2J\ufffd\ufffd31m\ufffd'
    expect(written(stdout)).toBe(`${shown}\n\x1b[2J\x1b[H${shown}\x1b[K\n\x1b[J`)
    expect(written(stderr)).toBe(`${shown}\n\r\x1b[K${shown}`)
  })

  test('has no width to fit into on a terminal of 0 columns, whose size nobody has set', () => {
    const [stdout, stderr] = [output(0), output(0)]
    expect(printTo(stdout as never, stderr as never).terminal?.columns).toBeUndefined()
  })

  test('follows a terminal that changes its size', () => {
    const stdout = output(80)
    const { terminal } = printTo(stdout as never, output() as never)
    stdout.columns = 40
    expect(terminal).toMatchObject({ columns: 40, rows: 24 })
  })

  test('is unread once its reader has left', () => {
    const stdout = output()
    const { unread } = printTo(stdout as never, output() as never)
    expect(unread?.aborted).toBe(false)
    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect(unread?.aborted).toBe(true)
  })
})

describe('on a real terminal', () => {
  let stage: Stage<undefined>
  beforeAll(async () => {
    stage = await startLiveStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function shown(columns: number, ...args: readonly string[]): Promise<readonly string[]> {
    const typed = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ')
    const env = { ...childEnv, OPERATIONS_PORT: new URL(stage.daemon.operations).port }
    const script = ['-qefc', `stty cols ${columns} && ${typed}`, '/dev/null']
    const { stdout } = await promisify(execFile)('script', script, { env })
    // A line of progress ends with a carriage return, and the next text overwrites it. So only the text after the last
    // carriage return stays visible.
    const lines = stripVTControlCharacters(stdout).replaceAll('\r\n', '\n').split('\n')
    return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).filter((line) => line !== '')
  }

  test.each([
    ['roster', 60],
    ['status', 70],
  ])('%s has no table line longer than %d columns', async (name, columns) => {
    const lines = await shown(columns, name)
    const table = lines.slice(lines.findIndex((line) => line.startsWith('super')))
    const members = table.filter((line) => /^sv-\d /.test(line))
    expect(members).toHaveLength(4)
    for (const line of [table[0] ?? '', ...members]) expect([...line].length).toBeLessThanOrEqual(columns)
    expect(members[0]).toContain('…')
    const wide = await shown(200, name)
    expect(wide.filter((line) => /^sv-\d .*127\.0\.0\.1:\d+ /.test(line))).toHaveLength(4)
  })

  test('help is wrapped to the width', async () => {
    for (const line of await shown(60, 'serve', '--help')) expect(line.length).toBeLessThanOrEqual(60)
  })
})
