import { isJsonObject, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { type Holding, lacksPath } from '../reads/read.ts'
import type { ScanRequest, ScanResponse } from './node.ts'

/** For so long what a scan said is taken for what it has. */
const keptMs = 600_000
/** One that could not say is not asked again before. */
const unsaidMs = 60_000
/** Of one scan: callers choose the migrations that are asked about. */
const mostSaid = 16

interface Said {
  /** Null for nothing; undefined where it is not known. */
  readonly what: unknown
  readonly until: number
}

/** What one scan says it has of the history: its own word, good for nothing but whom to ask first. */
export class Holdings {
  readonly #said = new Map<string, Said>()
  #asking = false

  /** Whether it said that it does not have this. */
  lacks(holding: Holding, now: number): boolean {
    if (this.#said.size === 0) return false
    const said = this.#said.get(keyOf(holding))
    return said?.what !== undefined && now < said.until && !holding.isHeldBy(said.what)
  }

  /** Asks, unless it is known or being asked. Rejects only when `ask` does. */
  async learn(
    holding: Holding,
    now: () => number,
    ask: (request: Pick<ScanRequest, 'method' | 'path' | 'body'>) => Promise<ScanResponse>,
  ): Promise<void> {
    const key = keyOf(holding)
    const known = this.#said.get(key)
    if (this.#asking || (known !== undefined && now() < known.until)) return
    this.#asking = true
    try {
      const { method, path, body } = holding
      const request = { method, path: `/api/scan${path}` } as const
      const what = whatIn(await ask(body === undefined ? request : { ...request, body }), holding)
      this.#said.delete(key)
      this.#said.set(key, { what, until: now() + (what === undefined ? unsaidMs : keptMs) })
      const [oldest = key] = this.#said.keys()
      if (this.#said.size > mostSaid) this.#said.delete(oldest)
    } finally {
      this.#asking = false
    }
  }
}

function keyOf({ path, body = '' }: Holding): string {
  return `${path} ${body}`
}

function whatIn(response: ScanResponse, { reply }: Holding): unknown {
  if (response.kind === 'fault') return undefined
  const { status, body } = response
  try {
    if (status === 200) return reply.safeParse(parseJson(body)).data
    return status === 404 && saysNothing(body) ? null : undefined
  } catch (error) {
    if (error instanceof MisshapenJson) return undefined
    throw error
  } finally {
    response.release()
  }
}

/** Whether a 404 is about what was asked, and not about the path. */
function saysNothing(body: Buffer): boolean {
  const json = parseJson(body)
  return isJsonObject(json) && typeof json['error'] === 'string' && !lacksPath(json['error'])
}
