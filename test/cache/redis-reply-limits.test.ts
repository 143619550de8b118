import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InvalidRedisReply, RespGuard } from '../../src/cache/resp-guard.ts'
import { bulk, list } from './resp.ts'

function passes(words: readonly string[], reply: string): boolean {
  const guard = new RespGuard(1_000)
  guard.sent(Buffer.from(list(...words.map(bulk))))
  try {
    guard.heard(Buffer.from(reply, 'latin1'))
    return true
  } catch (error) {
    if (error instanceof InvalidRedisReply && error.name === 'InvalidRedisReply') return false
    throw error
  }
}

const edges = (...numbers: readonly number[]) => fc.constantFrom(...numbers)

test('a redirection names one of 16,384 slots and a port, and is refused with anything else', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('MOVED', 'ASK'),
      edges(0, 1, 16_383, 16_384, 99_999),
      edges(0, 1, 65_535, 65_536, 99_999),
      (word, slot, port) => {
        const isSomewhere = slot < 16_384 && port > 0 && port < 65_536
        expect(passes(['get', 'k'], `-${word} ${slot} 10.0.0.1:${port}\r\n`)).toBe(isSomewhere)
      },
    ),
  )
  expect(passes(['get', 'k'], '-ERR something else\r\n')).toBe(true)
  expect(passes(['get', 'k'], '-ASK nowhere\r\n')).toBe(false)
  expect(passes(['get', 'k'], '-MOVED nowhere\r\n')).toBe(false)
})

test('a Sentinel names a host and a port, or nothing', () => {
  const words = ['sentinel', 'get-master-addr-by-name', 'main']
  fc.assert(
    fc.property(edges(0, 1, 65_535, 65_536), (port) => {
      expect(passes(words, list(bulk('10.0.0.1'), bulk(String(port))))).toBe(port > 0 && port < 65_536)
    }),
  )
  expect(passes(words, '*-1\r\n')).toBe(true)
  expect(passes(words, '$-1\r\n')).toBe(false)
  expect(passes(words, list(bulk('10.0.0.1'), bulk('x')))).toBe(false)
  expect(passes(words, list(bulk('10.0.0.1')))).toBe(false)
  expect(passes(words, list(bulk('no host'), bulk('6379')))).toBe(false)
})

test('an unknown command may have any reply that is small and flat', () => {
  for (const reply of ['+x\r\n', ':7\r\n', '$-1\r\n', '*-1\r\n', bulk('x'), list(bulk('a'), ':1\r\n')]) {
    expect([reply, passes(['hello'], reply)]).toEqual([reply, true])
  }
  expect(passes(['hello'], `${'*1\r\n'.repeat(4)}:1\r\n`)).toBe(true)
  expect(passes(['hello'], `${'*1\r\n'.repeat(5)}:1\r\n`)).toBe(false)
  expect(passes(['hello'], bulk('x'.repeat(60_000)))).toBe(true)
  expect(passes(['hello'], bulk('x'.repeat(70_000)))).toBe(false)
})

test.each(['ping', 'set', 'auth', 'select', 'readonly', 'readwrite', 'asking', 'client'])(
  '%s is answered by one short line',
  (word) => {
    expect(passes([word, 'a'], '+OK\r\n')).toBe(true)
    expect(passes([word, 'a'], `+${'x'.repeat(900)}\r\n`)).toBe(true)
    expect(passes([word, 'a'], ':1\r\n')).toBe(false)
    expect(passes([word, 'a'], bulk('OK'))).toBe(false)
    expect(passes([word, 'a'], '*0\r\n')).toBe(false)
    expect(passes([word, 'a'], `+${'x'.repeat(2_100)}\r\n`)).toBe(false)
  },
)

test.each([
  ['pttl', -3, false],
  ['pttl', -2, true],
  ['pttl', 1e15, true],
  ['unlink', -1, false],
  ['unlink', 0, true],
  ['xlen', -1, false],
  ['xlen', 10_000, true],
])('%s is answered by %d: %s', (word, answer, isRight) => {
  expect(passes([word, 'k'], `:${answer}\r\n`)).toBe(isRight)
  expect(passes([word, 'k'], bulk(String(answer)))).toBe(false)
})

test('an id in a stream is two numbers', () => {
  for (const id of ['1-1', '1526919030474-55']) expect(passes(['xadd', 'k'], bulk(id))).toBe(true)
  for (const id of ['', '1', '1-', 'x-1', '1-1-1', `${'1'.repeat(70)}-1`])
    expect([id, passes(['xadd', 'k'], bulk(id))]).toEqual([id, false])
  expect(passes(['xadd', 'k'], '$-1\r\n')).toBe(false)
})

