import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DaemonStatus, EvidenceCase } from '../../src/cli/running-daemon.ts'
import { watch } from '../../src/cli/watch.ts'
import { changesBetween, type Sight } from '../../src/cli/watch-changes.ts'
import type { Fault } from '../../src/localnet/faults.ts'
import { childEnv } from '../support/child-env.ts'
import { type Stage, startLiveStage, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type Printed, printed } from './printed.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const lie: Fault = { kind: 'lie', alone: true, only: ['by-name'] }

let stage: Stage<undefined>
beforeAll(async () => {
  stage = await startLiveStage()
})
afterEach(async () => {
  await stage.fault(stage.names, undefined)
  await lookUp('dso.cns')
})
afterAll(() => stage[Symbol.asyncDispose]())

async function lookUp(name: string, of: Pick<Stage<unknown>, 'operations'> = stage): Promise<void> {
  await of.operations(`/?by=name&ask=all&q=${name}`)
}

class Watching implements AsyncDisposable {
  readonly clock = new ManualClock()
  readonly ended: Promise<number>
  readonly #stop = new AbortController()

  constructor(
    { print }: Printed,
    { operations = stage.daemon.operations, json = false }: { operations?: string; json?: boolean } = {},
  ) {
    this.ended = watch({ operations, json }, print, {}, { clock: this.clock, stop: this.#stop.signal })
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
    this.#stop.abort()
    await this.ended
  }
}

describe('watch without a terminal', () => {
  let lines: Printed
  beforeEach(() => {
    lines = printed()
  })

  test('prints a line for each change, and none where nothing changes', async () => {
    await using watching = new Watching(lines)
    await watching.asksAgain()
    const sentences = () => lines.out.map((line) => line.replace(/^20\S+Z {2}/, ''))
    const start = [expect.stringMatching(/^bft-scan-proxy \S+ answers, on localnet$/), 'the daemon is ready']
    expect(sentences()).toEqual(start)
    await stage.fault(['sv-4'], 'refuse')
    await stage.fault(['sv-2'], lie)
    await lookUp('alice.unverified.cns')
    await watching.asksAgain()
    const fault = [
      'sv-4 does not answer',
      'disagreement about lookupAnsEntryByName: agreed, and sv-2 contradicted it',
    ]
    expect(sentences()).toEqual([...start, ...fault])
    await stage.fault(['sv-2', 'sv-4'], undefined)
    await lookUp('dso.cns')
    await watching.asksAgain()
    expect(sentences()).toEqual([...start, ...fault, 'sv-4 answers'])
    expect(lines.err).toEqual([])
  })

  test('says once, with their number, what happened several times since it last asked', async () => {
    await using watching = new Watching(lines)
    await watching.asked()
    await stage.fault(['sv-2'], lie)
    for (const name of ['one', 'two', 'three']) await lookUp(`${name}.unverified.cns`)
    await watching.asksAgain()
    expect(lines.out.slice(2).map((line) => line.replace(/^20\S+Z {2}/, ''))).toEqual([
      'disagreement about lookupAnsEntryByName: agreed, and sv-2 contradicted it, 3 times',
    ])
  })

  test('says who was set aside and who was taken back', async () => {
    await using watching = new Watching(lines)
    await watching.asked()
    const { cordon } = stage.daemon.scan.connections
    cordon.add('sv-3')
    await watching.asksAgain()
    cordon.remove('sv-3')
    await watching.asksAgain()
    expect(lines.out.slice(2).map((line) => line.replace(/^20\S+Z {2}/, ''))).toEqual([
      'sv-3 was set aside by an operator',
      'sv-3 answers',
    ])
  })

  test('prints lines of JSON for scripts', async () => {
    await using watching = new Watching(lines, { json: true })
    await watching.asked()
    const [first, second] = lines.out.map((line) => JSON.parse(line))
    const at = '2026-01-01T00:00:00.000Z'
    expect(first).toEqual({
      at,
      kind: 'daemon',
      answers: true,
      version: expect.any(String),
      network: 'localnet',
    })
    expect(second).toEqual({ at, kind: 'ready', ready: true })
  })

  test('goes on while the daemon is away, and says when it went and when it is back', async () => {
    const away = await startLiveStage()
    const { operations } = away.daemon
    await using watching = new Watching(lines, { operations })
    await watching.asked()
    await away[Symbol.asyncDispose]()
    await watching.asksAgain()
    await watching.asksAgain()
    expect(lines.out.slice(2)).toEqual([expect.stringContaining(`no daemon answers at ${operations}: `)])
    await using back = await startLiveStage({
      config: { 'operations.port': Number(new URL(operations).port) },
    })
    await watching.asksAgain()
    expect(back.daemon.operations).toBe(operations)
    expect(lines.out.slice(3)).toEqual([
      expect.stringMatching(/ bft-scan-proxy \S+ answers, on localnet$/),
      expect.stringMatching(/ the daemon is ready$/),
    ])
  })
})

describe('watch on a terminal', () => {
  test('redraws the status and the latest disagreements within its size', async () => {
    await stage.fault(['sv-2'], lie)
    await lookUp('sv-1.sv.cns')
    const terminal = printed({ columns: 48, rows: 19 })
    await using watching = new Watching(terminal)
    await watching.asked()
    await stage.fault(['sv-3'], 'refuse')
    await lookUp('sv-2.sv.cns')
    await watching.asksAgain()
    const [before = [], after = []] = terminal.frames
    expect(terminal.out).toEqual([])
    expect(before).toContainEqual(expect.stringMatching(/^sv-3 .* yes /))
    expect(after).toContainEqual(expect.stringMatching(/^sv-3 .* NO /))
    expect(before).toContainEqual(expect.stringMatching(/^20\S+Z {2}lookupAnsEntryByN/))
    for (const frame of terminal.frames) {
      expect(frame.length).toBeLessThan(19)
      for (const line of frame) expect([...line].length).toBeLessThanOrEqual(48)
    }
  })

  test('names the super validators that contradicted the others in the last hour, as status does', async () => {
    await using own = await startStage()
    const terminal = printed({ columns: 120, rows: 60 })
    await using watching = new Watching(terminal, { operations: own.daemon.operations })
    await watching.asked()
    await own.fault(['sv-2'], lie)
    await lookUp('sv-1.sv.cns', own)
    await watching.asksAgain()
    own.clock.advance(59 * 60_000)
    await watching.asksAgain()
    own.clock.advance(2 * 60_000)
    await watching.asksAgain()
    const dissent = terminal.frames.map((frame) => frame.some((line) => /^dissent .* sv-2;/.test(line)))
    expect(dissent).toEqual([false, true, true, false])
    expect(terminal.frames.at(-1)).toContainEqual(expect.stringMatching(/^20\S+Z {2}lookupAnsEntryByName/))
  })

  test('shows that no daemon answers', async () => {
    const terminal = printed({ columns: 200, rows: 18 })
    await using watching = new Watching(terminal, { operations: 'http://127.0.0.1:9' })
    await watching.asked()
    expect(terminal.frames[0]?.at(-1)).toMatch(/^no daemon answers at http:\/\/127\.0\.0\.1:9: /)
  })
})

describe('as a process of its own, watch', () => {
  function start() {
    const args = [main, 'watch', '--operations', stage.daemon.operations]
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

  test('ends with 0 when its reader has left', async () => {
    const { child, lines, errors } = start()
    await once(lines, 'line')
    child.stdout.destroy()
    await stage.fault(['sv-4'], 'refuse')
    await lookUp('alice.unverified.cns')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await errors).toBe('')
  })
})

describe('what changed', () => {
  const kept: EvidenceCase = {
    at: '2026-01-01T00:00:00.000Z',
    read: 'getDsoInfo',
    params: 'p',
    outcome: 'agreed',
    rule: 'r',
    agreed: 'd',
    statements: [],
    silent: [],
    dissent: { 'sv-2': 'pending' },
  }

  function sight(members: Readonly<Record<string, boolean>>, cases: readonly EvidenceCase[] = []): Sight {
    const superValidators = Object.entries(members).map(([name, reachable]) => ({ names: [name], reachable }))
    const status = { version: '1', network: 'remote', ready: true, roster: { superValidators } }
    return { answers: true, status: status as unknown as DaemonStatus, cases, recent: cases }
  }

  test('includes who joined and who left the roster', () => {
    expect(changesBetween(sight({ a: true, b: true }), sight({ b: true, c: false }))).toEqual([
      { kind: 'super-validator', name: 'a', state: 'left' },
      { kind: 'super-validator', name: 'c', state: 'joined' },
      { kind: 'super-validator', name: 'c', state: 'unreachable' },
    ])
  })

  test('includes how a dissent is filed, once', () => {
    const filed = { ...kept, dissent: { 'sv-2': 'dissent' } } as const
    const { read, at: found } = kept
    const change = { kind: 'filed', read, found, name: 'sv-2', as: 'dissent' }
    expect(changesBetween(sight({}, [kept]), sight({}, [filed]))).toEqual([change])
    expect(changesBetween(sight({}, [filed]), sight({}, [filed]))).toEqual([])
  })

  test('lists new disagreements oldest first, and none that were there before', () => {
    const newer = { ...kept, at: '2026-01-01T00:00:01.000Z' }
    const newest = { ...kept, at: '2026-01-01T00:00:02.000Z' }
    const changes = changesBetween(sight({}, [kept]), sight({}, [newest, newer, kept]))
    expect(changes.map((change) => 'found' in change && change.found)).toEqual([newer.at, newest.at])
    expect(changesBetween(undefined, sight({ a: true }, [kept])).map(({ kind }) => kind)).toEqual([
      'daemon',
      'ready',
    ])
  })

  test('includes what a daemon that is not ready waits for', () => {
    const waiting = sight({})
    const status = { ...(waiting as { status: DaemonStatus }).status, ready: false, waitingFor: 'seeds' }
    expect(changesBetween(sight({}), { answers: true, status, cases: [], recent: [] })).toEqual([
      { kind: 'ready', ready: false, waitingFor: 'seeds' },
    ])
  })
})
