import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bootstrap } from '../../src/automation/bootstrap.ts'
import { type EmbeddedLedger, openEmbeddedLedger } from '../../src/ledger/embedded/embedded-ledger.ts'
import { type Faults, type NodeFaultKind, nodeFaultKinds } from '../../src/localnet/faults.ts'
import { type Localnet, startLocalnet } from '../../src/localnet/localnet.ts'
import { isoTime } from '../../src/localnet/world/instant.ts'
import { nameOf, openNetwork } from '../automation/network.ts'
import { archive, commit, createdBy, dayUs, type Pair, register, renewal } from '../ledger/submissions.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type AskOptions, ask, askJson, byName, byParty, failure, list } from './ask.ts'
import { WatchedClock } from './watched-clock.ts'

const second = 1_000
const post: AskOptions = { method: 'POST', body: '{}' }
const ansRules = '/api/scan/v0/ans-rules'
const amuletRules = '/api/scan/v0/amulet-rules'
const dso = '/api/scan/v0/dso'

const clock = new WatchedClock()
let ledger: EmbeddedLedger
let localnet: Localnet
let urls: readonly string[]
let alice: Pair

beforeAll(async () => {
  ledger = await openEmbeddedLedger({}, { clock })
  alice = { dso: await bootstrap(ledger, { acronym: 'cns', now: nowUs() }), user: await partyOf('alice') }
  localnet = await startLocalnet({ superValidators: 4 }, { clock, ledger })
  urls = localnet.superValidators.map(({ url }) => url)
  clock.advance(60 * second)
})
afterEach(async () => {
  for (const { name } of localnet.superValidators) await localnet.setFault(name, undefined)
})
afterAll(async () => {
  await localnet[Symbol.asyncDispose]()
  await ledger[Symbol.asyncDispose]()
})

const nowUs = () => clock.wall() * 1_000
const partyOf = (user: string) => ledger.partyOf(user, user)
const node = (index: number) => urls[index] ?? ''
const everyone = (path: string, options?: AskOptions) =>
  Promise.all(urls.map((url) => askJson(url, path, options)))
const namesIn = ({ entries }: { entries: readonly { name: string }[] }) => entries.map(({ name }) => name)

async function owner(user: string): Promise<Pair> {
  return { dso: alice.dso, user: await partyOf(user) }
}

