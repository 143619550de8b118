import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import {
  declaredError,
  htmlReply,
  jsonReply,
  type Reply,
  replyOf,
  textReply,
  unexpectedError,
} from '../reply.ts'
import { defineFault } from './fault.ts'

function answering<const Kind extends string>(kind: Kind, sentence: string, reply: Reply) {
  return defineFault({ kind, sentence, effects: () => ({ say: () => reply }) })
}

const forbidden = answering(
  'forbidden',
  'lets nobody in: 403',
  declaredError(403, 'Authorization Failed for anonymous'),
)

const rateLimit = defineFault({
  kind: 'rate-limit',
  sentence: 'is behind a rate limit that is used up: 429',
  options: { retryAfter: z.int().min(0).max(3600).default(1).describe('retry-after, in seconds') },
  effects: ({ retryAfter }) => ({
    say: () =>
      textReply(429, 'Too Many Requests: Server is busy, please try again later.', [
        'retry-after',
        String(retryAfter),
      ]),
  }),
})

const redirect = defineFault({
  kind: 'redirect',
  sentence: 'sends callers on to the next super validator',
  options: { code: z.literal([301, 302, 303, 307, 308]).default(302).describe('the status') },
  effects: ({ code }) => ({
    say(_reply, { context, target }) {
      const { members } = context.network
      const next = members[(context.index + 1) % members.length] ?? context.member
      return replyOf(code, ['location', `${next.url}${target}`])
    },
  }),
})

const error = answering('error', 'fails inside: 500', unexpectedError)

const badGateway = answering(
  'bad-gateway',
  'is down behind its ingress: 502 with a page of HTML',
  htmlReply(502, '502 Bad Gateway'),
)

const status = defineFault({
  kind: 'status',
  sentence: 'answers everything with one status and an error body',
  options: {
    code: z.int().min(200).max(599).default(503).describe('the status'),
    error: z.string().optional().describe('the text of the error; without it, the status in words'),
  },
  effects: ({ code, error: text }) => ({
    say: () =>
      code === 204 || code === 304
        ? replyOf(code, [])
        : declaredError(code, text ?? `${code} ${STATUS_CODES[code] ?? 'Unknown'}`),
  }),
})

const unknownPath = defineFault({
  kind: 'unknown-path',
  sentence: 'knows none of the paths: 404 in the words of its release',
  effects: () => ({ say: (_reply, { uri, release }) => release.unknownPath(uri) }),
})

const oddVersion = defineFault({
  kind: 'odd-version',
  sentence: 'says that it runs a release nobody has heard of',
  options: {
    body: z.string().default('{"version":"1.0.0-snapshot"}').describe('what `/version` answers'),
  },
  effects: ({ body }) => ({ say: (reply, { read }) => (read === 'version' ? jsonReply(body) : reply) }),
})

export const refusalFaults = [
  forbidden,
  rateLimit,
  redirect,
  error,
  badGateway,
  status,
  unknownPath,
  oddVersion,
] as const
