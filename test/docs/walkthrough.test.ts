import { describe, expect, test } from 'vitest'
import { chaptersOf, hasStated, isAsStated } from './walkthrough.ts'

describe('a page', () => {
  test('is chapters of commands with what they print, and of files', () => {
    const page = [
      '# Title',
      '```console',
      '$ one \\',
      '  more',
      'printed',
      '$ two',
      '```',
      '## Programs',
      '```js',
      '// first.mjs',
      'go()',
      '```',
      '```sh',
      'not walked',
      '```',
      '## Prose alone',
    ].join('\n')
    expect(chaptersOf(page)).toEqual([
      {
        title: 'before all chapters',
        steps: [
          { kind: 'type', line: 3, command: 'one \\\n  more', output: 'printed\n' },
          { kind: 'type', line: 6, command: 'two', output: '' },
        ],
      },
      { title: 'Programs', steps: [{ kind: 'save', line: 10, path: 'first.mjs', text: 'go()\n' }] },
    ])
  })

  test('is refused where it prints before it types, or has a block without an end', () => {
    expect(() => chaptersOf('```console\nprinted\n```')).toThrow('line 2: there is output and no command')
    expect(() => chaptersOf('```console\n$ one')).toThrow('a block is not closed')
  })
})

describe('an output', () => {
  const stated = 'HTTP/1.1 200 OK\n...\nage: <seconds>\n\n{"user":"DSO::...","name":"dso.cns"}\n'

  test.each([
    ['HTTP/1.1 200 OK\r\ndate: now\r\nage: 0\r\n\r\n{"user":"DSO::12","name":"dso.cns"}', true],
    ['HTTP/1.1 200 OK\nage:  17 \n\n{"user":"DSO::12","name":"dso.cns"}\n', true],
    ['npm warn whatever\nHTTP/1.1 200 OK\nage: 0\n\n{"user":"DSO::","name":"dso.cns"}\n\n', true],
    ['HTTP/1.1 404 OK\nage: 0\n\n{"user":"DSO::12","name":"dso.cns"}', false],
    ['HTTP/1.1 200 OK\nage: 0 s\n\n{"user":"DSO::12","name":"dso.cns"}', false],
    ['HTTP/1.1 200 OK\nage: 0\n\n{"user":"DSO::12","name":"dso_cns"}', false],
    ['HTTP/1.1 200 OK\nage: 0\n\n{"user":"DSO::12","name":"dso.cns"}\nmore', false],
    ['', false],
  ])('%j is as stated: %s', (output, expected) => {
    expect(isAsStated(stated, output)).toBe(expected)
  })

  test('is as stated where nothing is stated and nothing printed', () => {
    expect(isAsStated('', '\n')).toBe(true)
    expect(isAsStated('', 'an error\n')).toBe(false)
  })

  test('that goes on has what is stated as soon as it begins with it', () => {
    expect(hasStated('...\nready\n', 'starting\n')).toBe(false)
    expect(hasStated('...\nready\n', 'starting\nready\nand more\n')).toBe(true)
  })
})