describe('The nodes of a ledger', () => {
  test('answer a name as soon as it is registered, in every look-up', async () => {
    const bob = await owner('bob')
    const name = nameOf('bob')
    expect(await Promise.all(urls.map(async (url) => (await ask(url, byName(name))).status))).toEqual([
      404, 404, 404, 404,
    ])
    const expiresAt = nowUs() + dayUs + 120
    const contract = await register(ledger, bob, name, { expiresAt, description: 'Bob, "just" Bob' })
    const entry = {
      contract_id: contract.contractId,
      user: bob.user,
      name,
      url: '',
      description: 'Bob, "just" Bob',
      expires_at: isoTime(expiresAt),
    }
    const four = <T>(answer: T) => [answer, answer, answer, answer]
    expect(await everyone(byName(name))).toEqual(four({ entry }))
    expect(await everyone(byParty(bob.user))).toEqual(four({ entry }))
    expect(await everyone(list('bob'))).toEqual(four({ entries: [entry] }))
    expect(Object.keys((await askJson(node(0), byName(name))).entry)).toEqual(Object.keys(entry))
    expect(await localnet.truth.entryByName(name)).toEqual(entry)
  })

  test('list names as their database sorts them, then the DSO, then super validators by party id', async () => {
    const dora = await owner('dora')
    for (const label of ['dorab', 'dora_1', 'dora-z', 'dora1']) await register(ledger, dora, nameOf(label))
    const inOrder = ['dora1', 'dora_1', 'dorab', 'dora-z'].map(nameOf)
    expect(namesIn(await askJson(node(0), list('dora')))).toEqual(inOrder)
    expect(namesIn(await askJson(node(1), list('dora', 2)))).toEqual(inOrder.slice(0, 2))
    expect((await askJson(node(2), byParty(dora.user))).entry.name).toBe(inOrder[0])
    await localnet.setFault('sv-4', { kind: 'reorder' })
    expect(namesIn(await askJson(node(3), list('dora')))).toEqual(inOrder.toSorted())
    await localnet.setFault('sv-4', undefined)

    const all = (await askJson(node(0), list())).entries
    const made = all.slice(-5).map(({ user }: { user: string }) => user)
    expect(made).toEqual([alice.dso, ...localnet.superValidators.map(({ party }) => party).toSorted()])
    expect(namesIn(await askJson(node(3), list('d'))).at(-1)).toBe('dso.cns')
  })

  test('know the DSO and the super validators by their made-up entries', async () => {
    const entry = { contract_id: null, user: alice.dso, name: 'dso.cns', expires_at: null }
    expect(await askJson(node(1), byName('dso.cns'))).toMatchObject({ entry })
    expect(await askJson(node(1), byParty(alice.dso))).toMatchObject({ entry })
    const { party = '' } = localnet.superValidators[2] ?? {}
    expect((await askJson(node(1), byParty(party))).entry.name).toBe('sv-3.sv.cns')
  })

  test('show a renewed name with its new contract and its new end', async () => {
    const name = nameOf('rita')
    const rita = await owner('rita')
    const expiresAt = nowUs() + dayUs
    const { contractId } = await register(ledger, rita, name, { expiresAt })
    const [renewed] = createdBy(await commit(ledger, rita, renewal(contractId, 2 * dayUs)))
    expect(renewed?.contractId).not.toBe(contractId)
    for (const { entry } of await everyone(byName(name))) {
      expect(entry).toMatchObject({
        contract_id: renewed?.contractId,
        expires_at: isoTime(expiresAt + 2 * dayUs),
      })
    }
  })

  test('tell its transactions as soon as they have ingested them, all alike, and no party that was allocated', async () => {
    const last = clock.wall()
    await owner('hugo')
    const { contractId } = await register(ledger, alice, nameOf('hugo'))
    const after = { after_migration_id: 0, after_record_time: isoTime(last * 1_000 - 1) }
    const page: AskOptions = { method: 'POST', body: JSON.stringify({ after, page_size: 10 }) }
    const pages = await everyone('/api/scan/v2/updates', page)
    const [{ transactions }] = pages
    for (const other of pages) expect(other).toEqual(pages[0])
    const [update] = transactions.slice(-1)
    expect(JSON.stringify(update.events_by_id)).toContain(contractId)
    const byId = `/api/scan/v2/updates/${update.update_id}`
    expect(await askJson(node(1), byId)).toEqual(update)
    await localnet.setFault('sv-1', { kind: 'lag', by: 2 * second })
    expect((await ask(node(0), byId)).status).toBe(404)
    expect((await askJson(node(0), '/api/scan/v2/updates', page)).transactions).not.toContainEqual(update)
    clock.advance(3 * second)
    expect(await askJson(node(0), byId)).toEqual(update)
    await localnet.setFault('sv-1', { kind: 'late', by: 0 })
    expect((await ask(node(0), byId)).status).toBe(404)
    await localnet.setFault('sv-1', { kind: 'lie' })
    expect(await askJson(node(0), byId)).not.toEqual(update)
    const party = (await ledger.updates(0, await ledger.end(), 1_000)).find(({ kind }) => kind === 'party')
    expect((await ask(node(1), `/api/scan/v2/updates/${party?.updateId}`)).status).toBe(404)
  })

  test('forget an archived name at once', async () => {
    const name = nameOf('gone')
    const { contractId } = await register(ledger, alice, name)
    expect((await ask(node(0), byName(name))).status).toBe(200)
    await commit(ledger, alice, archive(contractId))
    expect((await ask(node(0), byName(name))).status).toBe(404)
    expect((await askJson(node(0), list('gone'))).entries).toEqual([])
  })

  test('hold a name up to its last microsecond, each by its own clock', async () => {
    const name = nameOf('brief')
    const brief = await owner('brief')
    await register(ledger, brief, name, { expiresAt: nowUs() + 10 * second * 1_000 })
    await localnet.setFault('sv-2', { kind: 'skew', by: 1 })
    await localnet.setFault('sv-3', { kind: 'skew', by: -1 })
    const statuses = (path: string) => Promise.all(urls.map(async (url) => (await ask(url, path)).status))
    clock.advance(10 * second)
    expect(await statuses(byName(name))).toEqual([200, 404, 200, 200])
    expect(await statuses(byParty(brief.user))).toEqual([200, 404, 200, 200])
    expect((await everyone(list('brief'))).map(({ entries }) => entries.length)).toEqual([1, 0, 1, 1])
    clock.advance(1)
    expect(await statuses(byName(name))).toEqual([404, 404, 200, 404])
    clock.advance(1)
    expect(await statuses(byName(name))).toEqual([404, 404, 404, 404])
  })

  test('that lag answer as it was, each by its own lag', async () => {
    await localnet.setFault('sv-2', { kind: 'lag', by: 3 * second })
    await localnet.setFault('sv-3', { kind: 'lag', by: 10 * second })
    const lara = await owner('lara')
    const name = nameOf('lara')
    const seen = async () =>
      (await everyone(byName(name))).map((answer) => answer.entry?.contract_id ?? 'none')
    const { contractId: first } = await register(ledger, lara, name)
    expect(await seen()).toEqual([first, 'none', 'none', first])
    clock.advance(5 * second)
    expect(await seen()).toEqual([first, first, 'none', first])
    const [{ contractId: renewed } = { contractId: '' }] = createdBy(
      await commit(ledger, lara, renewal(first, dayUs)),
    )
    expect(await seen()).toEqual([renewed, first, 'none', renewed])
    clock.advance(5.001 * second)
    expect(await seen()).toEqual([renewed, renewed, first, renewed])
    expect((await everyone(list('lara'))).map(({ entries: [entry] }) => entry.contract_id)).toEqual(
      await seen(),
    )
    expect((await everyone(byParty(lara.user))).map(({ entry }) => entry.contract_id)).toEqual(await seen())
    clock.advance(5 * second)
    expect(await seen()).toEqual([renewed, renewed, renewed, renewed])
  })

  test('take rules, rounds, the DSO and the synchronizer from the ledger', async () => {
    const { synchronizerId } = ledger
    const [ans] = await ledger.contracts({ template: 'Splice.Ans:AnsRules' }, 1)
    const [amulet] = await ledger.contracts({ template: 'Splice.AmuletRules:AmuletRules' }, 1)
    const { ans_rules_update: update } = await askJson(node(0), ansRules, post)
    expect(update).toEqual({
      domain_id: synchronizerId,
      contract: {
        template_id: ans?.templateId,
        contract_id: ans?.contractId,
        created_event_blob: ans?.createdEventBlob,
        created_at: isoTime(ans?.createdAt ?? 0),
        payload: {
          dso: alice.dso,
          config: {
            renewalDuration: { microseconds: '2592000000000' },
            entryLifetime: { microseconds: '7776000000000' },
            entryFee: '1.0',
            descriptionPrefix: 'CNS entry: ',
          },
        },
      },
    })
    const cached = JSON.stringify({ cached_ans_rules_contract_id: ans?.contractId })
    expect(await askJson(node(1), ansRules, { method: 'POST', body: cached })).toEqual({
      ans_rules_update: { contract: null, domain_id: synchronizerId },
    })
    const { contract } = (await askJson(node(0), amuletRules, post)).amulet_rules_update
    expect(contract).toMatchObject({
      contract_id: amulet?.contractId,
      payload: {
        configSchedule: {
          initialValue: {
            transferConfig: { holdingFee: { rate: '0.0000190259' }, createFee: { fee: '0.0' } },
            decentralizedSynchronizer: { activeSynchronizer: synchronizerId },
          },
        },
      },
    })
    expect(await askJson(node(2), '/api/scan/v0/dso-party-id')).toEqual({ dso_party_id: alice.dso })
    expect(await askJson(node(2), dso)).toMatchObject({
      dso_party_id: alice.dso,
      amulet_rules: { contract },
      latest_mining_round: { contract: { payload: { round: { number: '2' }, amuletPrice: '0.005' } } },
      dso_rules: { contract: { payload: { dso: alice.dso } }, domain_id: synchronizerId },
    })
    expect((await askJson(node(2), '/api/scan/v0/scans')).scans[0].domainId).toBe(synchronizerId)
  })

  test('that have not ingested the rules yet fail as Splice does, and have nothing but made-up entries', async () => {
    await localnet.setFault('sv-1', { kind: 'lag', by: 3_600 * second })
    const unexpected = '{\n  "error" : "An unexpected error occurred."\n}'
    for (const [path, options] of [[ansRules, post], [amuletRules, post], [dso]] as const) {
      const heard = await ask(node(0), path, options)
      expect([heard.status, heard.text]).toEqual([500, unexpected])
    }
    expect(namesIn(await askJson(node(0), list()))).toHaveLength(5)
  })
})

