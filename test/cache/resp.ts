import fc from 'fast-check'

export type Reply = string

export const bulk = (text: string): Reply => `$${Buffer.byteLength(text)}\r\n${text}\r\n`
export const list = (...items: readonly Reply[]): Reply => `*${items.length}\r\n${items.join('')}`

const word = fc.stringMatching(/^[a-zA-Z0-9 .:-]{0,20}$/)

export const replies: fc.Arbitrary<Reply> = fc.letrec<{ any: Reply; leaf: Reply }>((tie) => ({
  leaf: fc.oneof(
    word.map(bulk),
    word.map((text) => `+${text}\r\n`),
    word.map((text) => `-ERR ${text}\r\n`),
    fc.maxSafeInteger().map((number) => `:${number}\r\n`),
    fc.double({ noNaN: true }).map((number) => `,${number}\r\n`),
    fc.bigInt().map((number) => `(${number}\r\n`),
    word.map((text) => `=${text.length + 4}\r\ntxt:${text}\r\n`),
    word.map((text) => `!${text.length}\r\n${text}\r\n`),
    fc.constantFrom('$-1\r\n', '*-1\r\n', '_\r\n', '#t\r\n', '#f\r\n', '$0\r\n\r\n', '*0\r\n', '%0\r\n'),
    fc.constantFrom(
      '-MOVED 7 127.0.0.1:0\r\n',
      '-MOVED 99999 x\r\n',
      '-ASK\r\n',
      '-READONLY no\r\n',
      '-LOADING x\r\n',
    ),
  ),
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('any'), { maxLength: 4 }).map((items) => list(...items)),
    fc.array(tie('any'), { maxLength: 4 }).map((items) => `~${items.length}\r\n${items.join('')}`),
    fc
      .array(tie('any'), { minLength: 1, maxLength: 4 })
      .map((items) => `>${items.length}\r\n${items.join('')}`),
    fc
      .array(fc.tuple(tie('leaf'), tie('any')), { maxLength: 3 })
      .map((pairs) => `%${pairs.length}\r\n${pairs.flat().join('')}`),
  ),
})).any

/** Generates texts that are no reply, and the beginnings of replies that never end. */
export const nonsense: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom(
    '\r\n',
    ':\r\n',
    ':1e99\r\n',
    '$-2\r\n',
    '$99999999999999999999\r\n',
    '$536870912\r\n',
    '*2147483647\r\n',
    '*1000000\r\n',
    '%4294967295\r\n',
    '*1\r\n'.repeat(5_000),
    `+${'x'.repeat(100_000)}`,
    'HTTP/1.1 200 OK\r\n\r\n',
    '>1\r\n_\r\n',
  ),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
)
