import { describe, expect, test } from 'vitest'
import type { Events } from '../../src/base/telemetry/events.ts'
import { createEvents } from '../../src/base/telemetry/events.ts'
import type { Logger } from '../../src/base/telemetry/logger.ts'
import { createMetrics } from '../../src/base/telemetry/metrics.ts'
import type { RosterState } from '../../src/base/telemetry/roster-events.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { parseExposition, sampleValue } from './exposition-text.ts'
import { logLines } from './log-lines.ts'

const read = 'lookupAnsEntryByName'

function given(logger?: Logger) {
  const clock = new ManualClock()
  const metrics = createMetrics({ version: '1.2.3', reads: [read] })
  const log = logLines()
  const events = createEvents({ metrics, logger: logger ?? log.logger, clock })
  return {
    events,
    clock,
    metrics,
    written: log.written,
    lines: log.lines,
    messages: () => log.lines().map(({ msg }) => msg),
    value: async (name: string, labels: Record<string, string> = {}) =>
      sampleValue(parseExposition((await metrics.scrape()).body), `scan_proxy_${name}`, labels),
  }
}

const roster: RosterState = {
  members: [{ name: 'sv-1' }, { name: 'sv-2' }, { name: 'sv-3' }, { name: 'sv-4' }],
  superValidators: { threshold: 2, reachable: 3 },
  reachableMembers: 3,
  protected: true,
  singleSeed: false,
  unmatchedOperators: [],
}

describe('asks and votes', () => {
  test('of a seed that answers after a roster without it are not counted', async () => {
    const { events, value } = given()
    events.forSuperValidator('early.example').asked('value', 0.02)
    events.scanAsked('seed.example', 'value', 0.02)
    expect(await value('scan_requests_total', { sv: 'seed.example', outcome: 'value' })).toBe(1)
    events.rosterTaken(roster)
    events.scanAsked('seed.example', 'value', 0.02)
    for (const host of ['early.example', 'late.example']) {
      events.forSuperValidator(host).asked('value', 0.02)
      events.forSuperValidator(host).voted(read, 'agree')
    }
    expect(await value('scan_requests_total', { sv: 'seed.example', outcome: 'value' })).toBeUndefined()
    expect(await value('scan_requests_total', { sv: 'other', outcome: 'value' })).toBeUndefined()
    for (const sv of ['other', 'early.example', 'late.example'])
      expect(await value('scan_silent_seconds', { sv })).toBeUndefined()
    expect(await value('votes_total', { sv: 'other', read, vote: 'agree' })).toBeUndefined()
  })

  test('a first vote puts all others at 0, so that a first dissent is seen as an increase', async () => {
    const { events, value } = given()
    events.forSuperValidator('sv-1').voted(read, 'agree')
    expect(await value('votes_total', { sv: 'sv-1', read, vote: 'dissent' })).toBe(0)
  })

  test('a dissent that was looked into counts once, as what it was filed as, and only a real one warns', async () => {
    const { events, value, lines } = given()
    events.forSuperValidator('sv-1')
    events.recheckFiled('sv-1', read, 'lag')
    events.recheckFiled('sv-1', read, 'dissent')
    expect(await value('votes_total', { sv: 'sv-1', read, vote: 'lag' })).toBe(1)
    expect(await value('votes_total', { sv: 'sv-1', read, vote: 'dissent' })).toBe(1)
    expect(await value('rechecks_total', { outcome: 'dissent' })).toBe(1)
    expect(lines().filter(({ level }) => level === 'warn')).toMatchObject([
      { sv: 'sv-1', read, evidence: `/evidence?sv=sv-1&read=${read}` },
    ])
    events.recheckFiled('sv-1', read, 'split')
    expect(await value('votes_total', { sv: 'sv-1', read, vote: 'split' })).toBe(1)
    expect(lines().at(-1)).toMatchObject({
      level: 'info',
      msg: 'a super validator is one of several that give another answer than the quorum',
    })
    events.recheckFiled('sv-1', read, 'unchecked')
    expect(await value('votes_total', { sv: 'sv-1', read, vote: 'unchecked' })).toBe(1)
    expect(lines().at(-1)?.['msg']).toBe(
      'a super validator contradicted the quorum, and nothing could be learnt by asking again',
    )
  })

  test('a super validator that comes and goes has one pair of lines in ten minutes, and one when it stays away', () => {
    const { events, clock, messages } = given()
    events.rosterTaken(roster)
    const sv = events.forSuperValidator('sv-1')
    for (let change = 0; change < 50; change++) {
      sv.asked(change % 2 === 0 ? 'reset' : 'value', 0.1)
      clock.advance(5_000)
    }
    expect(messages().slice(1)).toEqual([
      'a super validator gives no usable answer',
      'a super validator answers again after 5s',
    ])
    sv.asked('reset', 0.1)
    clock.advance(60_000)
    expect(messages()).toHaveLength(3)
    sv.asked('reset', 0.1)
    expect(messages().slice(3)).toEqual(['a super validator gives no usable answer'])
  })

  test('the limits of the daemon itself do not make a super validator look as if it were away', () => {
    const { events, messages } = given()
    events.rosterTaken(roster)
    events.forSuperValidator('sv-1').asked('held-back', 0)
    events.forSuperValidator('sv-1').asked('busy', 0)
    expect(messages()).toEqual(['roster taken'])
  })

  test('ten minutes with faults end in one line that counts them, and ten without in none', () => {
    const { events, clock, lines } = given()
    events.rosterTaken(roster)
    clock.advance(3_600_000)
    expect(lines()).toHaveLength(1)
    const sv = events.forSuperValidator('sv-1')
    for (let ask = 0; ask < 20; ask++) {
      sv.asked('timeout', 5)
      clock.advance(20_000)
    }
    for (let read_ = 0; read_ < 3; read_++) events.readSettled(read, 'disputed', 0.5)
    events.recheckFiled('sv-2', read, 'dissent')
    clock.advance(200_000)
    const summaries = lines().filter(({ msg }) => msg === 'summary of ten minutes')
    expect(summaries).toMatchObject([
      {
        level: 'info',
        away: { 'sv-1': '10m' },
        faults: { 'sv-1': { timeout: 20 } },
        contradictions: { 'sv-2': { dissent: 1 } },
        readsNotAgreed: { [read]: { disputed: 3 } },
        linesLeftOut: { repeated: { 'a read was not agreed on': 2 } },
      },
    ])
    const count = lines().length
    clock.advance(3_600_000)
    expect(lines()).toHaveLength(count)
  })

  test('each super validator is silent since its last answer, faults aside', async () => {
    const { events, clock, value } = given()
    const sv = events.forSuperValidator('sv-1')
    sv.asked('timeout', 5)
    expect(await value('scan_silent_seconds', { sv: 'sv-1' })).toBeUndefined()
    sv.asked('value', 0.02)
    await clock.advance(90_000)
    sv.asked('reset', 0.01)
    expect(await value('scan_silent_seconds', { sv: 'sv-1' })).toBe(90)
    sv.asked('refusal', 0.01)
    expect(await value('scan_silent_seconds', { sv: 'sv-1' })).toBe(0)
  })
})