type Sign =
  | 'no answer'
  | 'no whole answer'
  | 'late'
  | 'same value'
  | 'other text'
  /** The status of the faulty node's answer. */
  | number

interface Case {
  readonly fault?: object
  readonly sign: Sign
  readonly path?: 'list' | 'history' | 'range' | 'snapshot' | 'rules' | 'version' | 'updates'
  /** The milliseconds between the registration and the request. */
  readonly after?: number
}

/** The faulty node is asked for a name that was just registered and expires in half a minute. */
const cases: Readonly<Record<NodeFaultKind, Case>> = {
  hang: { sign: 'no answer' },
  refuse: { sign: 'no whole answer' },
  reset: { sign: 'no whole answer' },
  delay: { sign: 'late' },
  drip: { fault: { bytes: 300 }, sign: 'late' },
  truncate: { sign: 'no whole answer' },
  huge: { fault: { bytes: 100_000 }, sign: 'same value' },
  'gzip-bomb': { fault: { bytes: 20_000 }, sign: 'other text' },
  unauthorized: { sign: 401 },
  forbidden: { sign: 403 },
  'rate-limit': { sign: 429 },
  redirect: { sign: 302 },
  error: { sign: 500 },
  unavailable: { sign: 503 },
  'bad-gateway': { sign: 502 },
  status: { fault: { code: 418 }, sign: 418 },
  'old-release': { sign: 404 },
  'unknown-path': { sign: 404 },
  'odd-version': { sign: 'other text', path: 'version' },
  html: { sign: 'other text' },
  garble: { sign: 'other text' },
  misshapen: { sign: 'other text' },
  'duplicate-keys': { sign: 'other text' },
  'lone-surrogate': { sign: 'other text' },
  deep: { sign: 'other text' },
  'round-number': { sign: 'other text' },
  'new-field': { sign: 'other text' },
  'new-kinds': { sign: 'other text', path: 'updates' },
  reorder: { sign: 'same value' },
  'own-ids': { sign: 'other text', path: 'snapshot', after: 3 * 3_600 * second + 90 * second },
  retell: { sign: 'other text', path: 'rules' },
  lag: { sign: 404 },
  skew: { sign: 404 },
  late: { sign: 'other text', path: 'history' },
  pruned: { fault: { keeps: 0 }, sign: 'other text', path: 'range' },
  deny: { sign: 404 },
  uninitialised: { sign: 404 },
  'other-entry': { sign: 'other text' },
  'ignore-query': { sign: 'other text', path: 'list' },
  'repeat-item': { sign: 'other text', path: 'list' },
  lie: { sign: 'other text' },
  equivocate: { sign: 'other text' },
  snapshot: { sign: 'other text', path: 'snapshot', after: 3 * 3_600 * second + 90 * second },
}

