import { hash } from 'node:crypto'
import type { Json } from './json.ts'

// The tokens of pages and streams are opaque to callers. Each token is bound to the participant and to the request for
// which it was made.

const format = 1

export function tokenOf(place: Json, of: Json): string {
  return Buffer.from(JSON.stringify({ format, place, of: digestOf(of) })).toString('base64')
}

/**
 * Returns the `place` of a token. Undefined if the text is no token. Null if the token is bound to another request or
 * has another format.
 */
export function placeIn(token: string, of: Json): Json | undefined | null {
  let given: Json
  try {
    given = JSON.parse(Buffer.from(token, 'base64').toString())
  } catch {
    return undefined
  }
  if (typeof given !== 'object' || given === null || given.place === undefined) return undefined
  return given.format === format && given.of === digestOf(of) ? given.place : null
}

/** Maps are sorted, so that the order in which a request names parties does not matter. */
function digestOf(value: Json): string {
  const sorted = (_key: string, inner: Json) =>
    inner instanceof Map ? [...inner].sort(([a], [b]) => (a < b ? -1 : 1)) : inner
  return hash('sha256', JSON.stringify(value, sorted), 'hex').slice(0, 16)
}
