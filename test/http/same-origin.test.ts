import { expect, test } from 'vitest'
import { isSameOrigin } from '../../src/http/middleware/same-origin.ts'

const cases: readonly (readonly [string, string, Record<string, string>, boolean])[] = [
  ['a GET of another site', 'GET', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, true],
  ['a form of the page', 'POST', { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:9464' }, true],
  [
    'a form of another site',
    'POST',
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    false,
  ],
  ['a form of another port of the same host', 'POST', { 'sec-fetch-site': 'same-site' }, false],
  ['an older browser on the page', 'POST', { origin: 'http://127.0.0.1:9464' }, true],
  ['an older browser on another site', 'POST', { origin: 'http://127.0.0.1:8080' }, false],
  ['a page whose origin is hidden', 'POST', { origin: 'null' }, false],
  ['a program', 'POST', {}, true],
  ['a DELETE of another site', 'DELETE', { 'sec-fetch-site': 'cross-site' }, false],
]

test.each(cases)('%s', (_what, method, headers, may) => {
  expect(isSameOrigin({ method, headers: new Headers({ host: '127.0.0.1:9464', ...headers }) })).toBe(may)
})
