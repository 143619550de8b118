import { describe, expect, test } from 'vitest'
import { logLines } from './log-lines.ts'

describe('a line', () => {
  test('is JSON with level, time, service, version, the fields and the message', () => {
    const { logger, written, lines } = logLines()
    logger.warn({ read: 'listAnsEntries', asked: 5 }, 'a read was not agreed on')
    expect(written[0]?.endsWith('}\n')).toBe(true)
    expect(lines()).toEqual([
      {
        level: 'warn',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        service: 'bft-scan-proxy',
        version: '1.2.3',
        read: 'listAnsEntries',
        asked: 5,
        msg: 'a read was not agreed on',
      },
    ])
  })

  test('is written from its level on', () => {
    const { logger, lines } = logLines('warn')
    logger.debug({}, 'debug')
    logger.info({}, 'info')
    logger.warn({}, 'warn')
    logger.error({}, 'error')
    expect(lines().map(({ msg }) => msg)).toEqual(['warn', 'error'])
    const silent = logLines('silent')
    silent.logger.error({}, 'error')
    expect(silent.written).toEqual([])
  })

  test('has the fields of the child it comes from', () => {
    const { logger, lines } = logLines()
    logger.child({ room: 'scan' }).child({ sv: 'sv-1' }).info({ asked: 1 }, 'said')
    expect(lines()[0]).toMatchObject({ room: 'scan', sv: 'sv-1', asked: 1, msg: 'said' })
  })

  test('holds no key twice', () => {
    const { logger, written } = logLines()
    logger.info({ level: 'low', time: 3, msg: 'x', version: '0', service: 's' }, 'said')
    for (const key of ['level', 'time', 'msg', 'version', 'service']) {
      expect(written[0]?.split(`"${key}":`)).toHaveLength(2)
    }
  })

  test('tells an error with its causes, and survives what JSON cannot say', () => {
    const { logger, lines } = logLines()
    const around: Record<string, unknown> = {
      count: 12n,
      bytes: Buffer.alloc(9),
      set: new Set([1]),
      map: new Map([['a', 1]]),
    }
    around['around'] = around
    const err = new Error('outer', { cause: Object.assign(new TypeError('inner'), { code: 'ECONNRESET' }) })
    logger.error({ err, around, when: new Date(0) }, 'failed')
    expect(lines()[0]).toMatchObject({
      err: {
        type: 'Error',
        message: 'outer',
        cause: { type: 'TypeError', message: 'inner', code: 'ECONNRESET' },
      },
      around: { count: '12', bytes: '9 bytes', set: [1], map: { a: 1 }, around: '[repeated]' },
      when: '1970-01-01T00:00:00.000Z',
    })
  })

  test('is bounded', () => {
    const { logger, written } = logLines()
    logger.info(
      { text: 'x'.repeat(1_000_000), list: Array.from({ length: 10_000 }, () => 'y') },
      'z'.repeat(1_000_000),
    )
    expect(written[0]?.length).toBeLessThan(25_000)
  })
})

