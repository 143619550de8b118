import { expect, test } from 'vitest'
import type { Answers } from '../../src/cache/answers.ts'
import { lookupAnsEntryByName } from '../../src/reads/ans.ts'
import { Reader, type ReaderDeps, type ReaderOptions } from '../../src/scan/reader.ts'
import type { Roster } from '../../src/scan/roster.ts'

test('who peeks again and again looks under the key of the roster of the moment', () => {
  const discovery: { roster: Roster | undefined } = { roster: undefined }
  const looked: string[] = []
  const answers = {
    peek: (key: string) => {
      looked.push(key)
      return undefined
    },
  } as unknown as Answers
  const reader = new Reader({} as ReaderOptions, { discovery, answers } as unknown as ReaderDeps)
  const { peek } = reader.lookup(lookupAnsEntryByName, { name: 'alice.unverified.cns' })

  peek()
  expect(looked).toEqual([])
  for (const trustDigest of ['one', 'other', 'other', 'one']) {
    discovery.roster = { trustDigest } as Roster
    peek()
    reader.lookup(lookupAnsEntryByName, { name: 'alice.unverified.cns' }).peek()
  }
  const [one, alsoOne, other] = looked
  expect(one).not.toBe(other)
  expect(alsoOne).toBe(one)
  expect(looked).toEqual([one, one, other, other, other, other, one, one])
})
