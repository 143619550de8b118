import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { SvObservation } from '../../src/observations/observation.ts'
import { Peer } from '../../src/observations/peer.ts'
import { PeerComparison } from '../../src/observations/peer-comparison.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { Budget } from '../../src/scan/in-flight-budget.ts'
import { createUndiciScanNode } from '../../src/scan/node.undici.ts'
import { byName } from '../daemon/questions.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { neighbours, type Owner, observations } from './neighbours.ts'
import { signedDocument } from './signed-document.ts'
import { isSigned, readNote } from './verified.ts'

const epochMs = 600_000
const key = newSigningKey()
const own = newSigningKey()
const signal = new AbortController().signal
const said = (sv: string, subject = 'contract x', digest = 'd'): SvObservation => ({
  sv,
  subject,
  digest: digest.padEnd(43, 'A'),
})

type Answer = (path: string, response: ServerResponse) => void

let opened = new AsyncDisposableStack()
afterEach(async () => {
  await opened.disposeAsync()
  opened = new AsyncDisposableStack()
})

async function compareWith(answer: Answer) {
  const server: Server = createServer((request, response) => answer(request.url ?? '', response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clock = new ManualClock()
  const budget = new Budget({ slots: 1, bytes: 1_000_000 })
  const node = createUndiciScanNode({ url, budget, allowHttp: true, allowPrivate: true }, { clock })
  const peer = new Peer({ name: 'liar', keyids: [key.keyid] }, { clock, node })
  opened.defer(() => void server.close())
  opened.defer(() => server.closeAllConnections())
  opened.use(peer)
  const filed: string[] = []
  const outcomes: (string | undefined)[] = []
  const comparison = new PeerComparison({
    clock,
    signing: () => own,
    peers: [peer],
    events: {
      published: () => {},
      fetched: (_peer, outcome) => outcomes.push(outcome),
      filed: (_peer, sv) => filed.push(sv),
      equivocated: (name) => filed.push(name),
    },
  })
  return { clock, comparison, filed, outcomes, budget }
}

const sending =
  (body: string | Buffer, status = 200): Answer =>
  (_, response) =>
    response.writeHead(status).end(body)
const documentsOf =
  (list: (epoch: number) => readonly SvObservation[]): Answer =>
  (path, response) => {
    const epoch = Number(path.split('/').at(-1))
    response.end(signedDocument({ epoch, key, observations: list(epoch) }))
  }

describe('a peer', () => {
  test.each<[string, string, Answer]>([
    ['missing', 'does not have the epoch', sending('{"error":"no"}', 404)],
    ['unreachable', 'fails inside', sending('', 500)],
    ['unreachable', 'sends us elsewhere', (_, response) => response.writeHead(302, { location: '/' }).end()],
    ['unreachable', 'resets the connection', (_, response) => response.destroy()],
    ['unreachable', 'sends more than a note can have', sending(Buffer.alloc(2_000_000, 32))],
    [
      'unreachable',
      'sends little that becomes much',
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(200_000_000, 32))),
    ],
    ['refused', 'sends a page', sending('<html></html>')],
    ['refused', 'sends bytes that are no text', sending(Buffer.of(0xff, 0xfe, 0x80))],
    [
      'refused',
      'sends half a document',
      sending(signedDocument({ epoch: 1, key, observations: [] }).slice(0, 99)),
    ],
    [
      'refused',
      'sends a document of another epoch',
      sending(signedDocument({ epoch: 1, key, observations: [] })),
    ],
    [
      'refused',
      'sends a document of a key that nobody configured',
      (path, response) =>
        response.end(
          signedDocument({ epoch: Number(path.split('/').at(-1)), key: newSigningKey(), observations: [] }),
        ),
    ],
  ])(
    'that is %s, because it %s, gives nothing, files nothing, and holds no memory',
    async (outcome, _, answer) => {
      const { comparison, outcomes, filed, budget } = await compareWith(answer)
      comparison.observe(said('sv-1'))
      await comparison.fetch(0, 2_000_000, signal)
      expect(outcomes).toEqual([outcome])
      expect([filed, comparison.cases(), budget.reservedBytes]).toEqual([[], [], 0])
      expect(comparison.status().peers[0]).toMatchObject({ lastVerified: null, cases: 0 })
    },
  )

  test('that never answers is given up after ten seconds', async () => {
    const { clock, comparison, outcomes } = await compareWith(() => {})
    const fetched = comparison.fetch(0, 2_000_000, signal)
    await eventually(() => clock.waiting > 0)
    clock.advance(10_000)
    await fetched
    expect(outcomes).toEqual(['unreachable'])
  })

  test('whose note was verified once is not asked for that epoch again', async () => {
    let asked = 0
    const { comparison, outcomes } = await compareWith((path, response) => {
      asked++
      documentsOf(() => [said('sv-1')])(path, response)
    })
    for (let times = 0; times < 3; times++) await comparison.fetch(0, 2_000_000, signal)
    expect([asked, outcomes]).toEqual([1, ['verified']])
  })
})

