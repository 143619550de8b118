import { hash } from 'node:crypto'
import type { Json } from './json.ts'

// The tokens of pages and streams mean nothing to callers. Each is bound to the participant and to the request.

const format = 1

/**
 * Makes a token.
 * @param place the value to put into the token.
 * @param of the request to which the token is bound.
 */
export function tokenOf(place: Json, of: Json): string {
  return Buffer.from(JSON.stringify({ format, place, of: digestOf(of) })).toString('base64')
}

/**
 * Returns the value that `tokenOf` put into a token. Undefined if the text is no such token; null if the token
 * is bound to another request.
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

/** Returns a digest that is equal for equal requests, whatever the order of their parties is. */
function digestOf(value: Json): string {
  const sorted = (_key: string, inner: Json) =>
    inner instanceof Map ? [...inner].sort(([a], [b]) => (a < b ? -1 : 1)) : inner
  return hash('sha256', JSON.stringify(value, sorted), 'hex').slice(0, 16)
}
