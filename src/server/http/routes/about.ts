import { z } from 'zod'
import { SpliceError } from '../../../base/errors/splice.ts'
import type { Clock } from '../../../base/lib/clock.ts'
import { directoryPath, directoryType, keyDirectory } from '../../../receipts/key-directory.ts'
import type { ReceiptDesk } from '../../../receipts/receipt-desk.ts'
import { type About, readyStatus } from '../daemon-state.ts'
import type { PlainRoute } from './route.ts'

export interface JsonReply {
  readonly status: number
  readonly body?: unknown
}

export interface AboutPath {
  readonly path: string
  readonly summary: string
  readonly replies: Readonly<Record<number, { readonly description: string; readonly schema?: z.ZodType }>>
  readonly answer: (about: About, query: string) => JsonReply
}

const versionBody = z.object({ version: z.string(), commit_ts: z.iso.datetime() })
const statusBody = z.union([
  z.object({
    success: z.object({
      id: z.string(),
      uptime: z.string(),
      ports: z.object({}),
      extra: z.null(),
      active: z.boolean(),
    }),
  }),
  z.object({ not_initialized: z.object({ active: z.boolean() }) }),
])

/** The answers have the JSON format of Splice and Canton (common-external.yaml). */
export const aboutPaths: readonly AboutPath[] = [
  ...['', '/api/scan', '/api/validator'].flatMap((base): AboutPath[] => [
    {
      path: `${base}/livez`,
      summary: 'Whether the process is alive.',
      replies: { 200: { description: 'It is.' } },
      answer: () => ({ status: 200 }),
    },
    {
      path: `${base}/readyz`,
      summary: 'Whether reads can be answered; with ?quorum also whether a quorum is reachable.',
      replies: {
        200: { description: 'A roster is agreed.' },
        503: { description: 'There is no roster yet, or no more, or no quorum that can be reached.' },
      },
      answer: (about, query) => ({ status: readyStatus(about, new URLSearchParams(query)) }),
    },
  ]),
  ...['/api/scan', '/api/validator'].flatMap((base): AboutPath[] => [
    {
      path: `${base}/version`,
      summary: 'The version of this daemon.',
      replies: { 200: { description: 'The version, and when it was made.', schema: versionBody } },
      answer: ({ version, versionTime }) => ({ status: 200, body: { version, commit_ts: versionTime } }),
    },
    {
      path: `${base}/status`,
      summary: "The state of this daemon, in the form of a Canton node's.",
      replies: { 200: { description: 'Running, or not initialized yet.', schema: statusBody } },
      answer: nodeStatus,
    },
  ]),
]

function nodeStatus(about: About): JsonReply {
  if (!about.ready()) return { status: 200, body: { not_initialized: { active: false } } }
  const uptime = `${Math.floor(about.uptimeMs() / 1000)}s`
  return {
    status: 200,
    body: { success: { id: 'bft-scan-proxy', uptime, ports: {}, extra: null, active: true } },
  }
}

/**
 * Caches may keep the list of keys for an hour: a new key is in the list for much longer before the
 * daemon signs with it.
 */
const directoryAge = 'public, max-age=3600'

const digestPattern = /^[\w-]{43}$/

export function receiptRoutes(
  desk: Pick<ReceiptDesk, 'listedKeys' | 'document'>,
  clock: Pick<Clock, 'wall'>,
): readonly PlainRoute[] {
  return [
    {
      method: 'GET',
      path: directoryPath,
      id: 'receiptKeys',
      handler: () =>
        new Response(JSON.stringify(keyDirectory(desk.listedKeys(clock.wall()))), {
          headers: { 'content-type': directoryType, 'cache-control': directoryAge },
        }),
    },
    {
      method: 'GET',
      path: '/receipts/{digest}',
      id: 'receiptDocument',
      handler: (c) => {
        const digest = c.req.param('digest') ?? ''
        const text = digestPattern.test(digest) ? desk.document(digest) : undefined
        if (text === undefined) throw new SpliceError('unknownReceiptDocument', { digest })
        // The path contains the digest of the content, so the content never changes.
        return new Response(text, {
          headers: {
            'content-type': 'application/json',
            'cache-control': 'public, max-age=86400, immutable',
            etag: `"${digest}"`,
          },
        })
      },
    },
  ]
}
