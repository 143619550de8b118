import { ScanClient, ScanProxyClient } from '@canton-network/core-splice-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Read } from '../../src/core/reads/read.ts'
import { bodyParam } from '../../src/core/reads/request.ts'
import { reads } from '../../src/core/reads/table.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { questionsTo } from '../support/every-question.ts'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const noToken = {
  getAccessToken: async () => '',
  getAuthContext: async () => ({ userId: '', accessToken: '' }),
}

let stage: Stage<undefined>
beforeAll(async () => {
  stage = await startLiveStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

describe("Splice's own client of the scan proxy talks to the daemon unchanged", () => {
  const client = () => new ScanProxyClient(new URL(`${stage.daemon.http}/api/validator`), quiet, noToken)

  test("it gets Splice's error for a name that does not exist", async () => {
    const path = { name: 'no/body.cns' }
    await expect(client().get('/v0/scan-proxy/ans-entries/by-name/{name}', { path })).rejects.toEqual({
      error: 'Did not find a AnsEntry with name no/body.cns',
    })
  })
})

describe("Splice's own client of the scan proxy reads everything that the proxy has", () => {
  const rows = readIds
    .map((id): readonly [string, Read] => [id, reads[id]])
    .filter(([, { proxy }]) => proxy?.path.includes('/scan-proxy/') && !proxy.path.includes('/registry/'))
  test('which are the 15 operations of scan-proxy.yaml', () => {
    expect(rows.map(([, { proxy }]) => proxy?.path)).toHaveLength(15)
  })

  test.each(rows)('%s', async (id, { proxy, params }) => {
    const question = questionsTo(stage.localnet)[id as ReadId]
    const taken = (place: 'path' | 'query') =>
      Object.fromEntries(
        params.filter((param) => param.in === place).flatMap(({ name }) => [[name, question[name]]]),
      )
    const client = new ScanProxyClient(new URL(`${stage.daemon.http}/api/validator`), quiet, noToken)
    const given = { path: taken('path'), query: taken('query') } as never
    const template = proxy?.path as never
    const body = JSON.parse(question[bodyParam] ?? '{}') as never
    const answer = await (proxy?.method === 'POST'
      ? client.post(template, body, given)
      : client.get(template, given))
    const said = await createClient({ url: stage.daemon.http })[id as 'getDsoInfo']({
      ...question,
      ...(bodyParam in question && { body }),
    } as never)
    const value = proxy?.serve?.(said.value) ?? said.value
    expect(answer).toEqual(JSON.parse(JSON.stringify(value)))
  })
})

describe("Splice's own client of a scan talks to the daemon unchanged", () => {
  const client = () => new ScanClient(new URL(`${stage.daemon.http}/api/scan`), quiet, noToken)

  test('it looks a name up', async () => {
    expect(await client().get('/v0/ans-entries/by-name/{name}', { path: { name: 'dso.cns' } })).toEqual({
      entry: stage.localnet.truth.entryByName('dso.cns'),
    })
  })

  test('it reads the amulet rules', async () => {
    expect(await client().getAmuletRules()).toMatchObject({
      contract_id: stage.localnet.truth.amuletRules().contract.contract_id,
    })
  })

  test('it is spared the contract that it has already', async () => {
    const { contract_id } = stage.localnet.truth.ansRules().contract
    expect(await client().post('/v0/ans-rules', { cached_ans_rules_contract_id: contract_id })).toEqual({
      ans_rules_update: { contract: null, domain_id: stage.localnet.world.synchronizer },
    })
  })

  test('it lists the scans', async () => {
    expect(await client().get('/v0/scans')).toMatchObject({
      scans: [{ scans: stage.names.map((svName) => ({ svName })) }],
    })
  })
})