describe('A node of a ledger', () => {
  test.each(nodeFaultKinds)('with the fault %s shows it, and is as the others once healed', async (kind) => {
    const name = nameOf(`smoke-${kind}`)
    await register(ledger, alice, name, { expiresAt: nowUs() + 30 * second * 1_000 })
    const { fault, sign, path: read, after = 0 } = cases[kind]
    clock.advance(after)
    const range = '/api/scan/v0/backfilling/migration-info'
    const paths = {
      list: list(name, 1),
      history: '/api/scan/v0/backfilling/status',
      rules: '/api/scan/v0/amulet-rules',
      version: '/api/scan/version',
      range,
      snapshot: '/api/scan/v2/state/acs',
      updates: '/api/scan/v2/updates',
    }
    const bodies = new Map<string, object>([
      ['rules', {}],
      ['range', { migration_id: 0 }],
      ['updates', { page_size: 10 }],
      [
        'snapshot',
        {
          migration_id: 0,
          record_time: isoTime(nowUs()),
          record_time_match: 'at_or_before',
          page_size: 1,
          templates: ['splice-amulet-name-service:Splice.Ans:AnsEntry'],
        },
      ],
    ])
    const sent = bodies.get(read ?? '')
    const options = sent === undefined ? {} : { method: 'POST', body: JSON.stringify(sent) }
    const path = read === undefined ? byName(name) : paths[read]
    // The page tokens of a snapshot differ from node to node. So sv-1's answer about a snapshot is compared with an
    // earlier answer of sv-1.
    const honest = await ask(node(read === 'snapshot' ? 0 : 3), path, options)
    expect(honest.status).toBe(200)
    await localnet.setFault('sv-1', { kind, ...fault } as Faults)
    await expectSign(sign, path, { text: honest.text, options })
    await localnet.setFault('sv-1', undefined)
    expect(await ask(node(0), path, options)).toMatchObject({ status: 200, text: honest.text })
  })

  test.each(['lie', 'equivocate'] as const)('that tells a %s tells it of contracts, too', async (kind) => {
    await localnet.setFault('sv-1', { kind })
    for (const [path, options] of [[ansRules, post], [amuletRules, post], [dso]] as const) {
      const [lied, honest] = await Promise.all([ask(node(0), path, options), ask(node(3), path, options)])
      expect(lied.status).toBe(200)
      expect(lied.text).not.toBe(honest.text)
      expect(Object.keys(JSON.parse(lied.text))).toEqual(Object.keys(JSON.parse(honest.text)))
    }
  })

  test('that lies never lets the true synchronizer through in the amulet rules', async () => {
    await localnet.setFault('sv-1', { kind: 'lie' })
    expect((await ask(node(0), amuletRules, post)).text).not.toContain(ledger.synchronizerId)
  })
})