test('a stream is read as items of fields, or there is nothing in it', () => {
  const item = list(bulk('7-0'), list(bulk('origin'), bulk('o')))
  expect(passes(['xread', 'STREAMS'], '*-1\r\n')).toBe(true)
  expect(passes(['xrange', 'k'], '*-1\r\n')).toBe(false)
  for (const word of ['xrange', 'xrevrange']) {
    expect(passes([word, 'k'], list(item, item))).toBe(true)
    expect(passes([word, 'k'], '*0\r\n')).toBe(true)
    expect(passes([word, 'k'], list(bulk('7-0')))).toBe(false)
  }
  expect(passes(['xread', 'STREAMS'], list(list(bulk('k'), list(item))))).toBe(true)
  expect(passes(['xread', 'STREAMS'], list(list(bulk('k'), list(item)), list(bulk('l'), list(item))))).toBe(
    false,
  )
  const large = list(bulk('7-0'), list(bulk('topics'), bulk('x'.repeat(200_000))))
  expect(passes(['xrange', 'k'], list(...Array(100).fill(large)))).toBe(true)
  const tooLarge = list(bulk('7-0'), list(bulk('topics'), bulk('x'.repeat(400_000))))
  expect(passes(['xrange', 'k'], list(tooLarge))).toBe(false)
})

test('information is a text of at most 256 KiB', () => {
  expect(passes(['info'], bulk('x'.repeat(262_144)))).toBe(true)
  expect(passes(['info'], bulk('x'.repeat(262_145)))).toBe(false)
  expect(passes(['info'], '$-1\r\n')).toBe(false)
})

test('the slots of a Cluster are ranges of slots with their nodes', () => {
  const node = list(bulk('10.0.0.1'), ':6379\r\n', bulk('a'.repeat(40)), '*0\r\n')
  const slots = (...ranges: readonly string[]) => passes(['cluster', 'slots'], list(...ranges))
  expect(slots(...Array(500).fill(list(':0\r\n', ':16383\r\n', node, node)))).toBe(true)
  expect(slots(list(':0\r\n', ':16384\r\n', node))).toBe(false)
  expect(slots(list(':-1\r\n', ':1\r\n', node))).toBe(false)
  expect(slots(list(':0\r\n', ':1\r\n', list(bulk('10.0.0.1'), ':-1\r\n', bulk('a'))))).toBe(false)
  expect(slots(list(':0\r\n', ':1\r\n', list(bulk('10.0.0.1'), ':65536\r\n', bulk('a'))))).toBe(false)
  expect(slots(list(':0\r\n', ':1\r\n', list(':1\r\n', ':6379\r\n', bulk('a'))))).toBe(false)
  expect(slots(list(':0\r\n', ':1\r\n', list('$-1\r\n', ':0\r\n', bulk('a'))))).toBe(true)
  expect(slots(...Array(1_025).fill(list(':0\r\n', ':1\r\n', node)))).toBe(false)
})

test('a complete reply passes at once, and bytes after it that no command caused are refused', () => {
  for (const reply of ['+x\r\n', ':7\r\n', '$-1\r\n', '*-1\r\n', '*0\r\n', bulk(''), bulk('x'), '-ERR\r\n']) {
    const guard = new RespGuard(1_000)
    expect(() => new RespGuard(1_000).heard(Buffer.from(':1\r\n'))).toThrow('Redis answered at first with')
    guard.sent(Buffer.from(list(bulk('hello'))))
    expect([reply, guard.heard(Buffer.from(reply)).length]).toEqual([reply, reply.length])
    expect(() => guard.heard(Buffer.from(':1\r\n'))).toThrow(
      'Redis answered hello with what nobody asked for',
    )
  }
})

test('the lines of a list count for its size', () => {
  const many = `*1000\r\n${':1000000000000000000\r\n'.repeat(1_000)}`
  expect(passes(['hello'], many)).toBe(true)
  expect(passes(['hello'], list(...Array(4).fill(many)))).toBe(false)
  expect(passes(['hello'], list(...Array(4).fill(`*1000\r\n${'$-1\r\n'.repeat(1_000)}`)))).toBe(true)
  expect(passes(['hello'], list(...Array(4).fill(`*4000\r\n${'$-1\r\n'.repeat(4_000)}`)))).toBe(false)
})
