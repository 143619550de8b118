import { describe, expect, test } from 'vitest'
import type { NodeFaultKind } from '../../src/localnet/faults.ts'
import type { AskOptions } from '../localnet/ask.ts'
import { type Stage, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { nothingKept } from './questions.ts'

const post = (body: unknown): AskOptions => ({ method: 'POST', body: JSON.stringify(body) })
const at = { migration_id: 0, record_time: '2026-03-01T12:00:00Z' }

const tooMany = (of: string) => Array.from({ length: 1001 }, (_, nth) => `${of}${nth}::1220ab`)
const tooLong = (name: string) =>
  new RegExp(`^Expected '${name}' to contain at most 1000 items, but contained 1001\\.$`)
const cachedRounds = 'cached_open_mining_round_contract_ids'
const cachedIssuing = 'cached_issuing_round_contract_ids'

const badBodies: readonly (readonly [path: string, body: unknown, error: RegExp])[] = [
  ['/api/scan/v2/updates', {}, /page_size/],
  ['/api/scan/v2/updates', { page_size: 0 }, /^Limit must be at least 1\.$/],
  ['/api/scan/v1/updates', { page_size: 1001 }, /^Exceeded limit maximum \(1001 > 1000\)\.$/],
  ['/api/scan/v2/updates', { page_size: 5, daml_value_encoding: 'xml' }, /daml_value_encoding/],
  ['/api/scan/v2/updates', { page_size: 5, after: { after_migration_id: 0 } }, /after_record_time/],
  [
    '/api/scan/v0/events',
    { page_size: 5, after: { after_migration_id: 0, after_record_time: 'now' } },
    /ISO 8601/,
  ],
  ['/api/scan/v0/events', { page_size: 1.5 }, /page_size/],
  ['/api/scan/v1/state/acs', { ...at, page_size: 10, party_ids: ['nobody'] }, /party_ids/],
  ['/api/scan/v1/state/acs', { ...at, record_time_match: 'about', page_size: 10 }, /record_time_match/],
  ['/api/scan/v1/holdings/state', { ...at, page_size: 10 }, /owner_party_ids/],
  ['/v0/scan-proxy/holdings/summary', { ...at, owner_party_ids: [] }, /at least one party/],
  [
    '/v1/scan-proxy/holdings/summary',
    { ...at, migration_id: 'x0', owner_party_ids: ['a::12'] },
    /migration_id/,
  ],
  ['/api/scan/v0/voterequest', {}, /vote_request_contract_ids/],
  ['/api/scan/v0/admin/sv/voteresults', { limit: 10, accepted: 'yes' }, /accepted/],
  ['/api/scan/v0/admin/sv/previous-sv-reward-weight', { svParty: 'x' }, /missing namespace/],
  ['/api/scan/v0/open-and-issuing-mining-rounds', {}, /cached_open_mining_round_contract_ids/],
  ['/api/scan/v0/history/bulk/checksums', { object_keys: 'x' }, /object_keys/],
  ['/api/scan/v2/state/acs', { ...at, page_size: 10, party_ids: tooMany('p') }, tooLong('party_ids')],
  ['/api/scan/v1/state/acs', { ...at, page_size: 10, party_ids: tooMany('p') }, tooLong('party_ids')],
  ['/api/scan/v0/state/acs', { ...at, page_size: 10, templates: tooMany('t') }, tooLong('templates')],
  ...[
    '/api/scan/v0/holdings/state',
    '/api/scan/v1/holdings/state',
    '/api/scan/v2/holdings/state',
    '/api/scan/v0/holdings/summary',
    '/v1/scan-proxy/holdings/summary',
  ].map(
    (path) =>
      [path, { ...at, page_size: 10, owner_party_ids: tooMany('o') }, tooLong('owner_party_ids')] as const,
  ),
  [
    '/api/scan/v0/voterequest',
    { vote_request_contract_ids: tooMany('v') },
    tooLong('vote_request_contract_ids'),
  ],
  [
    '/api/scan/v0/open-and-issuing-mining-rounds',
    { [cachedRounds]: tooMany('c'.repeat(130)), [cachedIssuing]: [] },
    tooLong(cachedRounds),
  ],
  [
    '/api/scan/v0/open-and-issuing-mining-rounds',
    { [cachedRounds]: tooMany('c'.repeat(130)).slice(1), [cachedIssuing]: tooMany('i') },
    tooLong(cachedIssuing),
  ],
  ['/registry/transfer-instruction/v1/transfer-factory', { choiceArguments: [] }, /choiceArguments/],
  ['/v0/scan-proxy/registry/allocation/v2/settlement-factory', {}, /choiceArguments/],
  ['/registry/allocations/v1/00ab/choice-contexts/cancel', { meta: { a: 1 } }, /meta\.a/],
]

const badTargets: readonly (readonly [path: string, status: number, error: RegExp])[] = [
  ['/v0/scan-proxy/transfer-command/status?sender=a%3A%3A12&nonce=x', 400, /64-bit signed integer/],
  ['/v0/scan-proxy/transfer-command/status?sender=a%3A%3A12', 404, /'nonce'/],
  ['/v0/scan-proxy/transfer-command/status?sender=a&nonce=1', 400, /missing namespace/],
  ['/v0/scan-proxy/featured-apps/x', 400, /missing namespace/],
  ['/api/scan/v0/state/acs/snapshot-timestamp?before=now&migration_id=0', 400, /ISO 8601/],
  ['/api/scan/v0/state/acs/snapshot-timestamp-after?after=2026-03-01T12:00:00Z', 404, /'migration_id'/],
  ['/api/scan/v0/validators/validator-faucets', 404, /'validator_ids'/],
  ['/api/scan/v0/validators/validator-faucets?validator_ids=x', 400, /missing namespace/],
  ['/api/scan/v0/amulet-config-for-round?round=9223372036854775808', 400, /64-bit/],
  ['/api/scan/v0/internal/reward-accounting-process/rounds/x/root-hash', 400, /'x' is not a valid 64-bit/],
  ['/registry/metadata/v1/instruments?pageSize=0', 400, /Limit must be at least 1/],
]

describe('what is asked is checked before any scan is asked', () => {
  test('bodies', async () => {
    await using stage = await startStage({ config: nothingKept })
    const before = stage.asks()
    for (const [path, body, error] of badBodies) {
      const { status, text } = await stage.get(path, post(body))
      expect({ path, body, status, error: JSON.parse(text).error }).toEqual({
        path,
        body,
        status: 400,
        error: expect.stringMatching(error),
      })
    }
    expect(stage.asks()).toBe(before)
  })

  test('paths and queries', async () => {
    await using stage = await startStage({ config: nothingKept })
    const before = stage.asks()
    for (const [path, wanted, error] of badTargets) {
      const { status, text } = await stage.get(path)
      expect({ path, status, error: JSON.parse(text).error }).toEqual({
        path,
        status: wanted,
        error: expect.stringMatching(error),
      })
    }
    expect(stage.asks()).toBe(before)
  })

  test('page tokens of one scan are refused with the reason', async () => {
    await using stage = await startStage({ config: nothingKept })
    const asks = [
      stage.get('/api/scan/v0/admin/validator/licenses?after=17'),
      stage.get('/api/scan/v1/state/acs', post({ ...at, page_size: 10, after: 17 })),
      stage.get('/api/scan/v0/admin/sv/voteresults', post({ limit: 10, pageToken: 17 })),
    ]
    for (const { status, text } of await Promise.all(asks)) {
      expect(status).toBe(501)
      expect(JSON.parse(text).error).toMatch(/^A page token is the number of a row in one scan/)
    }
  })
})

describe('an answer', () => {
  test('is shared by questions that mean the same', async () => {
    await using stage = await startStage()
    const { body = {} } = stage.localnet.truth.annals().updates[3] ?? {}
    const time = String(body['record_time'])
    const hour = new Date(Date.parse(time) + 3_600_000).toISOString().slice(0, 19)
    const sameTime = `${hour}${time.slice(19, -1)}+01:00`
    const asked = [
      `{"page_size":5,"after":{"after_migration_id":0,"after_record_time":"${time}"}}`,
      `{"after":{"after_record_time":"${sameTime}","after_migration_id":0},"daml_value_encoding":null,"page_size":5,"x":1}`,
    ]
    const heard = []
    for (const body of asked) heard.push(await stage.get('/api/scan/v2/updates', { method: 'POST', body }))
    expect(heard.map(({ headers }) => String(headers['cache-status']).split('; ')[1])).toEqual([
      'fwd=miss',
      'hit',
    ])
    expect(heard[1]?.text).toBe(heard[0]?.text)
  })

  test('is kept as long as its row says: rules for a minute, moving counters not at all', async () => {
    await using stage = await startStage()
    const twice = async (path: string, options?: AskOptions) => {
      await stage.get(path, options)
      return String((await stage.get(path, options)).headers['cache-status'])
    }
    const factory = post({ choiceArguments: { expectedAdmin: 'x' } })
    expect(await twice('/v0/scan-proxy/dso')).toContain('hit; ttl=60')
    expect(await twice('/v0/scan-proxy/open-and-issuing-mining-rounds')).toContain('hit; ttl=10')
    expect(await twice('/registry/transfer-instruction/v1/transfer-factory', factory)).not.toContain('hit')
  })

  test.each(['root-hash', 'activity-totals'])(
    'of a round that no scan can say anything of yet, the %s is undetermined, as Splice answers it',
    async (what) => {
      const path = `/api/scan/v0/internal/reward-accounting-process/rounds/999999/${what}`
      await using stage = await startStage()
      for (let count = 0; count < 2; count++) {
        const heard = await stage.get(path)
        expect([heard.status, JSON.parse(heard.text)]).toEqual([200, { status: 'Undetermined' }])
        expect(heard.headers['x-bft-quorum']).toMatch(/^agreed=0, threshold=/)
        expect(heard.headers['x-bft-agreed'] ?? '').toBe('')
        expect(heard.headers['cache-status']).toBe('bft-scan-proxy; fwd=miss')
      }
    },
  )

  test.each<NodeFaultKind>(['refuse', 'html', 'error'])(
    'of a round that all others can say nothing of yet is undetermined also if one has the fault %s',
    async (kind) => {
      const path = '/api/scan/v0/internal/reward-accounting-process/rounds/999999/root-hash'
      await using stage = await startStage({ config: nothingKept })
      await stage.fault(stage.names.slice(0, 1), kind)
      for (let count = 0; count < 5; count++) {
        const { status, text } = await stage.get(path)
        expect([status, JSON.parse(text)]).toEqual([200, { status: 'Undetermined' }])
      }
      const { value } = await stage.metrics()
      const counted = ['undecided', 'unreachable'].map((outcome) =>
        value('scan_proxy_reads_total', { read: 'getRewardAccountingRootHash', outcome }),
      )
      expect(counted).toEqual([5, 0])
      await stage.fault(stage.names.slice(0, 3), kind)
      expect((await stage.get(path)).headers['x-bft-error']).toBe('notEnoughScans')
    },
  )

  test('that is asked for by its hash is believed even of the only honest super validator', async () => {
    await using stage = await startStage({ config: { 'scanClient.threshold': 3, ...nothingKept } })
    const { round = 0, rootHash = '', batches } = stage.localnet.truth.annals().rewards()[0] ?? {}
    const path = (hash: string) =>
      `/api/scan/v0/internal/reward-accounting-process/rounds/${round}/batches/${hash}`
    const honest = await stage.get(path(rootHash))
    expect(honest).toMatchObject({
      status: 200,
      headers: { 'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=4' },
    })
    await stage.fault(stage.names.slice(1), { kind: 'lie', alone: true })
    for (const hash of batches?.keys() ?? []) {
      const { status, text, headers } = await stage.get(path(hash))
      expect({ status, value: JSON.parse(text) }).toEqual({ status: 200, value: batches?.get(hash) })
      expect(headers['x-bft-agreed']).toBe('"sv-1"')
    }
    await stage.fault(stage.names.slice(1), 'deny')
    expect((await stage.get(path(rootHash))).status).not.toBe(502)
    expect((await stage.get(path('ab'.repeat(32)))).status).toBe(404)
  })

  test.each([1, 4, 7, 13])(
    'on the DSO is agreed by %d super validators, in the name of none of them',
    async (n) => {
      await using stage = await startStage({ superValidators: n, config: nothingKept })
      const { status, text } = await stage.get('/v0/scan-proxy/dso')
      const dso = stage.localnet.world.dsoParty
      expect(status).toBe(200)
      expect(JSON.parse(text)).toMatchObject({ sv_user: '', sv_party_id: dso, dso_party_id: dso })
      expect(JSON.parse(text).sv_node_states).toHaveLength(n)
    },
  )

  test('on rounds leaves out the contracts that the caller has', async () => {
    await using stage = await startStage({ config: nothingKept })
    const { openRounds, issuingRounds } = stage.localnet.truth.annals()
    const [known] = openRounds.map(({ contract }) => contract.contract_id)
    const { text } = await stage.get(
      '/api/scan/v0/open-and-issuing-mining-rounds',
      post({ cached_open_mining_round_contract_ids: [known], cached_issuing_round_contract_ids: [] }),
    )
    const said = JSON.parse(text)
    expect(said.open_mining_rounds[known ?? '']).toEqual({
      contract: null,
      domain_id: openRounds[0]?.domain_id,
    })
    expect(Object.keys(said.open_mining_rounds)).toHaveLength(openRounds.length)
    expect(Object.values(said.issuing_mining_rounds)).toEqual(expect.arrayContaining([...issuingRounds]))
    expect(said.time_to_live_in_microseconds).toBe(600_000_000)
  })

  const rightsOfOne = (stage: Stage) => {
    const rights = stage.localnet.truth.annals().featuredApps
    const provider = String(rights[0]?.payload['provider'])
    const own = rights.filter((right) => right.payload['provider'] === provider)
    expect(own.length).toBeGreaterThan(1)
    const path = `/v0/scan-proxy/featured-apps/${encodeURIComponent(provider)}`
    return { ids: own.map(({ contract_id: id }) => id), path }
  }

  test('with several rights of a provider is one of them, whichever node is asked first', async () => {
    await using stage = await startStage({ superValidators: 7, config: nothingKept })
    const { ids, path } = rightsOfOne(stage)
    for (let draw = 0; draw < 10; draw++) {
      const { status, text } = await stage.get(path)
      expect(status).toBe(200)
      expect(ids).toContain(JSON.parse(text).featured_app_right.contract_id)
    }
  })

  test('of several rights of a provider contradicts nobody who picked another', async () => {
    const config = { ...nothingKept, 'scanClient.fanout': 'all' }
    await using stage = await startStage({ superValidators: 4, config })
    const { path } = rightsOfOne(stage)
    // sv-1 and sv-3 state the first right, and sv-2 and sv-4 the second. The fault leaves the second right one vote.
    await stage.fault(['sv-4'], { kind: 'status', code: 500 })
    const { headers } = await stage.get(path)
    expect(headers['x-bft-agreed']).toBe('"sv-1", "sv-3"')
    const agreed = { sv: 'sv-2', read: 'lookupFeaturedAppRight', vote: 'agree' }
    await eventually(async () => (await stage.metrics()).value('scan_proxy_votes_total', agreed) === 1)
    expect((await stage.report('/evidence')).cases).toEqual([])
  })
})
