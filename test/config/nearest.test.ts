import { expect, test } from 'vitest'
import { nearestKey } from '../../src/config/nearest.ts'
import { similarWord, suggestion } from '../../src/lib/similar-words.ts'

test('of settings that are equally similar, the one that begins most like the mistyped one is suggested', () => {
  for (const known of [
    ['http.host', 'http.post'],
    ['http.post', 'http.host'],
  ]) {
    expect(nearestKey('http', 'poost', known)).toBe('http.post')
    expect(nearestKey('http', 'hosst', known)).toBe('http.host')
    expect(nearestKey('http', 'pos', known)).toBe('http.post')
  }
})

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
