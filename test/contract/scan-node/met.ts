import { describe, expect, onTestFinished } from 'vitest'
import { Budget } from '../../../src/core/scan/in-flight-budget.ts'
import {
  RequestGroup,
  type ScanNode,
  type ScanRequest,
  type ScanResponse,
} from '../../../src/core/scan/node.ts'
import { createUndiciScanNode } from '../../../src/core/scan/node.undici.ts'
import { type Behaviour, HostileServer } from '../../support/hostile-server.ts'
import { ManualClock } from '../../support/manual-clock.ts'

interface Setting {
  readonly clock: ManualClock
  readonly budget: Budget
}

type Create = (setting: Setting & { readonly url: string }) => ScanNode

const drivers: readonly { name: string; create: Create }[] = [
  {
    name: 'undici',
    create: ({ url, clock, budget }) =>
      createUndiciScanNode({ url, budget, allowHttp: true, allowPrivate: true }, { clock }),
  },
]

const never = new AbortController().signal
const request: ScanRequest = { method: 'GET', path: '/api/scan/v0/x', maxBytes: 65_536, timeoutMs: 5000 }
export const mebibyte = 1_048_576
export const large: ScanRequest = { ...request, maxBytes: 4 * mebibyte }

interface Met extends Setting {
  readonly server: HostileServer
  readonly node: ScanNode
  readonly ask: (changes?: Partial<ScanRequest>, signal?: AbortSignal) => Promise<ScanResponse>
}

type Meet = (behaviour: Behaviour, path?: string) => Promise<Met>

export function everyScanNode(tests: (meet: Meet) => void): void {
  describe.each(drivers)('a scan node by $name', ({ create }) => {
    tests((behaviour, path = '') => meetBy(create, behaviour, path))
  })
}

async function meetBy(create: Create, behaviour: Behaviour, path: string): Promise<Met> {
  const server = await HostileServer.listen(behaviour)
  const clock = new ManualClock()
  const budget = new Budget({ slots: 8, bytes: 64 * mebibyte })
  const node = create({ url: server.url + path, clock, budget })
  onTestFinished(async () => {
    await node[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  const ask = (changes: Partial<ScanRequest> = {}, signal = never) =>
    node.ask({ ...request, ...changes }, new RequestGroup(signal, clock))
  return { server, clock, budget, node, ask }
}

export function text(answer: ScanResponse): string {
  return answer.kind === 'response' ? answer.body.toString() : `${answer.fault}: ${answer.detail}`
}

export function ofFault(fault: string) {
  return expect.objectContaining({ kind: 'fault', fault })
}

/** Calls `look` in every turn of the event loop, until the returned function is called. */
export function watching(look: () => void): () => void {
  let over = false
  const turn = () => {
    look()
    if (!over) setImmediate(turn)
  }
  turn()
  return () => {
    over = true
  }
}
