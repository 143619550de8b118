import { LRUCache } from 'lru-cache'
import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { lacksPath } from '../reads/known-abstentions.ts'
import type { Holding } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import { tryParse } from './judgement.ts'
import type { ScanRequest, ScanResponse } from './node.ts'

/** The time for which a scan's statement about its history stays valid, in milliseconds. */
const keptMs = 600_000
/** If a scan did not say which history it has, the daemon asks it again only after this many milliseconds. */
const unsaidMs = 60_000
/**
 * The maximum number of statements that are stored for each scan. Callers choose the migration ids in the
 * requests, and could otherwise fill memory.
 */
const mostSaid = 16
/**
 * The maximum number of JSON elements in a scan's statement about its history. A statement with a hundred time ranges
 * has some hundreds of elements.
 */
const mostElements = 4_096

interface Said {
  /** The scan's statement. Null if the scan holds nothing, undefined if it gave no statement. */
  readonly what: unknown
  readonly until: number
}

/**
 * Records which history one scan says that it holds. The daemon does not verify that. It uses it for peer selection,
 * and for the error of a read that fails.
 */
export class Holdings {
  readonly #said = new LRUCache<string, Said>({ max: mostSaid })
  #asking = false

  /** Whether the scan said of itself that it has not loaded this history, or has pruned it. */
  lacks(holding: Holding, now: number): boolean {
    if (this.#said.size === 0) return false
    const said = this.#said.peek(keyOf(holding))
    if (said?.what !== undefined && now < said.until && !holding.isHeldBy(said.what)) return true
    return holding.and !== undefined && this.lacks(holding.and, now)
  }

  /**
   * Asks the scan which history it holds, unless that is known. Does nothing while an earlier call still
   * waits for the reply. Rejects only if `ask` does.
   */
  async learn(
    holding: Holding,
    now: () => number,
    ask: (request: Pick<ScanRequest, 'method' | 'path' | 'body'>) => Promise<ScanResponse>,
  ): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    try {
      for (let part: Holding | undefined = holding; part !== undefined; part = part.and)
        await this.#learnPart(part, now, ask)
    } finally {
      this.#asking = false
    }
  }

  async #learnPart(
    holding: Holding,
    now: () => number,
    ask: (request: Pick<ScanRequest, 'method' | 'path' | 'body'>) => Promise<ScanResponse>,
  ): Promise<void> {
    const key = keyOf(holding)
    const known = this.#said.peek(key)
    if (known !== undefined && now() < known.until) return
    const { method, path, body } = holding
    const request = { method, path: `/api/scan${path}` } as const
    const what = whatIn(await ask(body === undefined ? request : { ...request, body }), holding)
    this.#said.set(key, { what, until: now() + (what === undefined ? unsaidMs : keptMs) })
  }
}

function keyOf({ path, body = '' }: Holding): string {
  return `${path} ${body}`
}

function whatIn(response: ScanResponse, holding: Holding): unknown {
  if (response.kind === 'fault') return undefined
  const { status, body } = response
  const json = tryParse(body, { maxElements: mostElements })
  response.release()
  if (typeof json === 'string') return undefined
  if (status === 200) return readingOf(holding, json.value)?.value
  return status === 404 && saysNothing(json.value) ? null : undefined
}

/**
 * Whether a 404 says that the scan holds none of this history. A 404 because the scan lacks the path does not
 * say that.
 */
function saysNothing(json: Json): boolean {
  return isJsonObject(json) && typeof json['error'] === 'string' && !lacksPath(json['error'])
}
