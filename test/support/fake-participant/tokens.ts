import { hash } from 'node:crypto'
import type { Json } from './json.ts'

// Tokens of pages and of streams: opaque to callers, and bound to the participant and to what was asked for.

const format = 1

/** @param of what the token belongs to. */
export function tokenOf(place: Json, of: Json): string {
  return Buffer.from(JSON.stringify({ format, place, of: digestOf(of) })).toString('base64')
}

/** What `tokenOf` was given; undefined where nobody made the token, null where it is of something else. */
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

/** Equal for equal requests, in whatever order their parties are named. */
function digestOf(value: Json): string {
  const sorted = (_key: string, inner: Json) =>
    inner instanceof Map ? [...inner].sort(([a], [b]) => (a < b ? -1 : 1)) : inner
  return hash('sha256', JSON.stringify(value, sorted), 'hex').slice(0, 16)
}
