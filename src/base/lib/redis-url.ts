interface RedisAddress {
  readonly host: string
  readonly port: number
}

interface RedisLogin {
  readonly username?: string
  readonly password?: string
  readonly tls: boolean
}

export type RedisTarget = RedisLogin &
  (
    | ({ readonly kind: 'single'; readonly db: number } & RedisAddress)
    | {
        readonly kind: 'sentinel'
        readonly sentinels: readonly RedisAddress[]
        readonly name: string
        readonly db: number
        readonly sentinelUsername?: string
        readonly sentinelPassword?: string
      }
    | { readonly kind: 'cluster'; readonly nodes: readonly RedisAddress[] }
  )

/** These words follow "must be" in the message about a URL that is none of Redis. */
export const redisUrlIs =
  'redis://host:6379, redis+sentinel://host:26379,host:26379/group or redis+cluster://host:6379,host:6379 (rediss for TLS)'

const form =
  /^(rediss?)(\+sentinel|\+cluster)?:\/\/(?:([^@/?#\s]*)@)?([^@/?#\s]+)(?:\/([^?#\s]*))?(?:\?([^#\s]*))?$/

/**
 * Parses the URL of a Redis server, of its Sentinels or of its Cluster. The scheme `rediss` instead
 * of `redis` means TLS.
 *
 * - `redis://[user:password@]host[:6379][/db]`
 * - `redis+sentinel://[user:password@]host[:26379],host.../name[/db]`, optionally with the
 *   parameters `sentinelUsername` and `sentinelPassword`
 * - `redis+cluster://[user:password@]host[:6379],host...`
 *
 * User, password and name are percent-encoded.
 *
 * @throws TypeError whose message says what a URL must be. It does not repeat the URL, which may
 * contain a password.
 */
export function parseRedisUrl(url: string): RedisTarget {
  const match = form.exec(url)
  if (match === null) throw new TypeError(redisUrlIs)
  const [, scheme, suffix, userinfo, hosts = '', path = '', query] = match
  const login = { ...parseLogin(userinfo), tls: scheme === 'rediss' }
  switch (suffix) {
    case undefined: {
      const [address, ...more] = parseHosts(hosts, 6379)
      if (address === undefined || more.length > 0) throw new TypeError(redisUrlIs)
      noQuery(query)
      return { kind: 'single', ...login, ...address, db: parseDb(path) }
    }
    case '+cluster':
      noQuery(query)
      if (path !== '') throw new TypeError(redisUrlIs)
      return { kind: 'cluster', ...login, nodes: parseHosts(hosts, 6379) }
    default: {
      const [name = '', db = ''] = path.split('/')
      if (name === '') throw new TypeError(redisUrlIs)
      return {
        kind: 'sentinel',
        ...login,
        sentinels: parseHosts(hosts, 26379),
        name: decode(name),
        db: parseDb(db),
        ...parseSentinelLogin(query),
      }
    }
  }
}

function parseLogin(userinfo: string | undefined): Omit<RedisLogin, 'tls'> {
  if (userinfo === undefined) return {}
  const colon = userinfo.indexOf(':')
  if (colon < 0) return { username: decode(userinfo) }
  const password = decode(userinfo.slice(colon + 1))
  return colon === 0 ? { password } : { username: decode(userinfo.slice(0, colon)), password }
}

function parseSentinelLogin(query: string | undefined): {
  sentinelUsername?: string
  sentinelPassword?: string
} {
  const login: { sentinelUsername?: string; sentinelPassword?: string } = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (name !== 'sentinelUsername' && name !== 'sentinelPassword') throw new TypeError(redisUrlIs)
    login[name] = value
  }
  return login
}

function noQuery(query: string | undefined): void {
  if (query !== undefined && query !== '')
    throw new TypeError('redis://host:6379 without a query: keys have no prefix to set')
}

function parseHosts(hosts: string, defaultPort: number): RedisAddress[] {
  return hosts.split(',').map((text) => {
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text)
    const host = match?.[1] ?? match?.[2]
    const port = Number(match?.[3] ?? defaultPort)
    if (host === undefined || port < 1 || port > 65_535) throw new TypeError(redisUrlIs)
    return { host, port }
  })
}

function parseDb(text: string): number {
  if (!/^\d{0,5}$/.test(text))
    throw new TypeError('redis://host:6379/0 where a database is chosen: only a number may follow the /')
  return Number(text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError(redisUrlIs)
  }
}
