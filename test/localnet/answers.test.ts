import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { ask, askJson, byName, byParty, list } from './ask.ts'

let localnet: WorldLocalnet
let node: string

beforeAll(async () => {
  localnet = await startLocalnet({ superValidators: 4 })
  node = localnet.superValidators[0]?.url ?? ''
})
afterAll(() => localnet[Symbol.asyncDispose]())

const thrown = (text: string) => `{\n  "error" : ${JSON.stringify(text)}\n}`
const declared = (text: string) => `{"error":${JSON.stringify(text)}}`

describe('healthy nodes', () => {
  const paths = ['/api/scan/v0/scans', '/api/scan/v0/dso-party-id', '/api/scan/version', list(), list('a', 2)]

  test.each([...paths, byName('alice.unverified.cns'), byName('nobody')])('print alike: %s', async (path) => {
    const heard = await Promise.all(localnet.superValidators.map(({ url }) => ask(url, path)))
    expect(new Set(heard.map(({ text }) => text)).size).toBe(1)
    expect(heard.every(({ whole }) => whole)).toBe(true)
  })

  test('differ on the DSO only in who answers', async () => {
    const [first, second] = await Promise.all(
      localnet.superValidators.map(({ url }) => askJson(url, '/api/scan/v0/dso')),
    )
    const [sv1, sv2] = localnet.world.members
    expect(first.sv_party_id).toBe(sv1?.party)
    expect(second.sv_party_id).toBe(sv2?.party)
    expect({ ...first, sv_user: '', sv_party_id: '' }).toEqual({ ...second, sv_user: '', sv_party_id: '' })
    expect(first).toMatchObject({ dso_party_id: localnet.world.dsoParty, voting_threshold: 3 })
    expect(first.sv_node_states).toHaveLength(4)
  })
})

