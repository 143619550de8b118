import { describe, expect, test } from 'vitest'
import { checkAll, checkEveryWay, settingsOf } from './check-all.ts'
import { checkCompletions, checkNeighbours, hearingsOf } from './laws-of-change.ts'
import {
  cutRosters,
  everyKind,
  groupedRosters,
  type Kind,
  kinds,
  plainRosters,
  settingOf,
  sharedRosters,
  upTo,
  wavesOf,
} from './settings.ts'
import { compareRuns } from './two-runs.ts'
import { walk } from './walk.ts'

const impatient = kinds.filter(({ policy }) => !policy.patient)
/** Lists and histories have so many states in groups that they are left to `small.long.ts`. */
const quick = everyKind.filter(({ policy: { agree } }) => agree !== 'items' && agree !== 'history')
const [whole] = kinds as [Kind]

describe.each(everyKind)('in every state of every read that is $name', (kind) => {
  test('the rules of agreement hold, for up to three voters and every threshold', () => {
    const rosters = [1, 2, 3].flatMap((n) => plainRosters(n))
    expect(checkAll(settingsOf(kind, rosters)).states).toBeGreaterThan(100)
  })

  test('the rules of agreement hold, for four voters with one at fault', () => {
    const settings = settingsOf(kind, plainRosters(4, ['f+1', '2f+1']))
    // The other first waves, where there are several, are left to `exhaustive.long.ts`.
    const fanouts =
      wavesOf(kind).length === 1 ? ['all'] : ['economical', ...(quick.includes(kind) ? ['quorum'] : [])]
    const waves = settings.filter(({ fanout }) => fanouts.includes(fanout))
    expect(checkAll(waves).states).toBeGreaterThan(300)
  })
})

test.each(quick)(
  'the rules of agreement hold for $name with any assignment of voters to operators',
  (kind) => {
    expect(checkAll(settingsOf(kind, groupedRosters(3, ['2f+1']))).states).toBeGreaterThan(100)
  },
)

describe('in every state of a plain read', () => {
  test.each([
    ['some voters cannot be asked', cutRosters(4)],
    ['voters share an origin', sharedRosters(3)],
  ])('the rules of agreement hold where %s', (_, rosters) => {
    expect(checkAll(settingsOf(whole, rosters)).states).toBeGreaterThan(100)
  })

  test('the rules of agreement hold where voters speak again, and say something else', () => {
    expect(checkAll(settingsOf(whole, plainRosters(3), { again: true })).states).toBeGreaterThan(100)
  })
})

test.each(impatient)('the rules of agreement hold where voters of $name want to be asked later', (kind) => {
  const settings = settingsOf(kind, plainRosters(3, ['f+1', '2f+1']), { pauses: true })
  expect(checkAll(settings).states).toBeGreaterThan(100)
})

test('states that differ in the names of voters alone lead to the same states', () => {
  for (const n of [1, 2, 3]) {
    for (const setting of settingsOf(whole, plainRosters(n, [2])).slice(0, 1)) checkEveryWay(setting)
  }
})

test('remaining voters cannot change a decision of two thirds', () => {
  for (const kind of impatient.slice(0, 2)) {
    for (const setting of settingsOf(
      kind,
      [1, 2, 3, 4].flatMap((n) => plainRosters(n, ['2f+1'])),
    )) {
      walk(setting, checkCompletions)
    }
  }
})

test.each(everyKind)('which voter has which place changes nothing that is $name', (kind) => {
  const rosters = [...plainRosters(3), ...groupedRosters(3, ['f+1', '2f+1'])]
  for (const roster of rosters) {
    const setting = settingOf(roster, kind, 'all')
    for (const heard of hearingsOf(setting)) checkNeighbours(setting, heard)
  }
})

test.each(kinds)('no two runs by two thirds contradict each other that are $name', (kind) => {
  for (const roster of upTo(4).flatMap((n) => plainRosters(n, ['2f+1']))) {
    expect(compareRuns(settingOf(roster, kind, 'all')).pairs).toBeGreaterThan(0)
  }
})

test('more than f that say one thing here and another there do make two runs contradict each other', () => {
  const setting = settingOf({ operators: 'abcd', counted: false, rule: '2f+1' }, whole, 'all')
  expect(() => compareRuns({ ...setting, needs: { ...setting.needs, f: 2 } })).toThrow('two truths')
})
