import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { digest } from '../../src/base/lib/digest.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { isKnownAbstention } from '../../src/core/reads/replies.ts'
import { reads } from '../../src/core/reads/table.ts'
import { Ballots, type HeardResponse, type RefusalStatement } from '../../src/core/scan/ballots.ts'
import { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import type { Printed } from '../../src/core/scan/judgement.ts'
import { samples } from '../reads/samples.ts'

const name = 'alice.unverified.cns'
const entry = samples.lookupAnsEntryByName.reply.entry

function byName(added: readonly string[] = []): Ballots {
  return new Ballots({ read: reads.lookupAnsEntryByName, params: { name } }, { absentTexts: added })
}

function hear(read: Read, params: Params, ...sent: [status: number, body: unknown][]): readonly Reply[] {
  const ballots = new Ballots({ read, params })
  return sent.map(([status, body], voter) => hearNow(ballots, voter, [status, body]).reply)
}

function said(...sent: [status: number, body: unknown][]): readonly Reply[] {
  return hear(reads.lookupAnsEntryByName, { name }, ...sent)
}

/** Judges a short body. The serving thread judges short bodies itself, so there is nothing to wait for. */
function hearNow(
  ballots: Ballots,
  voter: number,
  [status, body]: [status: number, body: unknown],
): HeardResponse {
  return ballots.hear(voter, status, bytesOf(body)) as HeardResponse
}

function bytesOf(body: unknown): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body))
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}

function votes(replies: readonly Reply[]): readonly string[] {
  return replies.map((reply) =>
    reply.kind === 'value' || reply.kind === 'refusal' ? reply.vote : reply.kind,
  )
}

function isNews(reply: Reply): boolean {
  return reply.kind === 'abstention' && !isKnownAbstention(reply.reason)
}

describe('equal values have one vote', () => {
  test('numbers that a double would round never join one', () => {
    const rules = (fee: string) => JSON.stringify(samples.getAnsRules.reply).replace('"1.0"', fee)
    const [a, b, c] = votes(
      hear(
        reads.getAnsRules,
        {},
        [200, rules('9007199254740993')],
        [200, rules('9007199254740992')],
        [200, rules('9007199254740993.0')],
      ),
    )
    expect(b).not.toBe(a)
    expect(c).toBe(a)
  })
})

describe('what does not count is a fault', () => {
  const [alice] = samples.listAnsEntries.reply.entries
  test.each<[string, number, unknown, string]>([
    ['HTML', 200, '<html></html>', 'not-json'],
    ['bytes that are not UTF-8', 200, '"\xff', 'not-json'],
    ['a repeated key', 200, '{"entry":{},"entry":{}}', 'misshapen'],
    ['a lone surrogate', 200, '{"entry":"\\ud800"}', 'misshapen'],
    ['more than 64 levels', 200, `${'['.repeat(65)}${']'.repeat(65)}`, 'misshapen'],
    ['another shape', 200, { entry: { ...entry, url: 1 } }, 'misshapen'],
    ['404 in HTML', 404, '<html></html>', 'not-json'],
  ])('%s', (_, status, body, fault) => {
    expect(said([status, body])).toEqual([{ kind: 'fault', fault }])
  })

  test.each<[string, Read, Params, unknown, string]>([
    [
      'an entry of another name',
      reads.lookupAnsEntryByName,
      { name: 'bob.unverified.cns' },
      { entry },
      'wrong-answer',
    ],
    [
      'a name outside the prefix',
      reads.listAnsEntries,
      { name_prefix: 'b', page_size: '9' },
      { entries: [alice] },
      'wrong-answer',
    ],
    ['a name twice', reads.listAnsEntries, { page_size: '9' }, { entries: [alice, alice] }, 'wrong-answer'],
    [
      'more than page_size',
      reads.listAnsEntries,
      { page_size: '1' },
      samples.listAnsEntries.reply,
      'wrong-answer',
    ],
    [
      'a contract that is said to be cached',
      reads.getAnsRules,
      {},
      { ans_rules_update: { contract: null, domain_id: null } },
      'misshapen',
    ],
  ])('%s', (_, read, params, body, fault) => {
    expect(hear(read, params, [200, body])).toEqual([{ kind: 'fault', fault }])
  })
})

