import { expect, test } from 'vitest'
import { similarWord, suggestion } from '../../src/base/lib/similar-words.ts'

test('of words that are equally similar, the one that begins most like the mistyped one is suggested', () => {
  for (const known of [
    ['HTTP_HOST', 'HTTP_PORT'],
    ['HTTP_PORT', 'HTTP_HOST'],
  ]) {
    expect(similarWord('HTTP_POST', known)).toBe('HTTP_PORT')
  }
})

test.each([
  ['warning', ['trace', 'info', 'warn', 'error'], '; did you mean warn?'],
  ['main', ['localnet', 'remote', 'mainnet', 'testnet'], '; did you mean mainnet?'],
  ['lookup', ['lookupAnsEntryByParty', 'lookupAnsEntryByName'], '; did you mean lookupAnsEntryByName?'],
  ['no', ['none', 'nothing'], ''],
])('%s is taken as an abbreviation or a longer form of a known word', (word, known, says) => {
  expect(suggestion(word, known)).toBe(says)
})
