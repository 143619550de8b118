import { expect, test } from 'vitest'
import { checkAll, checkEveryWay, settingsOf } from './check-all.ts'
import { groupedRosters, kinds, plainRosters, upTo } from './settings.ts'

const impatient = kinds.filter(({ policy }) => !policy.patient)
const lists = kinds.filter(({ policy: { agree } }) => agree === 'items' || agree === 'history')

test.each(lists)(
  'the rules of agreement hold for $name with any assignment of voters to operators',
  (kind) => {
    expect(checkAll(settingsOf(kind, groupedRosters(3, ['2f+1']))).states).toBeGreaterThan(100)
  },
)

test.each(impatient)(
  'of two voters that must agree, states that differ in names alone lead to the same states: $name',
  (kind) => {
    for (const n of upTo(3))
      for (const setting of settingsOf(kind, plainRosters(n, [2])).slice(0, 1)) checkEveryWay(setting)
  },
)
