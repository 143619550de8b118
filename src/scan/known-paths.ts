import type { Clock } from '../lib/clock.ts'
import type { ScanRequest, ScanResponse } from './node.ts'
import { saysUnknownPath } from './response-without-value.ts'

/** For this time, a scan that knew none of the paths is asked at the newest one only. */
const noneMs = 60_000

interface KnownPath {
  readonly path: string
  /** The scan knew no path when all were tried last, and is not asked at all of them before this. */
  readonly noneUntil: number
}

/**
 * Remembers at which of several paths one scan answers a question. The daemon learns this from the
 * scan's answers alone: it asks at the path that the scan knew last, and at the others, the newest
 * first, if the scan does not know that path any more.
 */
export class KnownPaths {
  readonly #clock: Clock
  /** By the newest path. */
  readonly #known = new Map<string, KnownPath>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async ask(
    { olderPaths, ...request }: ScanRequest,
    send: (request: ScanRequest) => Promise<ScanResponse>,
  ): Promise<ScanResponse> {
    if (olderPaths === undefined) return send(request)
    const { path: newest } = request
    const { path: tried = newest, noneUntil = 0 } = this.#known.get(newest) ?? {}
    let response = await send({ ...request, path: tried })
    if (!isUnknownPath(response) || this.#clock.now() < noneUntil) return response
    let last = tried
    // The scan may be upgraded between two of these requests, so the newest path also comes last.
    for (const path of [newest, ...olderPaths, newest]) {
      if (path === last) continue
      last = path
      if (response.kind === 'response') response.release()
      response = await send({ ...request, path })
      if (isUnknownPath(response)) continue
      this.#known.set(newest, { path, noneUntil: 0 })
      return response
    }
    this.#known.set(newest, { path: newest, noneUntil: this.#clock.now() + noneMs })
    return response
  }
}

function isUnknownPath(response: ScanResponse): boolean {
  return response.kind === 'response' && saysUnknownPath(response.status, response.body)
}
