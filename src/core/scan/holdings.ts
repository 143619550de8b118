import { LRUCache } from 'lru-cache'
import { isJsonObject } from '../../base/lib/canonical-json.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Holding } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import { saysUnknownPath, tryParse } from './judgement.ts'
import type { ScanRequest, ScanResponse } from './node.ts'

const keptMs = 600_000
/** A scan that gave no usable response about its history is asked again only after this time. */
const unsaidMs = 60_000
/**
 * The maximum number of responses about history that the daemon stores for one scan. Without a
 * maximum, callers could fill the memory with different questions.
 */
const mostSaid = 16
/**
 * The maximum number of JSON elements in a scan's response about its history. A response with a
 * hundred time ranges has some hundreds of elements.
 */
const mostElements = 4_096

interface HoldingsReply {
  /**
   * The history that the scan said it holds. Null if the scan holds nothing, undefined if it gave
   * no usable response.
   */
  readonly what: unknown
  /** False if the scan does not know the path. */
  readonly isKnown: boolean
  readonly until: number
}

/**
 * The history that one scan claims to hold. The daemon does not verify these claims. It uses them
 * only for peer selection and for the error of a read that fails.
 */
export class Holdings {
  readonly #said = new LRUCache<string, HoldingsReply>({ max: mostSaid })
  #asking = false

  lacks(holding: Holding, now: number): boolean {
    if (this.#said.size === 0) return false
    const said = this.#said.peek(keyOf(holding))
    if (said?.what !== undefined && now < said.until) {
      if (!holding.isHeldBy(said.what)) return true
    } else if (holding.otherwise !== undefined && this.lacks(holding.otherwise, now)) return true
    return holding.and !== undefined && this.lacks(holding.and, now)
  }

  /**
   * Asks the scan which history it holds, unless the daemon already knows. Does nothing while an
   * earlier call still waits for the scan. The promise rejects only if `ask` does.
   */
  async learn(
    holding: Holding,
    now: () => number,
    ask: (request: Pick<ScanRequest, 'method' | 'path' | 'body'>) => Promise<ScanResponse>,
  ): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    try {
      for (let part: Holding | undefined = holding; part !== undefined; part = part.and) {
        const isKnown = await this.#learnPart(part, now, ask)
        if (!isKnown && part.otherwise !== undefined) await this.#learnPart(part.otherwise, now, ask)
      }
    } finally {
      this.#asking = false
    }
  }

  /** @returns false if the scan does not know the path. */
  async #learnPart(
    holding: Holding,
    now: () => number,
    ask: (request: Pick<ScanRequest, 'method' | 'path' | 'body'>) => Promise<ScanResponse>,
  ): Promise<boolean> {
    const key = keyOf(holding)
    const known = this.#said.peek(key)
    if (known !== undefined && now() < known.until) return known.isKnown
    const { method, path, body } = holding
    const request = { method, path: `/api/scan${path}` } as const
    const told = whatIn(await ask(body === undefined ? request : { ...request, body }), holding)
    this.#said.set(key, {
      ...told,
      until: now() + (told.what === undefined && told.isKnown ? unsaidMs : keptMs),
    })
    return told.isKnown
  }
}

function keyOf({ path, body = '' }: Holding): string {
  return `${path} ${body}`
}

function whatIn(response: ScanResponse, holding: Holding): Omit<HoldingsReply, 'until'> {
  const unsaid = { what: undefined, isKnown: true }
  if (response.kind === 'fault') return unsaid
  const { status, body } = response
  const isKnown = !saysUnknownPath(status, body)
  const json = tryParse(body, { maxElements: mostElements })
  response.release()
  if (!isKnown) return { what: undefined, isKnown }
  if (typeof json === 'string') return unsaid
  if (status === 200) return { what: readingOf(holding, json.value)?.value, isKnown }
  const saysNothing = status === 404 && isJsonObject(json.value) && typeof json.value['error'] === 'string'
  return saysNothing ? { what: null, isKnown } : unsaid
}

interface HeardReplies<Scan> {
  readonly heard: readonly (Reply | undefined)[]
  readonly connections: readonly (Scan | undefined)[]
}

/**
 * If the replies to a read differ, asks the scans that replied which part of the history they hold.
 * Some scans may not have loaded the requested part, or may have pruned it.
 */
export function learnHoldings<Scan>(
  holding: Holding,
  { heard, connections }: HeardReplies<Scan>,
  all: { learn(scan: Scan, holding: Holding): unknown },
): void {
  if (!differ(heard.filter(isAboutIt))) return
  for (const [index, reply] of heard.entries()) {
    const connection = connections[index]
    if (isAboutIt(reply) && connection !== undefined) void all.learn(connection, holding)
  }
}

/**
 * Whether the reply may depend on the history that the scan holds. Of the faults, only
 * `server-error` may.
 */
function isAboutIt(reply: Reply | undefined): reply is Reply {
  return reply !== undefined && (reply.kind !== 'fault' || reply.fault === 'server-error')
}

function differ([first, ...others]: readonly Reply[]): boolean {
  return others.some((reply) => reply.kind !== first?.kind || voteOf(reply) !== voteOf(first))
}

function voteOf(reply: Reply): string | undefined {
  return reply.kind === 'value' || reply.kind === 'refusal' ? reply.vote : undefined
}
