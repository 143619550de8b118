import { afterAll, beforeAll, expect, test } from 'vitest'
import { lookupQuestion, receiptOf, verifyReceipt } from '../../src/client/receipts/receipts.ts'
import { ask, type Heard } from '../localnet/ask.ts'
import { moveBetweenSnapshots } from '../mirror/between-snapshots.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { asking, directory, keysIn } from './verified.ts'

const absent = 'nobody.unverified.cns'

let stage: Stage<undefined>

beforeAll(async () => {
  stage = await startLiveStage({ config: { 'mirror.level': 'stream', 'mirror.pollInterval': '100ms' } })
  await moveBetweenSnapshots(stage.daemon.localnet?.control)
  await eventually(async () => String((await lookUp(absent)).headers['cache-status']).includes('mirror'))
}, 60_000)

afterAll(() => stage[Symbol.asyncDispose]())

function lookUp(name: string): Promise<Heard> {
  return stage.get(lookupQuestion(name).path, { headers: asking })
}

test.each([
  ['a name', 'alice.unverified.cns', 200],
  ['an absence', absent, 404],
] as const)(
  '%s that the mirror answers has a receipt like a live answer, made once',
  async (_, name, status) => {
    const heard = await lookUp(name)
    const { headers } = heard
    expect([heard.status, headers['cache-status']]).toEqual([status, 'bft-scan-proxy; hit; detail=mirror'])
    expect(headers['x-bft-as-of']).toContain(';claim=state;')
    const answered = new Headers(Object.entries(headers).map(([key, value]) => [key, String(value)]))
    const receipt = receiptOf(lookupQuestion(name), { status, headers: answered }, heard.body)
    const pins = keysIn(await stage.get(directory)).map(({ x }) => ({
      name: 'here',
      key: { kty: 'OKP', crv: 'Ed25519', x } as const,
    }))
    const now = new Date(JSON.parse((await ask(stage.daemon.localnet?.control ?? '', '/time')).text).now)
    expect(
      receipt && (await verifyReceipt(receipt, { pins, question: lookupQuestion(name), now })),
    ).toMatchObject({
      kind: 'current',
      statements: [
        { status, terms: { claim: 'state', asOf: expect.any(Number), agreed: expect.any(Array) } },
      ],
    })
    const again = await lookUp(name)
    expect(again.headers['signature']).toBe(headers['signature'])
    expect(again.headers['x-bft-receipt']).toBe(headers['x-bft-receipt'])
  },
)
