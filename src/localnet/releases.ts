import { noRoute, type Reply, textReply } from './reply.ts'

/** What differs between the scans of two releases of Splice. */
export interface Release {
  /** The version that `/version` says. */
  readonly version: string
  readonly committedAt: string
  /** The paths in `reads.ts` that scans of this release do not know. */
  readonly lacks: readonly string[]
  readonly unknownPath: (uri: string) => Reply
  /** Whether verdicts have the member `round_number`. */
  readonly hasRoundNumbers: boolean
}

const numberedPages = [
  '/api/scan/v0/state/acs',
  '/api/scan/v1/state/acs',
  '/api/scan/v0/holdings/state',
  '/api/scan/v1/holdings/state',
]
const opaquePages = ['/api/scan/v2/state/acs', '/api/scan/v2/holdings/state']
const newIn0_9 = ['/api/scan/v0/events/latest-record-time', '/api/scan/v0/history/bulk/progress']

/** A further release of Splice is a further row. */
export const releases = {
  '0.7.5': {
    version: '0.7.5',
    committedAt: '2026-08-20T09:12:44Z',
    lacks: [...opaquePages, ...newIn0_9],
    unknownPath: noRoute,
    hasRoundNumbers: false,
  },
  '0.8': {
    version: '0.8.4',
    committedAt: '2026-09-24T14:40:09Z',
    lacks: newIn0_9,
    unknownPath: noRoute,
    hasRoundNumbers: false,
  },
  '0.9': {
    version: '0.9.0',
    committedAt: '2026-10-06T11:03:51Z',
    lacks: numberedPages,
    unknownPath: () => textReply(404, 'The requested resource could not be found.'),
    hasRoundNumbers: true,
  },
} as const satisfies Readonly<Record<string, Release>>

export type ReleaseName = keyof typeof releases

export const releaseNames = Object.keys(releases) as readonly ReleaseName[]

export const usualRelease: ReleaseName = '0.9'
