import { expect, test } from 'vitest'
import type { Answers } from '../../src/cache/answers.ts'
import { lookupAnsEntryByName } from '../../src/reads/ans.ts'
import { PageTokens } from '../../src/scan/page-tokens.ts'
import { Reader, type ReaderDeps, type ReaderOptions } from '../../src/scan/reader.ts'
import type { Roster } from '../../src/scan/roster.ts'

test('an answer is looked for under the key of the roster of the moment, and of its question', () => {
  const keys: string[] = []
  const answers = { get: (key: string) => keys.push(key) } as unknown as Answers
  const discovery = { roster: {} as Roster }
  const deps = { discovery, answers, pages: new PageTokens() } as unknown as ReaderDeps
  const reader = new Reader({} as ReaderOptions, deps)
  for (const trustDigest of ['one', 'other', 'one'])
    for (const name of ['alice.unverified.cns', 'bob.unverified.cns']) {
      discovery.roster = { trustDigest, set: { dso: 'DSO::1220aa' } } as Roster
      void reader.answer({ read: lookupAnsEntryByName, params: { name } })
    }
  expect(new Set(keys).size).toBe(4)
  expect(keys.slice(4)).toEqual(keys.slice(0, 2))
})
