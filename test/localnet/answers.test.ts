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
    ['%2E%2E', '..'],
    ['..', '..'],
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

  test.each(['alice', '::1220', 'a!b::1220', 'a::12/20'])(
    'by the party %s are refused before anything is looked up',
    async (party) => {
      const heard = await ask(node, byParty(party))
      expect([heard.status, heard.text]).toEqual([400, thrown(`Invalid unique identifier \`${party}\`.`)])
    },
  )
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

  test.each([
    ['', 400, 'Limit must be at least 1.'],
    ['page_size=ten', 400, 'Limit must be at least 1.'],
    ['page_size=0', 400, 'Limit must be at least 1.'],
    ['page_size=1001', 400, 'Exceeded limit maximum (1001 > 1000).'],
  ])('with the query %j answers %i', async (query, status, text) => {
    const heard = await ask(node, `/api/scan/v0/ans-entries?${query}`)
    expect([heard.status, heard.text]).toEqual([status, thrown(text)])
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
    'of %s come in full, or without the contract to a caller that names it',
    async (path, field, cached, template) => {
      const update = async (known?: string | null) => {
        const body = JSON.stringify({ [cached]: known })
        return (await askJson(node, `/api/scan/v0/${path}`, { method: 'POST', body }))[field]
      }
      const { synchronizer, dsoParty } = localnet.world
      for (const known of [undefined, '00ff', null])
        expect(await update(known)).toMatchObject({
          domain_id: synchronizer,
          contract: {
            template_id: expect.stringMatching(new RegExp(`^[0-9a-f]{64}${template}$`)),
            payload: { dso: dsoParty },
          },
        })
      const { contract_id } = (await update()).contract
      expect(await update(contract_id)).toEqual({ contract: null, domain_id: synchronizer })
    },
  )

  test.each([
    ['', 400],
    ['{', 400],
    ['[]', 400],
    ['null', 400],
    ['{"cached_ans_rules_contract_id":3}', 400],
    [`{"x":"${'x'.repeat(1024 * 1024)}"}`, 413],
    ['{}', 415, 'text/plain'],
  ])('refuse a bad body in plain text', async (body, status, type = 'application/json') => {
    const headers = { 'content-type': type }
    const heard = await ask(node, '/api/scan/v0/ans-rules', { method: 'POST', body, headers })
    expect(heard.status).toBe(status)
    expect(heard.headers['content-type']).toMatch(/^text\/plain/)
  })
})

describe('what a node says of the network and of itself', () => {
  test('names the scans by the party ids of their super validators', async () => {
    const scans = localnet.world.facts.members.map(({ name, url }) => ({ publicUrl: url, svName: name }))
    expect(await askJson(node, '/api/scan/v0/scans')).toEqual({
      scans: [{ domainId: localnet.world.synchronizer, scans }],
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