describe('a peer that signs statements that nobody made', () => {
  test('gets at most 16 cases filed in an epoch, and 32 kept, and none about what we never observed', async () => {
    const subjects = Array.from({ length: 250 }, (_, at) => `contract ${at}`)
    const { clock, comparison, filed } = await compareWith(
      documentsOf((epoch) => [
        ...subjects.flatMap((subject) => [
          said('sv-1', subject, `lie${epoch}`),
          said('sv-2', subject, 'lie'),
        ]),
        ...subjects.map((subject) => said(`unknown-${subject}`, subject)),
        said('sv-1', 'contract of nobody', 'lie'),
      ]),
    )
    const perEpoch: number[] = []
    for (let epochs = 0; epochs < 6; epochs++) {
      for (const subject of subjects) for (const sv of ['sv-1', 'sv-2']) comparison.observe(said(sv, subject))
      const before = filed.length
      clock.advance(epochMs)
      comparison.document(0)
      await comparison.fetch(0, comparison.book.epoch - 1, signal)
      perEpoch.push(filed.length - before)
    }
    expect(perEpoch.every((count) => count <= 16)).toBe(true)
    expect(filed.length).toBeGreaterThan(32)
    expect(new Set(filed)).toEqual(new Set(['sv-1', 'sv-2']))
    expect(comparison.cases()).toHaveLength(32)
    const told = comparison.cases().map(({ question = {} }) => question['subject'])
    expect(told.every((subject) => subjects.includes(subject ?? ''))).toBe(true)
  })

  test('cannot add a signature to our notes but its own, and not to other texts', async () => {
    const garbage = fc.sample(fc.string({ unit: 'grapheme' }), { numRuns: 60, seed: 1 })
    const holder: { cosigned: readonly string[] } = { cosigned: garbage.map((text) => text.toWellFormed()) }
    const { clock, comparison, outcomes } = await compareWith((path, response) => {
      const epoch = Number(path.split('/').at(-1))
      response.end(signedDocument({ epoch, key, observations: [], cosigned: holder.cosigned }))
    })
    const first = comparison.book.epoch
    comparison.observe(said('sv-1'))
    clock.advance(epochMs)
    const before = comparison.document(first) ?? ''
    await comparison.fetch(0, first, signal)
    const { note } = JSON.parse(before)
    const twisted = fc.sample(fc.nat(note.length - 1), { numRuns: 60, seed: 2 }).map((at) => {
      return `${note.slice(0, at)}x${note.slice(at + 1)}`
    })
    holder.cosigned = [note, ...twisted]
    clock.advance(epochMs)
    await comparison.fetch(0, first + 1, signal)
    expect(outcomes).toEqual(['verified', 'verified'])
    expect(comparison.document(first)).toBe(before)
  })
})

/**
 * With these options, the daemon asks no scan of its own accord for an hour. So every ask is for a caller or for a
 * peer.
 */
const calm = { 'scanClient.probeInterval': '1h', 'scanClient.refreshInterval': '1h' }

test('a daemon with lying peers answers as before, asks no scan more, and is ready; only its metrics show the liars', async () => {
  await using there = await neighbours('acme', 'false', 'huge', 'slow', 'elsewhere', 'noise')
  const [acme, untrue, huge, slow, elsewhere, noise] = there.owners as [
    Owner,
    Owner,
    Owner,
    Owner,
    Owner,
    Owner,
  ]
  untrue.door.answer = async (path) => {
    const epoch = Number(path.split('/').at(-1))
    const lies = Array.from({ length: 1_000 }, (_, at) => said(`sv-${at}`, `contract ${at}`, 'lie'))
    return { status: 200, body: signedDocument({ epoch, key: untrue.key, observations: lies }) }
  }
  huge.door.answer = async () => ({ status: 200, body: Buffer.alloc(4_000_000, 32) })
  slow.door.answer = () => new Promise(() => {})
  elsewhere.door.answer = untrue.door.answer
  noise.door.answer = async () => ({ status: 200, body: Buffer.of(0xff, 1, 2, 3) })
  await using running = await there.start(acme, calm)
  const inFlight = async () => (await running.metrics()).value('scan_proxy_in_flight_asks')
  const asks = () =>
    there.localnet.superValidators.reduce((sum, { name }) => sum + there.localnet.asks(name), 0)
  await eventually(async () => observations(await running.report('/status')) >= 4)
  await eventually(async () => (await inFlight()) === 0)
  const before = asks()
  there.clock.advance(epochMs - (there.clock.wall() % epochMs))
  there.clock.advance(31_000)
  await eventually(() => slow.door.asked.length > 0)
  for (const [peer, outcome] of [
    ['false', 'verified'],
    ['huge', 'unreachable'],
    ['elsewhere', 'refused'],
    ['noise', 'refused'],
  ] as const)
    await eventually(
      async () =>
        (await running.metrics()).value('scan_proxy_split_view_fetches_total', { peer, outcome }) === 3,
    )
  expect(asks()).toBe(before)
  expect((await running.get(byName('alice.unverified.cns'))).status).toBe(200)
  expect((await running.operations('/readyz?quorum')).status).toBe(200)
  expect(JSON.parse((await running.operations('/evidence')).text).cases).toEqual([])
  const { roster } = await running.report('/status')
  expect(roster.superValidators.map(({ reachable }: { reachable: boolean }) => reachable)).toEqual(
    Array(4).fill(true),
  )
  for (const { door } of [untrue, huge, elsewhere, noise]) expect(door.asked).toHaveLength(3)
})

