import { expect, test } from 'vitest'
import { type AbortNotice, AbortSource, throwIfAborted } from '../../src/lib/abort.ts'

const notices: readonly (readonly [string, () => { notice: AbortNotice; abort(reason: unknown): void }])[] = [
  [
    'AbortSource',
    () => {
      const source = new AbortSource()
      return { notice: source, abort: (reason) => source.abort(reason) }
    },
  ],
  [
    'AbortSignal',
    () => {
      const controller = new AbortController()
      return { notice: controller.signal, abort: (reason) => controller.abort(reason) }
    },
  ],
]

test.each(notices)('%s calls those who listen once, in their order, and knows why', (_, make) => {
  const { notice, abort } = make()
  const heard: string[] = []
  const leaves = () => heard.push('left')
  notice.addEventListener('abort', () => heard.push(`one ${notice.aborted} ${notice.reason}`))
  notice.addEventListener('abort', leaves)
  notice.addEventListener('abort', { handleEvent: () => heard.push('two') }, { once: true })
  notice.removeEventListener('abort', leaves)
  expect(() => throwIfAborted(notice)).not.toThrow()

  abort('why')
  abort('again')

  expect(heard).toEqual(['one true why', 'two'])
  expect(notice.reason).toBe('why')
  expect(() => throwIfAborted(notice)).toThrow('why')
})

test.each(notices)('%s that has aborted calls nobody who listens afterwards', (_, make) => {
  const { notice, abort } = make()
  abort(new Error('over'))
  notice.addEventListener('abort', () => expect.fail('called'))
  abort(new Error('more'))
  expect(() => throwIfAborted(notice)).toThrow('over')
})
