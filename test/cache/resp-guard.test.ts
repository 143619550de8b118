import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidRedisReply, RespGuard } from '../../src/cache/resp-guard.ts'
import { bulk, list, nonsense, replies } from './resp.ts'

const largestValue = 1_000

const command = (...words: readonly string[]) => Buffer.from(list(...words.map(bulk)))
const node = list(bulk('10.0.0.1'), ':6379\r\n', bulk('a'.repeat(40)), '*0\r\n')
const item = list(bulk('7-0'), list(bulk('origin'), bulk('o')))

/** Commands with their valid replies. The first reply of each is a success. */
const right: readonly (readonly [words: readonly string[], ...replies: readonly string[]])[] = [
  [['PING'], '+PONG\r\n'],
  [
    ['PTTL', 'k'],
    ':-2\r\n',
    ':300000\r\n',
    '-LOADING Redis is loading\r\n',
    '-MOVED 16383 10.0.0.1:6379\r\n',
  ],
  [
    ['getrange', 'k', '0', '9'],
    bulk('{}'),
    '$0\r\n\r\n',
    bulk('x'.repeat(largestValue)),
    '-WRONGTYPE no\r\n',
  ],
  [['set', 'k', 'v', 'PX', '1'], '+OK\r\n', '-OOM no\r\n'],
  [['unlink', 'k'], ':0\r\n', ':1\r\n'],
  [['xadd', 'k', '*', 'a', 'b'], bulk('1526919030474-55')],
  [['xlen', 'k'], ':10000\r\n'],
  [['xread', 'STREAMS', 'k', '0-0'], '*-1\r\n', list(list(bulk('k'), list(item, item)))],
  [['xrange', 'k', '-', '+'], '*0\r\n', list(item)],
  [['auth', 'p'], '+OK\r\n', '-WRONGPASS no\r\n'],
  [['select', '1'], '+OK\r\n'],
  [['info'], bulk('# Server\r\nrole:master\r\n')],
  [['cluster', 'SLOTS'], list(list(':0\r\n', ':16383\r\n', node, node)), '*0\r\n'],
  [['SENTINEL', 'get-master-addr-by-name', 'main'], '*-1\r\n', list(bulk('10.0.0.1'), bulk('6379'))],
]

function converse(
  commands: readonly Buffer[],
  heard: Buffer,
  sizes: readonly number[] = [],
): Error | undefined {
  const guard = new RespGuard(largestValue)
  for (const bytes of commands) guard.sent(bytes)
  try {
    for (let at = 0, turn = 0; at < heard.length; turn++) {
      const size = sizes[turn % Math.max(1, sizes.length)] ?? heard.length
      guard.heard(heard.subarray(at, at + size))
      at += size
    }
    return undefined
  } catch (error) {
    return error as Error
  }
}

describe('the guard of a connection to Redis', () => {
  test('lets every right reply pass, in whatever pieces it arrives', () => {
    const all = right.flatMap(([words, ...replies]) => replies.map((reply) => ({ words, reply })))
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...all), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (exchanges, sizes) => {
          const sent = Buffer.concat(exchanges.map(({ words }) => command(...words)))
          const heard = Buffer.from(exchanges.map(({ reply }) => reply).join(''))
          expect(converse([sent], heard, sizes)).toBeUndefined()
          expect(converse([sent], Buffer.concat([heard, Buffer.from(':1\r\n')]), sizes)).toBeInstanceOf(
            InvalidRedisReply,
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  test('says the same of the same bytes, in whatever pieces they arrive, and fails in no other way', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...right.map(([words]) => words)),
        fc.array(fc.oneof(replies, nonsense), { minLength: 1, maxLength: 3 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (words, said, sizes) => {
          const heard = Buffer.from(said.join(''), 'latin1').subarray(0, 20_000)
          const sent = said.map(() => command(...words))
          const [whole, pieces] = [converse(sent, heard), converse(sent, heard, sizes)]
          for (const error of [whole, pieces])
            if (error !== undefined) expect(error).toBeInstanceOf(InvalidRedisReply)
          if (whole === undefined) expect(pieces).toBeUndefined()
          if (pieces === undefined) expect(whole).toBeUndefined()
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each([
    ['a value of another type', ['getrange', 'k'], ':1\r\n'],
    ['no value', ['getrange', 'k'], '$-1\r\n'],
    ['a status in place of a value', ['getrange', 'k'], '+OK\r\n'],
    ['a list in place of a value', ['getrange', 'k'], '*0\r\n'],
    ['a value that is too long', ['getrange', 'k'], `$${largestValue + 1}\r\n`],
    ['a text in place of a number', ['pttl', 'k'], bulk('7')],
    ['a number that is none', ['pttl', 'k'], ':1e3\r\n'],
    ['a null of RESP3', ['pttl', 'k'], '_\r\n'],
    ['a slot that is none', ['cluster', 'slots'], list(list(':0\r\n', ':999999999\r\n', node))],
    ['ports that are none', ['sentinel', 'get-master-addr-by-name'], list(bulk('h'), bulk('99999'))],
    ['a redirection to nowhere', ['pttl', 'k'], '-MOVED 12 x\r\n'],
    ['an item without an id', ['xrange', 'k'], list(list(bulk('x'), list()))],
    ['a message that nobody subscribed to', ['subscribe', 'c'], list(bulk('message'), bulk('c'), bulk('m'))],
    ['an error inside of a list', ['cluster', 'slots'], list('-ERR no\r\n')],
    ['an error inside of an unknown reply', ['hello'], list('-ERR no\r\n')],
    ['more lists than it may', ['xrange', 'k'], '*2147483647\r\n'],
    ['lists without end', ['hello'], '*1\r\n'.repeat(9)],
    ['a line without end', ['ping'], `+${'x'.repeat(2_000)}`],
  ])('ends a connection that answers %s', (_what, words, reply) => {
    expect(converse([command(...words)], Buffer.from(reply))).toBeInstanceOf(InvalidRedisReply)
  })

  test('gives no byte of a line before the line has ended', () => {
    for (const begun of ['_', ':', '$-1\r', '*-1\r', ':5\r', '+O']) {
      const guard = new RespGuard(largestValue)
      guard.sent(command('ping'))
      expect(guard.heard(Buffer.from(begun))).toHaveLength(0)
    }
  })

  test('lets messages of a channel pass once that is subscribed to', () => {
    const confirmed = list(bulk('subscribe'), bulk('c'), ':1\r\n')
    const message = list(bulk('message'), bulk('c'), bulk('m'))
    const sent = [command('subscribe', 'c')]
    expect(converse(sent, Buffer.from(confirmed + message + message), [3])).toBeUndefined()
    const other = list(bulk('pmessage'), bulk('c'), bulk('m'))
    expect(converse(sent, Buffer.from(confirmed + other))).toBeInstanceOf(InvalidRedisReply)
  })
})