describe('a 404', () => {
  const absent = `No ans entry found for name: ${name}`

  test('of a scan that has just started, or of an older release, abstains and is no news', () => {
    const replies = said(
      [404, { error: 'No DsoRules contract found' }],
      [404, { error: 'The requested resource could not be found: http://scan/x' }],
      [404, { error: 'Something else' }],
    )
    expect(replies.map((reply) => reply.kind)).toEqual(['abstention', 'abstention', 'abstention'])
    expect(replies.map(isNews)).toEqual([false, false, true])
  })

  test('as a 503 of a scan that has not loaded the history abstains on reads of history, and is a fault on all others', () => {
    const notLoaded = 'This scan instance has not yet replicated all data'
    const padded = (length: number) => {
      const frame = JSON.stringify({ error: notLoaded }).length
      return { error: notLoaded + 'x'.repeat(length - frame) }
    }
    const sent: [number, unknown][] = [
      [503, { error: `${notLoaded}, ${'y'.repeat(300)}` }],
      [503, padded(65_536)],
      [503, padded(65_537)],
      [503, { error: 'overloaded' }],
      [503, 'no JSON'],
      [500, { error: notLoaded }],
    ]
    const { read, params } = { read: reads.getUpdateByIdV2, params: { update_id: 'u' } }
    const abstention = (reason: string) => ({ kind: 'abstention', reason: reason.slice(0, 200) })
    expect(hear(read, params, ...sent)).toEqual([
      abstention(`${notLoaded}, ${'y'.repeat(300)}`),
      abstention(padded(65_536).error),
      { kind: 'fault', fault: 'server-error' },
      { kind: 'fault', fault: 'server-error' },
      { kind: 'fault', fault: 'server-error' },
      { kind: 'fault', fault: 'server-error' },
    ])
    expect(said(...sent).map(({ kind }) => kind)).toEqual(sent.map(() => 'fault'))
  })

  test('counts in further words where the configuration adds them, as the same absence', () => {
    const ballots = byName(['There is no {name}'])
    const first = hearNow(ballots, 0, [404, { error: absent }]).reply
    const second = hearNow(ballots, 1, [404, { error: `There is no ${name}` }]).reply
    expect(votes([first, second])).toEqual(['0', '0'])
    expect((ballots.statement('0') as RefusalStatement).text).toBe(absent)
  })
})

describe('what is served', () => {
  test('the same bytes only where nothing was filled in', () => {
    const { contract_id: _, ...without } = entry
    const ballots = byName()
    const { reply } = hearNow(ballots, 0, [200, { entry: { ...without, expires_at: null } }])
    const complete = hearNow(ballots, 1, [
      200,
      { entry: { ...entry, contract_id: null, expires_at: null } },
    ]).reply
    expect(votes([complete])).toEqual(votes([reply]))
    const { bodies } = ballots.statement(votes([reply])[0] as string)
    expect(bodies.map(({ judged }) => judged?.verbatim)).toEqual([false, true])
  })

  test('one text of one value, with its members in the order of the schema, in any order of replies', () => {
    const contract = {
      template_id: '1:A:B',
      contract_id: '00',
      created_event_blob: '',
      created_at: '2026-01-01T00:00:00Z',
    }
    const rules = {
      ans_rules_update: {
        contract: { ...contract, payload: { b: { d: 1, c: 2 }, a: [{ z: 1, y: 2 }] } },
        domain_id: null,
      },
    }
    const texts = [rules, reversed(rules)].map((body) => {
      const ballots = new Ballots({ read: reads.getAnsRules, params: {} })
      const { reply } = hearNow(ballots, 0, [200, body])
      const { body: printed, digest } = ballots.print(votes([reply])[0], { on: 'whole' }) as Printed
      return [printed.toString(), digest]
    })
    expect(texts[1]).toEqual(texts[0])
    expect(texts[0]?.[0]).toBe(
      '{"ans_rules_update":{"contract":{"template_id":"1:A:B","contract_id":"00","payload":{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}},"created_event_blob":"","created_at":"2026-01-01T00:00:00Z"},"domain_id":null}}',
    )
  })
})

