/** What this daemon says of itself, in Splice's and Canton's forms (common-external.yaml). */
export interface About {
  readonly version: string
  /** ISO 8601: when this version was made. */
  readonly versionTime: string
  /** False until a roster is agreed, and again from the beginning of the shutdown. */
  readonly ready: () => boolean
  /** Whether as many voters as a threshold needs were reachable when last asked. */
  readonly quorumReachable: () => boolean
  readonly uptimeMs: () => number
}

/** A small JSON body, or none. */
export interface Said {
  readonly status: number
  readonly body?: unknown
}

export const aboutPaths: readonly {
  readonly path: string
  readonly say: (about: About, query: string) => Said
}[] = [
  ...['', '/api/scan', '/api/validator'].flatMap((base) => [
    { path: `${base}/livez`, say: () => ({ status: 200 }) },
    { path: `${base}/readyz`, say: readiness },
  ]),
  ...['/api/scan', '/api/validator'].flatMap((base) => [
    {
      path: `${base}/version`,
      say: ({ version, versionTime }: About) => ({ status: 200, body: { version, commit_ts: versionTime } }),
    },
    { path: `${base}/status`, say: nodeStatus },
  ]),
]

function readiness(about: About, query: string): Said {
  const quorum = query.split('&').includes('quorum')
  return { status: about.ready() && (!quorum || about.quorumReachable()) ? 200 : 503 }
}

function nodeStatus({ ready, uptimeMs }: About): Said {
  if (!ready()) return { status: 200, body: { not_initialized: { active: false } } }
  const uptime = `${Math.floor(uptimeMs() / 1000)}s`
  return {
    status: 200,
    body: { success: { id: 'bft-scan-proxy', uptime, ports: {}, extra: null, active: true } },
  }
}
