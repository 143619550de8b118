import { LRUCache } from 'lru-cache'
import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { type Holding, lacksPath } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import { tryParse } from './judgement.ts'
import type { ScanRequest, ScanResponse } from './node.ts'

/** For so long what a scan said is taken for what it has. */
const keptMs = 600_000
/** One that could not say is not asked again before. */
const unsaidMs = 60_000
/** Of one scan: callers choose the migrations that are asked about. */
const mostSaid = 16
/** A hundred ranges of time have some hundreds. */
const mostElements = 4_096

interface Said {
  /** Null for nothing; undefined where it is not known. */
  readonly what: unknown
  readonly until: number
}

/** What one scan says it has of the history: its own word, good for nothing but whom to ask first. */
export class Holdings {
  readonly #said = new LRUCache<string, Said>({ max: mostSaid })
  #asking = false

  /** Whether it said that it does not have this, or not any more. */
  lacks(holding: Holding, now: number): boolean {
    if (this.#said.size === 0) return false
    const said = this.#said.peek(keyOf(holding))
    if (said?.what !== undefined && now < said.until && !holding.isHeldBy(said.what)) return true
    return holding.and !== undefined && this.lacks(holding.and, now)
  }

  /** Asks, unless it is known or being asked. Rejects only when `ask` does. */
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

/** Whether a 404 is about what was asked, and not about the path. */
function saysNothing(json: Json): boolean {
  return isJsonObject(json) && typeof json['error'] === 'string' && !lacksPath(json['error'])
}