describe('what judging a body costs is bounded before it is judged', () => {
  test('a list of more elements than its page can have is misshapen, however short they are', () => {
    const list = (count: number) => `{"entries":[${'{},'.repeat(count - 1)}{}]}`
    const [few, many] = hear(reads.listAnsEntries, { page_size: '10' }, [200, list(10)], [200, list(100_000)])
    expect([few, many]).toEqual([
      { kind: 'fault', fault: 'misshapen' },
      { kind: 'fault', fault: 'misshapen' },
    ])
  })

  test('members that the row does not know count as elements of its page', () => {
    const padded = (count: number) => JSON.stringify({ entries: [], more: Array(count).fill('x'.repeat(20)) })
    const replies = hear(reads.listAnsEntries, { page_size: '10' }, [200, padded(100)], [200, padded(200)])
    expect(replies.map(({ kind }) => kind)).toEqual(['value', 'fault'])
  })

  test('a short body has one element for each eight bytes, and a thousand more', () => {
    const padded = (count: number) => JSON.stringify({ entry, more: Array(count).fill(0) })
    const replies = said([200, padded(1_000)], [200, padded(2_000)])
    expect(replies.map(({ kind }) => kind)).toEqual(['value', 'fault'])
  })
})

describe('the token of the next page is a number of one database', () => {
  const paged = [
    'listValidatorLicenses',
    'listVoteRequestResults',
    'getAcsSnapshotAtV1',
    'getHoldingsStateAtV1',
  ] as const

  test.each(paged)('%s has one vote whatever the number is, and another one where there is no more', (id) => {
    const { params, reply } = samples[id] as { readonly params: Params; readonly reply: object }
    const ballots = new Ballots({ read: reads[id], params })
    const cast = [1_010, 2_010, null].map((next_page_token, voter) =>
      hearNow(ballots, voter, [200, { ...reply, next_page_token }]),
    )
    const [one, other, last] = votes(cast.map((heard) => heard.reply))
    expect(other).toBe(one)
    expect(last).not.toBe(one)
    const { body } = ballots.print(one as string, { on: 'whole' }) as Printed
    expect(JSON.parse(String(body))).toMatchObject({ next_page_token: 1 })
  })
})

test('the nodes of super validators have one vote in whatever order a scan lists them', () => {
  const { reply } = samples.getDsoInfo
  const [node] = reply.sv_node_states
  const nodes = ['00a', '00b', '00c'].map((contract_id) => ({
    ...node,
    contract: { ...node.contract, contract_id },
  }))
  const bodies = [nodes, nodes.toReversed()].map((sv_node_states): [number, unknown] => [
    200,
    { ...reply, sv_node_states },
  ])
  const [one, other] = votes(hear(reads.getDsoInfo, {}, ...bodies))
  expect(one).toBe('0')
  expect(other).toBe(one)
})

describe('of several values that one rank has', () => {
  test('the order does not depend on who was heard first', () => {
    const user = samples.lookupAnsEntryByParty.reply.entry
    const [one, other] = [{ entry: user }, { entry: { ...user, url: 'https://other.example' } }]
    const ranks = [
      [one, other],
      [other, one],
    ].map((bodies) => {
      const replies = hear(
        reads.lookupAnsEntryByParty,
        { party: user.user },
        ...bodies.map((body): [number, unknown] => [200, body]),
      )
      return replies.map((reply) => (reply.kind === 'value' ? reply.rank : undefined))
    })
    expect(ranks[1]).toEqual(ranks[0]?.toReversed())
    expect(ranks[0]?.[0]).not.toBe(ranks[0]?.[1])
  })
})