test('without peers nothing is published, nothing is fetched, and nothing is compared', async () => {
  await using there = await neighbours('acme', 'bravo')
  const [acme, bravo] = there.owners as [Owner, Owner]
  await using running = await there.start(acme, { 'receipts.peers': {} })
  there.clock.advance(2 * epochMs)
  await eventually(async () => (await running.metrics()).value('scan_proxy_in_flight_asks') === 0)
  expect(bravo.door.asked).toEqual([])
  const { status, text } = await running.get(`/observations/${Math.floor(there.clock.wall() / epochMs) - 1}`)
  expect(status).toBe(404)
  expect(text).not.toContain('This daemon has no observations')
  expect((await running.report('/status')).splitView).toBeNull()
})

test.each(['x', '-1', '01', '1.5', '9'.repeat(30), '%00', '2945376', '0'])(
  'an epoch that is no number, not over, or not kept is a 404 in the form of all errors: %s',
  async (epoch) => {
    await using there = await neighbours('acme', 'bravo')
    await using running = await there.start(there.owners[0] as Owner)
    const { status, text } = await running.get(`/observations/${epoch}`)
    expect([400, 404]).toContain(status)
    expect(Object.keys(JSON.parse(text))).toEqual(['error'])
  },
)

test('a peer that shows a note with a wrong signature accuses no other peer', async () => {
  await using there = await neighbours('acme', 'bravo', 'accuser')
  const [acme, bravo, accuser] = there.owners as [Owner, Owner, Owner]
  await using one = await there.start(acme, calm)
  await using other = await there.start(bravo, calm)
  accuser.door.answer = async (path) => {
    const epoch = Number(path.split('/').at(-1))
    const claims = [epoch - 1, epoch].map((claimed) => {
      const forged = { epoch: claimed, key: bravo.key, signer: accuser.key, observations: [said('sv-9')] }
      return JSON.parse(signedDocument(forged)).note
    })
    return {
      status: 200,
      body: signedDocument({ epoch, key: accuser.key, observations: [], cosigned: claims }),
    }
  }
  for (let epochs = 0; epochs < 3; epochs++) await there.endEpoch(one, other)
  const { splitView } = await one.report('/status')
  expect(splitView.peers).toMatchObject([
    { name: 'bravo', cases: 0, lastFetch: { outcome: 'verified' } },
    { name: 'accuser', cases: 0, lastFetch: { outcome: 'verified' } },
  ])
})

test('a peer that shows two daemons two notes of one epoch is found by both, with both notes signed by it', async () => {
  await using there = await neighbours('acme', 'bravo', 'double')
  const [acme, bravo, double] = there.owners as [Owner, Owner, Owner]
  await using one = await there.start(acme, calm)
  await using other = await there.start(bravo, calm)
  // In each epoch, this peer gives its second reader a different note than its first reader.
  const shown = new Map<number, number>()
  double.door.answer = async (path) => {
    const epoch = Number(path.split('/').at(-1))
    const nth = shown.get(epoch) ?? 0
    shown.set(epoch, nth + 1)
    return {
      status: 200,
      body: signedDocument({ epoch, key: double.key, observations: [said(`sv-${nth}`)] }),
    }
  }
  for (let epochs = 0; epochs < 2; epochs++) await there.endEpoch(one, other)
  for (const running of [one, other]) {
    const { cases, bodies } = JSON.parse((await running.operations('/evidence?read=split-view')).text)
    expect(cases.length).toBeGreaterThan(0)
    expect(new Set(cases.map(({ rule }: { rule: string }) => rule))).toEqual(
      new Set(['double signed two notes of one epoch: it tells daemons different stories of what it heard']),
    )
    const [first, second] = cases[0].statements.map(({ digest }: { digest: string }) =>
      JSON.parse(bodies[digest]),
    )
    expect([first, second].map(({ note }) => isSigned(note, double.key.x))).toEqual([true, true])
    const [left, right] = [readNote(first.note), readNote(second.note)]
    expect(left.origin).toBe(right.origin)
    expect(left.root).not.toBe(right.root)
    const counted = (await running.metrics()).value('scan_proxy_split_view_cases_total', { peer: 'double' })
    expect(counted).toBe(cases.length)
  }
})
