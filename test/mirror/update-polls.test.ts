import { expect, test } from 'vitest'
import type { Answer } from '../../src/core/cache/answer.ts'
import type { Question } from '../../src/core/reads/read.ts'
import { bodyParam } from '../../src/core/reads/request.ts'
import { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import type { UpkeepDeps } from '../../src/mirror/mirror-deps.ts'
import { UpdatePolls, type UpdatePollsOptions } from '../../src/mirror/update-polls.ts'
import { Upkeep } from '../../src/mirror/upkeep.ts'
import { eventually } from '../support/eventually.ts'
import { ago } from '../support/manual-clock.ts'
import { silentEvents } from '../telemetry/silent-events.ts'
import { LedgerModel } from './ledger-model.ts'
import { agreementOf, byName, hourMs, mirrored, party, rosterOf, setOf, t0, take } from './mirrored.ts'

const roster = rosterOf(['sv-1', 'sv-2', 'sv-3', 'sv-4'])
const name = 'alice.unverified.cns'
const life = { lifeMs: 1_000 * hourMs, user: party('alice') }

function polled(options: Partial<UpdatePollsOptions> = {}, agreed = ['sv-1', 'sv-2'], padding = '') {
  const { mirror, clock, told, use } = mirrored({}, { level: 'stream' })
  const ledger = new LedgerModel([])
  const asked: string[] = []
  let isReachable = true
  take(mirror, setOf([]))
  const liveAnswer = async ({ params }: Question): Promise<Answer | undefined> => {
    const { after } = JSON.parse(params[bodyParam] ?? '')
    asked.push(after.after_record_time)
    if (!isReachable) return undefined
    const transactions = ledger.after(Date.parse(after.after_record_time), options.pageSize ?? 2)
    const body = Buffer.from(JSON.stringify({ transactions, padding }))
    return { kind: 'value', status: 200, body, digest: '', agreement: agreementOf(agreed) }
  }
  const deps = {
    clock,
    askClock: clock,
    discovery: { roster },
    reader: { liveAnswer },
    judge: new JudgeThread({ clock }),
    telemetry: silentEvents.mirror,
  } as unknown as UpkeepDeps
  const pages = new UpdatePolls(
    { pollIntervalMs: 2_000, maxBytesPerMinute: 1 << 30, pageSize: 2, ...options },
    mirror,
    deps,
  )
  use(roster)
  const polls = new Upkeep(pages, clock)
  return {
    mirror,
    clock,
    told,
    ledger,
    asked,
    polls,
    reach: (now: boolean) => {
      isReachable = now
    },
    async until(pages: number): Promise<void> {
      while (asked.length < pages) {
        clock.advance(100)
        // All effects of a page that has arrived happen in this turn of the event loop.
        await new Promise(setImmediate)
      }
    },
  }
}

test('pages that are full follow each other at once, and then there is a pause', async () => {
  const { ledger, polls, clock, asked, mirror, told } = polled()
  await using _ = polls
  for (let id = 0; id < 5; id++) ledger.write(`name-${id}.unverified.cns`, t0 + 10 + id, life)
  polls.start()
  for (const pages of [1, 2, 3]) {
    await eventually(() => {
      clock.advance(0)
      return asked.length === pages
    })
    await new Promise(setImmediate)
  }
  expect(asked).toEqual([
    '2025-12-31T23:59:59.999999Z',
    '2026-01-01T00:00:00.011Z',
    '2026-01-01T00:00:00.013Z',
  ])
  expect(mirror.find(byName('name-4.unverified.cns'), undefined, undefined)?.asOf?.claim).toBe('state')
  expect(told).toContain('followed')
  clock.advance(1_999)
  await new Promise(setImmediate)
  expect(asked).toHaveLength(3)
  clock.advance(1)
  await eventually(() => asked.length === 4)
})

test('a page that is too long for the serving thread is followed too', async () => {
  const { ledger, polls, mirror, clock } = polled({}, undefined, 'x'.repeat(100_000))
  await using _ = polls
  ledger.write(name, t0 + 10, life)
  polls.start()
  await eventually(() => {
    clock.advance(0)
    return mirror.find(byName(name), undefined, undefined)?.answer.status === 200
  })
})

test('when no page is agreed on for longer than maxLag, absences are read live until one is', async () => {
  const { polls, until, reach, mirror, clock, told, asked } = polled()
  await using _ = polls
  polls.start()
  await until(1)
  expect(mirror.find(byName(name), undefined, undefined)?.answer.status).toBe(404)
  reach(false)
  while (clock.now() < 70_000) await until(asked.length + 1)
  expect(mirror.find(byName(name), undefined, undefined)).toBeUndefined()
  reach(true)
  await until(asked.length + 1)
  expect(mirror.find(byName(name), undefined, undefined)?.answer.status).toBe(404)
  const late = expect.stringContaining('more than mirror.maxLag')
  expect(told.slice(-3)).toEqual(['followed', late, 'followed'])
})

test('more bytes than maxBytesPerMinute are asked for later', async () => {
  const { ledger, polls, until, clock } = polled({ maxBytesPerMinute: 10_000, pageSize: 1 })
  await using _ = polls
  for (let id = 0; id < 60; id++) ledger.write(`name-${id}.unverified.cns`, t0 + 10 + id, life)
  polls.start()
  await until(40)
  // A page has about 800 bytes and two super validators send it, so each page uses about 1,600 of the 10,000 bytes of a
  // minute. The first minute's bytes may be used at once. Later minutes have room for about six pages each.
  expect(clock.now()).toBeGreaterThan(3 * 60_000)
  expect(clock.now()).toBeLessThan(10 * 60_000)
})

test('pages with too few votes for names end the level, with a sentence that says what to do', async () => {
  const { polls, until, mirror, clock } = polled({}, ['sv-1'])
  await using _ = polls
  polls.start()
  await until(1)
  const why = mirror.state?.degradation(ago(clock))
  expect(why).toMatchObject({
    kind: 'not-following',
    why: expect.stringContaining('raise scanClient.thresholds.'),
  })
})
