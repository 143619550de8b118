import { expect, test } from 'vitest'
import { redact, show } from '../../src/base/config/show.ts'

test.each([
  'redis://:pa"s3cret@127.0.0.1:1',
  'redis://:pass s3cret@h:6379',
  'redis://u:s3cret@p@s3cret@h:6379',
  'default:s3cret@h:6379',
  'http://h/?password=s3cret&x=1',
])('no secret of the URL %s is shown', (url) => {
  expect(redact(url)).not.toContain('s3cret')
  expect(show(url)).not.toContain('s3cret')
  expect(show({ redis: { url } })).not.toContain('s3cret')
})

test.each(['redis://h:6379', 'https://a.example/x?y=1', '127.0.0.1:8080', 'a::1220ab'])(
  'a text without credentials is shown as it is: %s',
  (text) => {
    expect(redact(text)).toBe(text)
  },
)