describe('secrets', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLW9mLWFsaWNl'

  test.each<[string, Record<string, unknown>, string]>([
    ['an authorization header', { headers: { Authorization: 'Bearer s3cr3t-s3cr3t' } }, ''],
    ['a Headers object', { headers: new Headers({ authorization: 'Basic s3cr3ts3cr3t' }) }, ''],
    ['raw headers as a list', { rawHeaders: ['authorization', 'Bearer s3cr3t-s3cr3t'] }, ''],
    ['a cookie', { 'set-cookie': ['id=s3cr3t'] }, ''],
    ['an access token', { access_token: 's3cr3t' }, ''],
    ['a client secret deep inside', { a: { b: [{ clientSecret: 's3cr3t' }] } }, ''],
    ['an HMAC key', { cache: { redis: { secret: 's3cr3t', hmacKey: 's3cr3t' } } }, ''],
    ['a password under a Map key', { options: new Map([['password', 's3cr3t']]) }, ''],
    ['a Redis URL', { url: 'redis://default:s3cr3t@127.0.0.1:6379/0' }, ''],
    ['a Redis URL whose password has an @', { url: 'rediss://u:s3cr3t@p@s3cr3t@127.0.0.1' }, ''],
    ['a Sentinel URL', { url: 'redis+sentinel://:s3cr3t@a:1,b:2/group' }, ''],
    ['a URL object', { url: new URL('https://user:s3cr3t@example.org/x') }, ''],
    ['the message', {}, 'cannot reach redis://:s3cr3t@127.0.0.1:6379'],
    ['a query', { path: '/callback?access_token=s3cr3t&x=1' }, ''],
    ['the text of an error', { err: new Error('connect rediss://u:s3cr3t@example.org failed') }, ''],
    ['a cause', { err: new Error('x', { cause: new Error('AUTH password=s3cr3t') }) }, ''],
    ['a JSON text', { body: '{"client_secret":"s3cr3t"}' }, ''],
    ['a key', { 'redis://u:s3cr3t@example.org': 1 }, ''],
  ])('are not in the log: %s', (_, fields, message) => {
    const { logger, written } = logLines()
    logger.info(fields, message)
    logger.child(fields).info({}, message)
    expect(written).toHaveLength(2)
    expect(written.join('')).not.toContain('s3cr3t')
    expect(written.join('')).toContain('[redacted]')
  })

  test('are not in the log: a JSON web token anywhere', () => {
    const { logger, written } = logLines()
    logger.info({ text: `got ${jwt} from alice` }, jwt)
    expect(written.join('')).not.toMatch(/eyJ|c2lnbmF0dXJl/)
    expect(written.join('')).toContain('from alice')
  })

  test('are not in the log: what the configuration calls secret, wherever and however it is written', () => {
    const { logger, written } = logLines('debug', ['correct horse/battery', 'short'])
    logger.info(
      { note: 'the key is correct horse/battery', url: '/x?k=correct%20horse%2Fbattery' },
      'a short note',
    )
    expect(written.join('')).not.toMatch(/battery/)
    expect(written.join('')).toContain('a short note')
  })

  test('are not in the log: the half of one that is at the place where a long text is cut', () => {
    const secret = `correct horse ${'battery'.repeat(40)}`
    const { logger, written } = logLines('debug', [secret])
    for (let at = 16_000; at < 16_384; at += 10) {
      // Redacting the secrets in `before` shortens the text to less than what a line may have.
      const before = Array.from({ length: 30 }, () => secret).join(' ')
      logger.info(
        { text: `${before}${'.'.repeat(at - before.length)}${secret} ${'x'.repeat(9_000)}` },
        'long',
      )
    }
    expect(written.join('')).not.toMatch(/correct|battery/)
    expect(written.join('')).toContain('[redacted] [redacted]')
  })

  test('that are not set are shown differently from those that are', () => {
    const { logger, lines } = logLines()
    logger.info(
      { redis: { secret: null, url: 'redis://127.0.0.1:6379' }, token: '', password: undefined },
      'configured',
    )
    expect(lines()[0]).toMatchObject({ redis: { secret: null, url: 'redis://127.0.0.1:6379' }, token: '' })
  })
})

describe('adjusting a logger', () => {
  test('changes the level of the logger and of its children at once', () => {
    const { logger, lines } = logLines('info')
    const child = logger.child({ room: 'scan' })
    child.debug({}, 'before')
    logger.adjust({ level: 'debug' })
    child.debug({}, 'after')
    expect(child.atDebug).toBe(true)
    logger.adjust({ level: 'error' })
    logger.warn({}, 'too late')
    expect(child.atDebug).toBe(false)
    expect(lines().map(({ msg }) => msg)).toEqual(['after'])
  })

  test('hides a new secret, and still hides the one before', () => {
    const { logger, written } = logLines('info', ['the-former-secret'])
    const child = logger.child({})
    logger.adjust({ level: 'info', secrets: ['the-latter-secret'] })
    for (const log of [logger, child]) log.info({ note: 'the-former-secret' }, 'the-latter-secret')
    expect(written).toHaveLength(2)
    expect(written.join('')).not.toMatch(/the-(?:former|latter)-secret/)
  })
})