describe('the cache', () => {
  test('says at the level of its beginning that an outage ended, so that a log at warn shows both', () => {
    const { events, lines } = given()
    for (const heard of [true, false, true]) events.invalidationsFollowed(heard)
    events.floorFileInUse()
    for (const isWritable of [true, true]) events.floorFileWritable(isWritable)
    expect(lines().map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'changes of names by other daemons are heard'],
      ['warn', 'changes of names by other daemons are not heard, so their answers are not used'],
      ['warn', 'changes of names by other daemons are heard'],
      ['warn', expect.stringMatching(/^another daemon has guard.file/)],
      ['warn', 'guard.file is written'],
      ['info', 'guard.file is written'],
    ])
  })

  test('says that Redis is gone or back when that changes, and only then', async () => {
    const { events, value, messages, lines } = given()
    expect(await value('redis_up')).toBeUndefined()
    for (const up of [true, true, false, false, true]) events.redisUp(up)
    expect(await value('redis_up')).toBe(1)
    expect(messages()).toEqual([
      'redis answers',
      'redis cannot be used; lookups go on without it',
      'redis answers',
    ])
    expect(lines().map(({ level }) => level)).toEqual(['info', 'warn', 'warn'])
  })

  test('says each new reason why Redis cannot be used, and the same reason once in ten minutes', () => {
    const { events, lines } = given()
    const lost = 'the connection to Redis was lost'
    for (const because of [lost, 'connect ECONNREFUSED', 'WRONGPASS', 'connect ECONNREFUSED', 'WRONGPASS'])
      events.redisUp(false, { because })
    expect(lines().map((line) => line['because'])).toEqual([lost, 'connect ECONNREFUSED', 'WRONGPASS'])
  })
})