describe('a read says', () => {
  test('which answers say nothing yet: they abstain, and are no news; a status of a newer release is a vote', () => {
    const heard = hear(
      reads.getRewardAccountingRootHash,
      { round_number: '7' },
      [200, samples.getRewardAccountingRootHash.reply],
      [200, { status: 'Undetermined' }],
      [200, { status: 'CannotProvide' }],
      [200, { status: 'Soon' }],
    )
    expect(votes(heard).slice(1)).toEqual(['abstention', 'abstention', '1'])
    expect(heard.some(isNews)).toBe(false)
  })

  test('which 404 mean absence: an empty one, one that begins so, and never one of a path that is not there', () => {
    const [empty, ours] = hear(
      reads.getMigrationSchedule,
      {},
      [404, ''],
      [404, { error: 'No migration is scheduled.' }],
    )
    expect(empty).toEqual(ours)
    expect(empty?.kind).toBe('refusal')
    const params = { before: '2026-03-01T12:00:00Z', migration_id: '0' }
    const said = [
      'No snapshots found before 2026-03-01T12:00Z',
      'No snapshots found before 2026-03-01T12:00:00Z',
    ]
    const snapshots = hear(
      reads.getDateOfMostRecentSnapshotBefore,
      params,
      ...said.map((error) => [404, { error }] as [number, unknown]),
    )
    expect(new Set(votes(snapshots)).size).toBe(1)
    const batch = hear(
      reads.getRewardAccountingBatch,
      { round_number: '7', batch_hash: 'ab' },
      [404, { error: 'anything' }],
      [404, { error: 'The requested resource could not be found: http://scan.example/' }],
      [404, { error: 'No DsoRules contract found' }],
      [404, ''],
    )
    expect(batch.map(({ kind }) => kind)).toEqual(['refusal', 'abstention', 'abstention', 'fault'])
  })

  test('a name that ends in a star stands for itself only', () => {
    const [reply] = hear(reads.lookupAnsEntryByName, { name: 'x*' }, [
      404,
      { error: 'No ans entry found for name: xyz' },
    ])
    expect(reply?.kind).toBe('abstention')
  })
})

test.each([0, 70_000])(
  'an update whose id is no text is a fault of its body, also with %i spaces',
  async (spaces) => {
    const odd = { migration_id: 0, record_time: '2026-01-01T00:00:00Z', update_id: { toString: 1 } }
    await using judge = new JudgeThread({ clock: systemClock })
    const params = { body: JSON.stringify({ migration_id: 0, after_update_id: '', limit: 10 }) }
    const ballots = new Ballots(
      { read: reads.getImportUpdates, params },
      { judge: { thread: judge, nameOf: String } },
    )
    const body = Buffer.from(JSON.stringify({ transactions: [odd] }) + ' '.repeat(spaces))
    expect(await ballots.hear(0, 200, body)).toEqual({
      reply: { kind: 'fault', fault: 'misshapen' },
      kept: false,
    })
  },
)