async function expectSign(
  sign: Sign,
  path: string,
  { text: honest, options }: { readonly text: string; readonly options: AskOptions },
): Promise<void> {
  switch (sign) {
    case 'no answer': {
      const leave = new AbortController()
      const arrived = localnet.nextRequest('sv-1')
      const left = localnet.nextHangUp('sv-1')
      const answer = failure(ask(node(0), path, { signal: leave.signal }))
      await arrived
      leave.abort()
      expect(await answer).toBe('ABORT_ERR')
      await left
      return
    }
    case 'no whole answer': {
      const heard = await ask(node(0), path).catch((error: Error) => error)
      if (!(heard instanceof Error)) expect(heard.whole).toBe(false)
      return
    }
    case 'late': {
      const waits = clock.nextTimer()
      const answer = ask(node(0), path)
      await waits
      clock.advance(second)
      expect((await answer).text).toBe(honest)
      return
    }
    case 'same value': {
      const heard = await ask(node(0), path)
      expect(heard.text).not.toBe(honest)
      expect(JSON.parse(heard.text)).toEqual(JSON.parse(honest))
      return
    }
    case 'other text': {
      const heard = await ask(node(0), path, options)
      expect(heard.status).toBe(200)
      expect(heard.text).not.toBe(honest)
      return
    }
    default:
      expect((await ask(node(0), path)).status).toBe(sign)
  }
}

test('a name that is bought, kept and let go is answered all the way', async () => {
  await using network = await openNetwork()
  const { clock, ledger } = network
  await using nodes = await startLocalnet({ superValidators: 2 }, { clock, ledger })
  const [{ url } = { url: '' }] = nodes.superValidators
  const user = await network.user('walt')
  const { contractId, expiresAt } = await network.register(user, 'walt')
  const { entry } = await askJson(url, byParty(user.party))
  expect(entry).toMatchObject({
    contract_id: contractId,
    name: nameOf('walt'),
    expires_at: isoTime(expiresAt),
  })

  const round = async () => (await askJson(url, dso)).latest_mining_round.contract.payload.round.number
  expect(await round()).toBe('2')
  await network.pass('30m')
  expect(await round()).toBe('3')

  clock.advance(expiresAt / 1_000 - clock.wall() + 1)
  expect((await ask(url, byParty(user.party))).status).toBe(404)
})

test('a ledger without rules for names carries no localnet, and leaves no port open', async () => {
  const clock = new ManualClock()
  await using empty = await openEmbeddedLedger({}, { clock })
  const free = await startLocalnet({ superValidators: 1 })
  const [{ url } = { url: '' }] = free.superValidators
  await free[Symbol.asyncDispose]()
  const options = { superValidators: 1, port: Number(new URL(url).port) }
  const starting = startLocalnet(options, { clock, ledger: empty })
  await expect(starting).rejects.toThrow('the ledger has no rules for names')
  expect(await failure(ask(url, byName('x')))).toBe('ECONNREFUSED')
})

test('where the ledger has ended, nodes fail as Splice does instead of keeping callers waiting', async () => {
  const clock = new ManualClock()
  const ending = await openEmbeddedLedger({}, { clock })
  await bootstrap(ending, { acronym: 'cns', now: clock.wall() * 1_000 })
  await using nodes = await startLocalnet({ superValidators: 1 }, { clock, ledger: ending })
  const [{ url } = { url: '' }] = nodes.superValidators
  await ending[Symbol.asyncDispose]()
  for (const [path, options] of [[byName('x')], [list()], [ansRules, post], [dso]] as const) {
    expect((await ask(url, path, options)).status).toBe(500)
  }
  expect((await ask(url, byName('dso.cns'))).status).toBe(200)
})