describe('the roster', () => {
  test('says who runs whom, and no more where that changed', async () => {
    const { events, value } = given()
    const runs = (sv: string, operator: string) => value('super_validator_info', { sv, operator })
    const taken = (...operators: string[]) =>
      events.rosterTaken({
        ...roster,
        members: operators.map((operator, index) => ({ name: `sv-${index + 1}`, operator })),
      })
    taken('alpha', 'alpha', 'beta')
    expect(await runs('sv-1', 'alpha')).toBe(1)
    expect(await runs('sv-2', 'alpha')).toBe(1)
    expect(await runs('sv-3', 'beta')).toBe(1)
    taken('alpha', 'beta')
    expect(await runs('sv-2', 'alpha')).toBeUndefined()
    expect(await runs('sv-2', 'beta')).toBe(1)
    expect(await runs('sv-3', 'beta')).toBeUndefined()
  })

  test('takes those that left out of the metrics: seeds before it, members of the one before', async () => {
    const { events, value, metrics } = given()
    events.forSuperValidator('scan.seed.example.org').asked('value', 0.1)
    events.rosterTaken(roster)
    const four = events.forSuperValidator('sv-4')
    four.asked('value', 0.1)
    events.scanAsked('sv-3', 'value', 0.1)
    expect((await metrics.scrape()).body).not.toContain('seed.example')

    events.rosterTaken({ ...roster, members: roster.members.slice(0, 3) })
    four.asked('value', 0.1)
    expect((await metrics.scrape()).body).not.toContain('sv-4')
    expect(await value('scan_requests_total', { sv: 'sv-3', outcome: 'value' })).toBe(1)

    events.rosterTaken(roster)
    events.forSuperValidator('sv-4').asked('value', 0.1)
    expect(await value('scan_requests_total', { sv: 'sv-4', outcome: 'value' })).toBe(1)
  })

  test('says loudly what makes it weak', () => {
    const { events, lines } = given()
    events.rosterTaken({ ...roster, protected: false, singleSeed: true, unmatchedOperators: ['.x.io'] })
    expect(lines().map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'roster taken'],
      ['warn', 'roster taken on the word of one seed'],
      ['warn', 'answers are not protected: super validators that lie can make them up'],
      ['warn', 'members of operators match no super validator'],
    ])
  })
})

test('a reload that changes some options also logs those of a file that a variable overrides', () => {
  const { events, lines } = given()
  const overridden = ['logLevel in local.yaml is overridden by LOG_LEVEL']
  const changed = ['scanClient.threshold is 2f+1, was f+1']
  events.configurationReloaded({ changed, changesTrust: true, needRestart: [], overridden, warnings: [] })
  events.configurationReloaded({ changed: [], needRestart: [], overridden, warnings: [] })
  expect(lines()).toMatchObject([
    { level: 'warn', changed, overridden, msg: 'the configuration was reloaded' },
    { level: 'info', overridden },
  ])
})

test('no event ever throws, and each that failed is counted', async () => {
  const fail = () => {
    throw new Error('standard output is gone')
  }
  const broken: Logger = {
    atDebug: true,
    debug: fail,
    info: fail,
    warn: fail,
    error: fail,
    child: () => broken,
  }
  const { events, value } = given(broken)
  const logging: ((events: Events) => void)[] = [
    (on) => on.recheckFiled('sv-1', read, 'lag'),
    (on) => on.recheckFiled('sv-1', read, 'dissent'),
    (on) => on.readSettled(read, 'agreed', 0.1),
    (on) => on.readSettled(read, 'disputed', 0.1),
    (on) => on.unknownRefusal(read, 'sv-1', 'text'),
    (on) => on.unknownRefusal(read, 'sv-2', undefined as unknown as string),
    (on) => on.redisUp(false),
    (on) => on.redisRefused('seal'),
    (on) => on.redisFailed('set', 'OOM no room'),
    (on) => on.refreshFailed(read, undefined),
    (on) => on.invalidated('here', 1),
    (on) => on.rosterTaken(roster),
    (on) => on.forSuperValidator('sv-1').asked('timeout', 5),
    (on) => on.scanAsked('sv-2', 'reset', 5),
    (on) => on.rosterMissing('why', {}),
    (on) => on.configurationReloaded({ changed: [], needRestart: [], warnings: [] }),
    (on) => on.configurationKept([]),
    (on) => on.stopped(0, 0),
    (on) => on.reachabilityChanged({ superValidators: { threshold: 2, reachable: 0 }, reachableMembers: 0 }),
    (on) => on.rosterRefreshed('failed'),
    (on) => on.seedAnswered('seed', 'timed-out', ''),
    (on) => on.listening({ http: 'x', operations: 'y', network: 'remote', threshold: 'f+1' }),
    (on) => on.shuttingDown('SIGTERM', 0),
    (on) => on.cacheLookup('disk' as 'redis', 'hit'),
    (on) => on.forSuperValidator('sv-1').voted(read, 'perhaps' as 'agree'),
  ]
  for (const tell of logging) expect(() => tell(events)).not.toThrow()
  expect(await value('telemetry_failures_total')).toBe(logging.length)
  expect(await value('reads_total', { read, outcome: 'disputed' })).toBe(1)
  expect(await value('quorum_threshold', { count: 'super_validators' })).toBe(2)
})

test('a thread that fails again and again is logged with the reason, at most once in ten minutes', () => {
  const { events, clock, lines } = given()
  for (let times = 0; times < 3; times++) events.threadFailed('judge', new Error('no threads left'))
  clock.advance(600_000)
  events.threadFailed('judge', new Error('no threads left'))
  const line = { level: 'warn', thread: 'judge', msg: 'a thread of this daemon failed' }
  const failures = lines().filter(({ msg }) => msg === line.msg)
  expect(failures).toMatchObject([line, { ...line, suppressed: 2 }])
  expect(JSON.stringify(failures[0])).toContain('no threads left')
})