describe('look-ups', () => {
  test('by name answer the entry with every key, nulls included', async () => {
    const heard = await ask(node, byName('dso.cns'))
    const entry = { contract_id: null, user: localnet.world.dsoParty, name: 'dso.cns' }
    expect(heard.status).toBe(200)
    expect(heard.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(heard.text).toBe(
      JSON.stringify({ entry: { ...entry, url: '', description: '', expires_at: null } }),
    )
  })

  test('by name of a user entry answer its contract and its end', async () => {
    const { entry } = await askJson(node, byName('lotus.unverified.cns'))
    expect(entry).toEqual(localnet.truth.entryByName('lotus.unverified.cns'))
    expect(entry).toMatchObject({
      contract_id: expect.stringMatching(/^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/),
      user: expect.stringMatching(/^lotus-market::1220[0-9a-f]{64}$/),
      description: '蓮の市場 🪷',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    })
  })

  test.each([
    ['nobody.unverified.cns', 'nobody.unverified.cns'],
    ['%2E%2E', '..'],
    ['..', '..'],
    ['.', '.'],
    ['a%2Fb', 'a/b'],
    ['%E8%93%AE%22', '蓮"'],
    ['{}', '{}'],
    ['a+b', 'a+b'],
    ['%00', '\0'],
  ])('by name take %s as it stands', async (segment, name) => {
    const heard = await ask(node, `/api/scan/v0/ans-entries/by-name/${segment}`)
    expect(heard.status).toBe(404)
    expect(heard.text).toBe(declared(`No ans entry found for name: ${name}`))
  })

  test('by name of 10,000 characters are a clean 400', async () => {
    const heard = await ask(node, byName('蓮'.repeat(10_000)))
    expect(heard.status).toBe(400)
    expect(JSON.parse(heard.text).error).toContain('2066')
  })

  test.each(['%', '%zz', '%ff', 'a%C3'])(
    'with the malformed escape %s are refused in plain text',
    async (bad) => {
      const heard = await ask(node, `/api/scan/v0/ans-entries/by-name/${bad}`)
      expect(heard.status).toBe(400)
      expect(heard.headers['content-type']).toMatch(/^text\/plain/)
    },
  )

  test('by party answer the first entry by name', async () => {
    const owner = localnet.truth.entryByName('delta1.unverified.cns')?.user ?? ''
    const { entry } = await askJson(node, byParty(owner))
    expect(entry.name).toBe('delta-1.unverified.cns')
    expect((await askJson(node, byParty(localnet.world.dsoParty))).entry.name).toBe('dso.cns')
  })

  test('by party that owns nothing say so', async () => {
    const party = `nobody::1220${'0'.repeat(64)}`
    const heard = await ask(node, byParty(party))
    expect([heard.status, heard.text]).toEqual([404, declared(`No ans entry found for party: ${party}`)])
  })

  test.each([
    ['alice', 'Invalid unique identifier `alice` with missing namespace.'],
    ['::1220', 'Invalid unique identifier `::1220` with empty identifier.'],
    ['a!b::1220', expect.stringMatching(/^Identifier decoding of `a!b::1220` failed with: /)],
    ['a::12/20', expect.stringMatching(/^Fingerprint decoding of `a::12\/20` failed with: /)],
  ])('by the party %s are refused before anything is looked up', async (party, error) => {
    const heard = await ask(node, byParty(party))
    expect(heard.status).toBe(400)
    expect(JSON.parse(heard.text)).toEqual({ error })
    expect(heard.text).toMatch(/^\{\n {2}"error" : /)
  })
})

describe('the list of names', () => {
  test('answers what begins with the prefix, synthetic entries last', async () => {
    const { entries } = await askJson(node, list('s'))
    expect(entries).toEqual(localnet.truth.entries('s', 1000))
    expect(entries.map((entry: { name: string }) => entry.name)).toEqual([
      'sable.unverified.cns',
      ...[1, 2, 3, 4].map((index) => `sv-${index}.sv.cns`),
    ])
  })

  test('takes the first of a repeated parameter, and no prefix for all', async () => {
    const path = '/api/scan/v0/ans-entries?page_size=1&page_size=2'
    expect((await askJson(node, path)).entries).toHaveLength(1)
    const all = await askJson(node, '/api/scan/v0/ans-entries?page_size=1000')
    expect(all.entries).toEqual(localnet.truth.entries('', 1000))
  })

  const malformed = (text: string) =>
    `The query parameter 'page_size' was malformed:\n'${text}' is not a valid 32-bit signed integer value`

  test.each([
    ['', 404, "Request is missing required query parameter 'page_size'"],
    ['page_size=ten', 400, malformed('ten')],
    ['page_size=', 400, malformed('')],
    ['page_size=2147483648', 400, malformed('2147483648')],
    ['page_size=1001', 400, thrown('Exceeded limit maximum (1001 > 1000).')],
    ['page_size=0', 400, thrown('Limit must be at least 1.')],
    ['page_size=-3', 400, thrown('Limit must be at least 1.')],
  ])('with the query %j answers %i', async (query, status, text) => {
    const heard = await ask(node, `/api/scan/v0/ans-entries?${query}`)
    expect([heard.status, heard.text]).toEqual([status, text])
  })

  test('refuses a prefix longer than its database takes', async () => {
    expect((await ask(node, list('a'.repeat(2067)))).status).toBe(400)
    expect((await ask(node, list('a'.repeat(2066)))).status).toBe(200)
  })
})

describe('the rules', () => {
  const rules = [
    ['ans-rules', 'ans_rules_update', 'cached_ans_rules_contract_id', ':Splice.Ans:AnsRules'],
    [
      'amulet-rules',
      'amulet_rules_update',
      'cached_amulet_rules_contract_id',
      ':Splice.AmuletRules:AmuletRules',
    ],
  ] as const

  test.each(rules)(
    'of %s come in full to a caller that has none cached',
    async (path, field, cached, template) => {
      for (const body of ['{}', JSON.stringify({ [cached]: '00ff' }), JSON.stringify({ [cached]: null })]) {
        const answer = await askJson(node, `/api/scan/v0/${path}`, { method: 'POST', body })
        expect(answer[field].domain_id).toBe(localnet.world.synchronizer)
        expect(answer[field].contract.template_id).toMatch(new RegExp(`^[0-9a-f]{64}${template}$`))
        expect(answer[field].contract.payload.dso).toBe(localnet.world.dsoParty)
      }
    },
  )

  test.each(rules)(
    'of %s come without the contract to a caller that names it',
    async (path, field, cached) => {
      const { contract } = field === 'ans_rules_update' ? localnet.world.ansRules : localnet.world.amuletRules
      const body = JSON.stringify({ [cached]: contract.contract_id })
      const heard = await ask(node, `/api/scan/v0/${path}`, { method: 'POST', body })
      const update = { contract: null, domain_id: localnet.world.synchronizer }
      expect(heard.text).toBe(JSON.stringify({ [field]: update }))
    },
  )

  test('of the amulet name the active synchronizer', async () => {
    const answer = await askJson(node, '/api/scan/v0/amulet-rules', { method: 'POST', body: '{}' })
    expect(answer.amulet_rules_update.contract.payload).toMatchObject({
      configSchedule: {
        initialValue: {
          decentralizedSynchronizer: {
            requiredSynchronizers: { map: [[localnet.world.synchronizer, {}]] },
            activeSynchronizer: localnet.world.synchronizer,
          },
        },
        futureValues: [],
      },
      isDevNet: true,
    })
  })

  test.each([
    ['', 400],
    ['{', 400],
    ['[]', 400],
    ['null', 400],
    ['{"cached_ans_rules_contract_id":3}', 400],
    [`{"x":"${'x'.repeat(1024 * 1024)}"}`, 413],
  ])('refuse a bad body in plain text', async (body, status) => {
    const heard = await ask(node, '/api/scan/v0/ans-rules', { method: 'POST', body })
    expect(heard.status).toBe(status)
    expect(heard.headers['content-type']).toMatch(/^text\/plain/)
  })

  test('refuse a body that does not say it is JSON', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await ask(node, '/api/scan/v0/ans-rules', { method: 'POST', body: '{}', headers })).status).toBe(
      415,
    )
  })
})

