import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { status } from '../../src/cli/status.ts'
import { childEnv } from '../support/child-env.ts'
import { startLiveStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type Printed, printed } from './printed.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

const stage = await startLiveStage()
afterAll(() => stage[Symbol.asyncDispose]())

class Following implements AsyncDisposable {
  readonly clock = new ManualClock()
  readonly #stop = Promise.withResolvers<void>()
  readonly #ended: Promise<number>

  constructor({ print }: Printed, { operations = stage.daemon.operations, json = false } = {}) {
    const deps = { clock: this.clock, stopped: () => this.#stop.promise }
    this.#ended = status({ operations, json, follow: true }, print, {}, deps)
  }

  async asked(): Promise<void> {
    await eventually(() => this.clock.waiting === 1)
  }

  async asksAgain(): Promise<void> {
    await this.asked()
    this.clock.advance(2_000)
    await this.asked()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.resolve()
    await this.#ended
  }
}

describe('status --follow', () => {
  test('redraws a terminal within its size, with what has changed since', async () => {
    const terminal = printed({ columns: 48, rows: 19 })
    await using following = new Following(terminal)
    await following.asked()
    stage.daemon.scan.connections.cordon.add('sv-3')
    await following.asksAgain()
    stage.daemon.scan.connections.cordon.remove('sv-3')
    const [before = [], after = []] = terminal.frames
    expect(terminal.out).toEqual([])
    expect(before).toContainEqual(expect.stringMatching(/^sv-3 .* yes /))
    expect(after).toContainEqual(expect.stringMatching(/^sv-3 .* NO /))
    for (const frame of terminal.frames) {
      expect(frame.length).toBeLessThan(19)
      for (const line of frame) expect([...line].length).toBeLessThanOrEqual(48)
    }
  })

  test('prints a line of JSON for each answer', async () => {
    const lines = printed()
    await using following = new Following(lines, { json: true })
    await following.asksAgain()
    expect(lines.out.map((line) => JSON.parse(line).ready)).toEqual([true, true])
  })

  test('goes on while no daemon answers, and says so each time', async () => {
    const lines = printed()
    await using following = new Following(lines, { operations: 'http://127.0.0.1:9' })
    await following.asksAgain()
    const sentence = expect.stringMatching(/^no daemon answers at http:\/\/127\.0\.0\.1:9: /)
    expect(lines.err).toEqual([sentence, sentence])
  })
})

describe('as a process of its own, status --follow', () => {
  function start() {
    const args = [main, 'status', '--follow', '--operations', stage.daemon.operations]
    const child = spawn(process.execPath, args, { env: childEnv, stdio: ['ignore', 'pipe', 'pipe'] })
    return { child, lines: createInterface(child.stdout), errors: text(child.stderr) }
  }

  test.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 at %s', async (signal) => {
    const { child, lines, errors } = start()
    await once(lines, 'line')
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([0, null])
    expect(await errors).toBe('')
  })

  test('ends when its reader has left', async () => {
    const { child, lines, errors } = start()
    await once(lines, 'line')
    child.stdout.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await errors).toBe('')
  })
})
