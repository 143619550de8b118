import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { longestToken } from '../../src/base/lib/bearer.ts'
import type { Heard } from '../localnet/ask.ts'
import { startEmbedded, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { byName } from './questions.ts'

const alice = byName('alice.unverified.cns')
const otherSecret = new TextEncoder().encode('other')
const idOf = ({ headers }: Heard) => headers['x-request-id']

describe('The lines about a request name it as its answer does:', () => {
  test('that it was answered, from the quorum and from memory', async () => {
    await using stage = await startStage()
    const answers = [
      await stage.get(alice),
      await stage.get(alice),
      await stage.get(alice, { headers: { 'x-request-id': 'order-7/1' } }),
      await stage.get(byName('%ff')),
      await stage.get('/livez'),
    ]
    const lines = stage.lines().filter(({ msg }) => msg === 'a request was answered')
    expect(lines.map(({ requestId }) => requestId)).toEqual(answers.map(idOf))
    for (const { level } of lines) expect(level).toBe('debug')
    expect(new Set(answers.map(idOf)).size).toBe(answers.length)
    expect(idOf(answers[2] as Heard)).toBe('order-7/1')
    expect(stage.lines().find(({ msg }) => msg === 'a read was agreed on')).toMatchObject({
      requestId: idOf(answers[0] as Heard),
    })
  })

  test('that no quorum agreed, and that a stale answer was not refreshed', async () => {
    await using stage = await startStage()
    await stage.get(alice)
    await stage.fault(stage.names, 'error')
    const failed = await stage.get(byName('bob.unverified.cns'))
    expect(failed.status).toBe(502)
    const bob = stage.lines().find(({ msg }) => msg === 'a read was not agreed on')
    expect(bob).toMatchObject({ requestId: idOf(failed) })

    stage.clock.advance(60_000)
    const stale = await stage.get(alice)
    expect(stale.status).toBe(200)
    const refresh = () => stage.lines().find(({ msg }) => msg === 'a stale answer was not refreshed')
    await eventually(() => refresh() !== undefined)
    expect(refresh()).toMatchObject({ requestId: idOf(stale) })
  })

  test('that a token was refused, for reads, for the wallet and for the ledger', async () => {
    await using daemon = await startEmbedded({ 'auth.scanProxy': 'bearer' })
    const ask = (path: string, token: string) =>
      daemon.get(path, { headers: { authorization: `Bearer ${token}` } })
    const refused = [
      await ask(alice, 'x.y.z'),
      await ask('/v0/entry/all', 'x'.repeat(longestToken + 1)),
      await ask(
        '/v2/state/ledger-end',
        await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(otherSecret),
      ),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401])
    const lines = daemon.lines().filter(({ msg }) => msg === 'a token was refused')
    expect(lines.map(({ requestId }) => requestId)).toEqual(refused.map(idOf))
  })
})