describe('a history', () => {
  const { transactions } = samples.getUpdateHistoryV2.reply
  const [first] = transactions
  const params = { body: JSON.stringify({ page_size: 2, daml_value_encoding: 'compact_json' }) }
  const later = { ...first, update_id: '1220cd', record_time: '2026-03-01T12:00:01Z' }
  const counted = (...said: readonly object[]) =>
    hear(reads.getUpdateHistoryV2, params, [200, { transactions: said }])[0]

  test('has a step for each update, and its moment', () => {
    const reply = counted(first, later)
    if (reply?.kind !== 'value') throw new Error('no value')
    expect(reply.steps?.map(({ moment }) => moment)).toEqual([
      '1 2026-03-01T12:00:00.123456000',
      '1 2026-03-01T12:00:01.000000000',
    ])
  })

  test('that goes backwards, is longer than the page, or begins too early is no answer', () => {
    const wrong = { kind: 'fault', fault: 'wrong-answer' }
    expect(counted(later, first)).toEqual(wrong)
    expect(counted(first, first, later)).toEqual(wrong)
    const after = { after_migration_id: 1, after_record_time: first.record_time }
    const next = { body: JSON.stringify({ page_size: 2, after }) }
    expect(hear(reads.getUpdateHistoryV2, next, [200, { transactions: [first] }])).toEqual([wrong])
    expect(hear(reads.getUpdateHistoryV2, next, [200, { transactions: [later] }])[0]?.kind).toBe('value')
  })
})

test('the digest of what a voter sent is that of its own bytes, and who said nothing that counts has none', () => {
  const ballots = byName()
  const bodies = [{ entry }, { entry: reversed(entry) }]
  for (const [voter, body] of bodies.entries()) hearNow(ballots, voter, [200, body])
  hearNow(ballots, 2, [500, '{"error":"x"}'])
  const digests = [0, 1, 2, 3].map((voter) => ballots.digestOf(voter))
  expect(digests).toEqual([...bodies.map((body) => digest(bytesOf(body))), undefined, undefined])
})

test('only those who are asked for continue a page, each with its own token', () => {
  const { params, reply } = samples.getAcsSnapshotAtV2
  const ballots = new Ballots({ read: reads.getAcsSnapshotAtV2, params })
  const heard = [7, 8, 9, null].map((token, voter) =>
    hearNow(ballots, voter, [200, { ...reply, next_page_token: token }]),
  )
  const refused = hearNow(ballots, 4, [400, { error: 'no' }])
  const [vote = '', , , last = '', refusal = ''] = votes([...heard, refused].map((one) => one.reply))
  for (const end of [last, refusal]) expect(ballots.nextPage(end, [3, 4]).size).toBe(0)
  const tokens = [...ballots.nextPage(vote, [0, 2, 3])].map(([voter, { token }]) => `${voter}: ${token}`)
  expect(tokens).toEqual(['0: 7', '2: 9'])
})

test.each(['getUpdateByIdV2', 'getUpdateHistoryV2'] as const)(
  'hashes of %s that only some scans have join one vote, and the first that enough gave is served',
  (id) => {
    const { params, reply } = samples[id] as { readonly params: Params; readonly reply: object }
    const ballots = new Ballots({ read: reads[id], params })
    const withHash = (hash: string) =>
      JSON.parse(JSON.stringify(reply), (_, value) =>
        value?.events_by_id === undefined ? value : { ...value, external_transaction_hash: hash },
      )
    const heard = ['bb', 'aa', 'aa'].map(
      (hash, voter) => hearNow(ballots, voter, [200, withHash(hash)]).reply,
    )
    hearNow(ballots, 3, [400, { error: 'no' }])
    expect(new Set(votes(heard)).size).toBe(1)
    const own = heard.map((one) => (one.kind === 'value' ? one.own : undefined))
    expect([own[0] === own[1], own[1] === own[2], own.includes(undefined)]).toEqual([false, true, false])
    const served = (least: number) => ballots.ownTexts([0, 1, 2, 3], (some) => some.length >= least)
    expect([1, 2, 3].map((least) => [...(served(least)?.values() ?? [])])).toEqual([['aa'], ['aa'], []])
    expect(served(3)).toBeUndefined()
  },
)

test('a reply to a question for a time says the time', () => {
  const { reply } = samples.getLatestEventRecordTime
  expect(hear(reads.getLatestEventRecordTime, {}, [200, reply])).toMatchObject([
    { kind: 'value', time: expect.stringContaining(reply.record_time.slice(0, 19)) },
  ])
})
