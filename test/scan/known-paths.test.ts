import { expect, test } from 'vitest'
import { Connection } from '../../src/core/scan/connections.ts'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { RequestGroup, type ScanNode, type ScanRequest, type ScanResponse } from '../../src/core/scan/node.ts'
import { RateLimit } from '../../src/core/scan/rate-limit.ts'
import { ManualClock } from '../support/manual-clock.ts'

const paths = ['/v3', '/v2', '/v1']
const request: ScanRequest = {
  method: 'POST',
  path: '/v3',
  olderPaths: ['/v2', '/v1'],
  maxBytes: 1,
  timeoutMs: 1,
}

/** A scan of one release after the other, which answers at some of the paths. */
function scan() {
  const clock = new ManualClock()
  const asked: string[] = []
  let unreleased = 0
  let answered: readonly string[] = paths
  const ask = async ({ path }: ScanRequest): Promise<ScanResponse> => {
    asked.push(path)
    unreleased++
    const status = answered.includes(path) ? 200 : 404
    const body = Buffer.from('{"error":"The requested resource could not be found."}')
    return { kind: 'response', status, body, release: () => unreleased-- }
  }
  const budget = new Budget({ slots: 8, bytes: 1 << 20 })
  const connection = new Connection(
    { ask } as Partial<ScanNode> as ScanNode,
    budget,
    new RateLimit({}, clock),
    { clock },
  )
  const group = new RequestGroup(new AbortController().signal, clock)
  return {
    clock,
    async ask(release: readonly string[]) {
      answered = release
      const response = await connection.ask(request, group)
      if (response.kind === 'response') response.release()
      return { asked: asked.splice(0), status: response.kind === 'response' && response.status, unreleased }
    },
  }
}

test('a scan is asked at the newest path that it knows, and remembered with it through upgrades and downgrades', async () => {
  const { ask } = scan()
  expect(await ask(paths)).toEqual({ asked: ['/v3'], status: 200, unreleased: 0 })
  expect(await ask(['/v1'])).toEqual({ asked: ['/v3', '/v2', '/v1'], status: 200, unreleased: 0 })
  expect(await ask(['/v1'])).toEqual({ asked: ['/v1'], status: 200, unreleased: 0 })
  expect(await ask(['/v3', '/v2'])).toEqual({ asked: ['/v1', '/v3'], status: 200, unreleased: 0 })
  expect(await ask(['/v2', '/v1'])).toEqual({ asked: ['/v3', '/v2'], status: 200, unreleased: 0 })
})

test('a scan that knows no path is asked at all of them once a minute only, the newest twice', async () => {
  const { ask, clock } = scan()
  expect((await ask([])).asked).toEqual(['/v3', '/v2', '/v1', '/v3'])
  for (let at = 0; at < 59; at++) {
    expect(await ask([])).toEqual({ asked: ['/v3'], status: 404, unreleased: 0 })
    clock.advance(1_000)
  }
  clock.advance(1_000)
  expect((await ask(['/v1'])).asked).toEqual(['/v3', '/v2', '/v1'])
  expect((await ask(['/v1'])).asked).toEqual(['/v1'])
})
