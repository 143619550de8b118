import { listAnsEntries, lookupAnsEntryByParty } from '../../src/reads/ans.ts'
import type { Question } from '../../src/reads/read.ts'
import { byName } from './mirrored.ts'

export const names = Array.from({ length: 24 }, (_, id) => `${'abc'[id % 3]}-${id}.unverified.cns`)

const prefixes = ['a-', 'b-1', 'c', 'zzz', 'sv-', '']

export function questionsAbout(parties: readonly string[]): readonly Question[] {
  return [
    ...[...names, 'nobody.unverified.cns', 'dso.cns'].map(byName),
    ...parties.map((party) => ({ read: lookupAnsEntryByParty, params: { party } })),
    ...prefixes.map((name_prefix) => ({ read: listAnsEntries, params: { name_prefix, page_size: '30' } })),
  ]
}
