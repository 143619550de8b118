import { z } from 'zod'
import { converted, decodes, type OptionKind } from './kinds.ts'

const redisIs =
  'redis://host:6379, redis+sentinel://host:26379,host:26379/group or redis+cluster://host:6379,host:6379 (rediss for TLS)'

const login = String.raw`([^@/?#\s]*@)?`
const address = String.raw`(\[[\da-fA-F:.]+\]|[^\s:[\]@/?#,]+)(:\d{1,5})?`
const addresses = `${address}(,${address})*`
const ofSentinels = String.raw`\?(sentinel(Username|Password)=[^\s&#]*(&|$))*`

/**
 * Patterns of valid Redis URLs. `parseRedisUrl` in `cache/` must accept every URL that matches one
 * of them.
 */
const redisForms = [
  new RegExp(`^rediss?://${login}${address}(/\\d{0,5})?$`),
  new RegExp(`^rediss?\\+sentinel://${login}${addresses}/[^\\s/?#]+(/\\d{0,5})?(${ofSentinels})?$`),
  new RegExp(`^rediss?\\+cluster://${login}${addresses}/?$`),
]

/** Returns the words that follow "must be" in the error message for a rejected URL. */
function redisFault(given: string): string {
  const [, path, query] = /^rediss?:\/\/[^/?#]+(?:\/([^?#]*))?(?:\?(.*))?$/.exec(given) ?? []
  if (path !== undefined && !/^\d{0,5}$/.test(path))
    return 'redis://host:6379/0 where a database is chosen: only a number may follow the /'
  return query === undefined ? redisIs : 'redis://host:6379 without a query: keys have no prefix to set'
}

export const redisUrl = {
  schema: converted(z.string({ error: redisIs }).trim(), redisFault, (given) => {
    const ports = [...given.matchAll(/:(\d{1,5})(?=[,/?]|$)/g)].map(([, port]) => Number(port))
    const fits =
      redisForms.some((form) => form.test(given)) && ports.every((port) => port > 0 && port < 65_536)
    return fits && decodes(given) ? given : undefined
  }),
  mustBe: redisIs,
} as const satisfies OptionKind
