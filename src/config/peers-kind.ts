import { z } from 'zod'
import { withoutTrailing } from '../lib/without-trailing.ts'
import { converted, type OptionKind, tryHttpUrl } from './kinds.ts'

const peersIs =
  'a map from the name of each of at most 8 daemons to its url and to keys, the ids of 1 to 4 keys of 43 characters each'
const nameIs = 'named by 1 to 64 letters, digits, dots, - or _'
const peerIs = 'a daemon with url and keys, and nothing else'
const urlIs = 'the URL of a daemon without credentials, query or hash, such as https://scan.example.org'
const keysAre = 'a list of the ids of 1 to 4 keys'
const keyIs = 'the id of a key, which has 43 characters'

const mostPeers = 8

const peerUrl = converted(z.string({ error: urlIs }), urlIs, (given) => {
  const url = tryHttpUrl(given)
  if (url === undefined || url.username + url.password + url.search + url.hash !== '') return undefined
  return withoutTrailing('/', url.href)
})

const peer = z.strictObject(
  {
    url: peerUrl,
    keys: z
      .array(z.string({ error: keyIs }).regex(/^[\w-]{43}$/, { error: keyIs }), { error: keysAre })
      .min(1, { error: keysAre })
      .max(4, { error: keysAre }),
  },
  { error: peerIs },
)

const known = z.record(z.string().regex(/^[\w.-]{1,64}$/), peer, {
  error: ({ code }) => (code === 'invalid_key' ? nameIs : peersIs),
})

/**
 * An option that names daemons of other operators: a URL for each, and the ids of its signing keys.
 */
export const peers = {
  schema: z.record(z.string(), z.unknown(), { error: peersIs }).transform((given, ctx) => {
    const { success, data, error } = known.safeParse(given)
    if (success && Object.keys(given).length <= mostPeers) return data
    const found = error?.issues ?? [{ path: [], message: peersIs }]
    for (const { path, message } of found) ctx.issues.push({ code: 'custom', path, message, input: given })
    return z.NEVER
  }),
  mustBe: peersIs,
} as const satisfies OptionKind
