import { expect, test } from 'vitest'
import type { ThresholdRule } from '../../../src/base/lib/threshold.ts'
import { checkAll, checkEveryWay, settingsOf } from './check-all.ts'
import { checkCompletions, checkNeighbours, hearingsOf } from './laws-of-change.ts'
import {
  type Course,
  cutRosters,
  everyKind,
  groupedRosters,
  type Kind,
  kinds,
  plainRosters,
  type Roster,
  settingOf,
  sharedRosters,
  upTo,
} from './settings.ts'
import { compareRuns } from './two-runs.ts'
import { walk } from './walk.ts'

/** Prints a row of the table in docs/build/exhaustive.md. */
function report(what: string, started: number, figures: Readonly<Record<string, number>>): void {
  const counts = Object.entries(figures).map(([name, count]) => `${name} ${count.toLocaleString('en')}`)
  process.stdout.write(
    `${[what, ...counts, `seconds ${Math.round((performance.now() - started) / 1000)}`].join(' | ')}\n`,
  )
}

function walkThrough(what: string, kind: Kind, rosters: readonly Roster[], course: Course = {}): void {
  const started = performance.now()
  const settings = settingsOf(kind, rosters, course)
  const size = checkAll(settings)
  report(`${what} | ${kind.name}`, started, { settings: settings.length, ...size })
  expect(size.verdicts).toBeGreaterThan(0)
}

const both: readonly ThresholdRule[] = ['f+1', '2f+1']

const shapes: readonly (readonly [string, readonly Roster[], readonly Kind[]])[] = [
  ['1 to 5 voters, every threshold', upTo(5).flatMap((n) => plainRosters(n)), everyKind],
  ['6 voters', plainRosters(6, both), everyKind],
  ['7 voters', plainRosters(7, both), kinds.slice(0, 4)],
  ['2 and 3 voters, every way to group them', [2, 3].flatMap((n) => groupedRosters(n)), everyKind],
  ['4 voters, every way to group them', groupedRosters(4, both), everyKind],
  ['4 and 5 voters, of whom some cannot be asked', [4, 5].flatMap((n) => cutRosters(n)), everyKind],
  [
    '3 and 4 voters, of whom one is two or three super validators',
    [3, 4].flatMap((n) => sharedRosters(n)),
    everyKind,
  ],
]

const hour = 3_600_000
const [whole] = kinds as [Kind]
const each = shapes.flatMap(([what, rosters, weighed]) =>
  weighed.map((kind) => [what, kind.name, kind, rosters] as const),
)

test.each(each)('the rules hold in every state: %s, %s', { timeout: hour }, (what, _name, kind, rosters) => {
  walkThrough(what, kind, rosters)
})

test('the rules hold in every state where voters speak again', { timeout: hour }, () => {
  walkThrough(
    '1 to 4 voters that speak again',
    whole,
    upTo(4).flatMap((n) => plainRosters(n)),
    { again: true },
  )
})

test.each(everyKind)(
  'the rules hold in every state where voters want to be asked later: $name',
  {
    timeout: hour,
  },
  (kind) => {
    const rosters = upTo(4).flatMap((n) => plainRosters(n, both))
    walkThrough('1 to 4 voters that want to be asked later', kind, rosters, { pauses: true })
  },
)

test.each(kinds)('no two runs contradict each other by two thirds: $name', { timeout: hour }, (kind) => {
  const started = performance.now()
  const total = { runs: 0, pairs: 0 }
  const grouped = [3, 4].flatMap((n) => groupedRosters(n, ['2f+1']))
  for (const roster of [...upTo(5).flatMap((n) => plainRosters(n, ['2f+1'])), ...grouped]) {
    const { runs, pairs } = compareRuns(settingOf(roster, kind, 'all'))
    total.runs += runs
    total.pairs += pairs
  }
  report(`two runs of 1 to 5 voters | ${kind.name}`, started, total)
})

test('no two runs of seven voters contradict each other by two thirds', { timeout: hour }, () => {
  const started = performance.now()
  const [roster] = plainRosters(7, ['2f+1']) as [Roster]
  const { runs, pairs } = compareRuns(settingOf(roster, whole, 'all'))
  report('two runs of 7 voters | whole', started, { runs, pairs })
})

test.each(everyKind)('the place of a voter changes nothing: $name', { timeout: hour }, (kind) => {
  const started = performance.now()
  let hearings = 0
  for (const roster of [...upTo(5).flatMap((n) => plainRosters(n)), ...groupedRosters(4)]) {
    const setting = settingOf(roster, kind, 'all')
    for (const heard of hearingsOf(setting)) {
      checkNeighbours(setting, heard)
      hearings++
    }
  }
  report(`what 1 to 5 voters say, whoever says it | ${kind.name}`, started, { hearings })
})

test('remaining voters cannot change a decision of two thirds', { timeout: hour }, () => {
  const started = performance.now()
  let transitions = 0
  for (const setting of settingsOf(
    whole,
    upTo(5).flatMap((n) => plainRosters(n, ['2f+1'])),
  )) {
    transitions += walk(setting, checkCompletions).transitions
  }
  report('what is decided by two thirds of 1 to 5 voters is what all decide | whole', started, {
    transitions,
  })
})

test('states that differ in the names of voters alone lead to the same states', { timeout: hour }, () => {
  const started = performance.now()
  let ways = 0
  for (const setting of settingsOf(
    whole,
    upTo(3).flatMap((n) => plainRosters(n)),
  ))
    ways += checkEveryWay(setting)
  for (const setting of settingsOf(whole, groupedRosters(3))) ways += checkEveryWay(setting)
  report('every way through 1 to 3 voters, nothing taken for the same | whole', started, { ways })
})
