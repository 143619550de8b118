import { describe, expect, test } from 'vitest'
import { parseRedisUrl } from '../../src/base/lib/redis-url.ts'

const urls: Record<string, unknown> = {
  'redis://localhost': { kind: 'single', tls: false, host: 'localhost', port: 6379, db: 0 },
  'rediss://redis.example:6380/3': { kind: 'single', tls: true, host: 'redis.example', port: 6380, db: 3 },
  'redis://:p%40ss%2Fword@[::1]:7000': {
    kind: 'single',
    tls: false,
    password: 'p@ss/word',
    host: '::1',
    port: 7000,
    db: 0,
  },
  'redis://user:a:b@localhost': {
    kind: 'single',
    tls: false,
    username: 'user',
    password: 'a:b',
    host: 'localhost',
    port: 6379,
    db: 0,
  },
  'redis+sentinel://one,two:7000/main%20group/2?sentinelPassword=s%26p': {
    kind: 'sentinel',
    tls: false,
    sentinels: [
      { host: 'one', port: 26379 },
      { host: 'two', port: 7000 },
    ],
    name: 'main group',
    db: 2,
    sentinelPassword: 's&p',
  },
  'redis://localhost/?': { kind: 'single', tls: false, host: 'localhost', port: 6379, db: 0 },
  'redis+sentinel://one/main?sentinelUsername=u&sentinelPassword=': {
    kind: 'sentinel',
    tls: false,
    sentinels: [{ host: 'one', port: 26379 }],
    name: 'main',
    db: 0,
    sentinelUsername: 'u',
    sentinelPassword: '',
  },
  'rediss+cluster://user@10.0.0.1,10.0.0.2:7000': {
    kind: 'cluster',
    tls: true,
    username: 'user',
    nodes: [
      { host: '10.0.0.1', port: 6379 },
      { host: '10.0.0.2', port: 7000 },
    ],
  },
}

describe('a Redis URL', () => {
  for (const [url, target] of Object.entries(urls)) {
    test(`is understood: ${url}`, () => {
      expect(parseRedisUrl(url)).toEqual(target)
    })
  }
})