describe('what a node says of the network and of itself', () => {
  test('names the scans by the party ids of their super validators', async () => {
    const scans = localnet.world.facts.members.map(({ name, url }) => ({ publicUrl: url, svName: name }))
    expect(await askJson(node, '/api/scan/v0/scans')).toEqual({
      scans: [{ domainId: localnet.world.synchronizer, scans }],
    })
  })

  test('names the instance', async () => {
    expect(await askJson(node, '/api/scan/v0/splice-instance-names')).toMatchObject({
      name_service_name_acronym: 'CNS',
    })
  })

  test('is alive and ready without a body', async () => {
    for (const path of ['/api/scan/livez', '/api/scan/readyz']) {
      const heard = await ask(node, path)
      expect([heard.status, heard.text]).toEqual([200, ''])
    }
    expect(await askJson(node, '/api/scan/status')).toMatchObject({
      success: { id: 'sv-1', ports: {}, extra: null, active: true },
    })
  })

  test.each([
    '/',
    '/api/scan',
    '/api/scan/v0/ans-entries/',
    '/api/scan/v0/ans-entries/by-name/',
    '/api/scan//v0/dso',
  ])('has no %s', async (path) => {
    const heard = await ask(node, path)
    expect(heard.status).toBe(404)
    expect(heard.text).toContain('The requested resource could not be found')
  })

  test('matches paths by their decoded segments, and normalises none', async () => {
    expect((await ask(node, '/api/scan/v0/%64so-party-id')).status).toBe(200)
    expect((await ask(node, '/api/scan/v0/x/../dso-party-id')).status).toBe(404)
    expect((await ask(node, '/api%2Fscan/v0/dso-party-id')).status).toBe(404)
  })

  test('says which method a path takes', async () => {
    const heard = await ask(node, '/api/scan/v0/ans-rules')
    expect([heard.status, heard.headers['allow']]).toEqual([405, 'POST'])
    expect((await ask(node, '/api/scan/v0/scans', { method: 'DELETE' })).status).toBe(405)
  })
})
