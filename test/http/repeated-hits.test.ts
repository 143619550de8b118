import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPublicApi } from '../../src/http/app.ts'
import type { Shortcut } from '../../src/http/server.ts'
import { createEvents } from '../../src/telemetry/events.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { type Stage, startStage } from '../support/daemon.ts'

let stage: Stage
let shortcut: Shortcut

beforeAll(async () => {
  stage = await startStage()
  const { clock } = stage
  const events = createEvents({
    metrics: createMetrics({ version: '', reads: [] }),
    logger: silentLogger,
    clock,
  })
  const about = {
    version: '',
    versionTime: '',
    ready: () => true,
    quorumReachable: () => true,
    uptimeMs: () => 0,
  }
  shortcut = createPublicApi(
    { network: undefined, missesPerSecond: undefined },
    {
      reader: stage.daemon.scan.reader,
      verifier: undefined,
      ledgerRoutes: undefined,
      ledgerApiRoutes: undefined,
      about,
      clock,
      events,
      logger: silentLogger,
    },
  ).shortcut
})

afterAll(async () => {
  await stage[Symbol.asyncDispose]()
})

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The name in what the shortcut answers in this turn of the event loop; undefined where it answers nothing, or later. */
async function nameOf(url: string): Promise<string | undefined> {
  const request = { method: 'GET', url, headers: { host: 'localhost' }, socket: {} }
  let name: string | undefined
  const response = {
    once() {},
    writeHead() {},
    end(body: string) {
      name = JSON.parse(body).entry?.name
    },
  }
  shortcut(request as IncomingMessage, response as unknown as ServerResponse)
  await endOfTurn()
  return name
}

const pathOf = (name: string) => `/v0/ans-entries/by-name/${name}`

test('a target that is asked again and again is answered with its own entry, also among more than are remembered', async () => {
  const names = ['alice.unverified.cns', 'bob.unverified.cns']
  for (const name of names) {
    expect(await nameOf(pathOf(name))).toBeUndefined()
    await stage.get(pathOf(name))
  }
  for (let turn = 0; turn < 10_001; turn++) {
    for (const name of names) {
      if ((await nameOf(`${pathOf(name)}?turn=${turn}`)) !== name) expect.fail(`${name} in turn ${turn}`)
      if ((await nameOf(pathOf(name))) !== name) expect.fail(`${name} by itself in turn ${turn}`)
    }
  }
})

test('a target that was a hit is asked anew once its answer has ended', async () => {
  const path = pathOf('carol.unverified.cns')
  await stage.get(path)
  expect(await nameOf(path)).toBe('carol.unverified.cns')
  stage.clock.advance(5 * 60_000)
  expect(await nameOf(path)).toBeUndefined()
})
