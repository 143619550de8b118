import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bootstrap } from '../../src/localnet/automation/name-service.ts'
import { type Localnet, startLocalnet } from '../../src/localnet/localnet.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { nameOf } from '../automation/network.ts'
import { commit, createdBy, dayUs, type Pair, register, renewal } from '../ledger/submissions.ts'
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
  ledger = new EmbeddedLedger({}, { clock })
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
      expires_at: timeOf(expiresAt),
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

  test('tell its transactions as soon as they have ingested them, all alike, and no party that was allocated', async () => {
    const last = clock.wall()
    await owner('hugo')
    const { contractId } = await register(ledger, alice, nameOf('hugo'))
    const after = { after_migration_id: 0, after_record_time: timeOf(last * 1_000 - 1) }
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
        created_at: timeOf(ans?.createdAt ?? 0),
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
            transferConfig: {
              holdingFee: { rate: '0.0000190259' },
              transferFee: { steps: [{ _1: '100.0', _2: '0.0' }, {}, {}] },
              maxNumInputs: '100',
              tokenStandardMaxTTL: null,
            },
            issuanceCurve: { initialValue: { optValidatorFaucetCap: '2.85' } },
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

describe('A node of a ledger', () => {
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

test('a ledger without rules for names carries no localnet, and leaves no port open', async () => {
  const clock = new ManualClock()
  await using empty = new EmbeddedLedger({}, { clock })
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
  const ending = new EmbeddedLedger({}, { clock })
  await bootstrap(ending, { acronym: 'cns', now: clock.wall() * 1_000 })
  await using nodes = await startLocalnet({ superValidators: 1 }, { clock, ledger: ending })
  const [{ url } = { url: '' }] = nodes.superValidators
  await ending[Symbol.asyncDispose]()
  for (const [path, options] of [[byName('x')], [list()], [ansRules, post], [dso]] as const) {
    expect((await ask(url, path, options)).status).toBe(500)
  }
  expect((await ask(url, byName('dso.cns'))).status).toBe(200)
})
