import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'

/** A daemon states that this super validator gave this digest for this subject. */
export interface SvObservation {
  readonly sv: string
  readonly subject: string
  /** The digest is SHA-256 in base64url. */
  readonly digest: string
}

export const mostObservations = 1_024
const longestText = 200
/** JSON needs up to six characters for each character of the super validator's name. */
const longestLine = 2_048

const subjectPattern = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/
const digestPattern = /^[\w-]{43}$/

/** The line must be canonical, because the signed Merkle root is made from such lines. */
export function lineOf({ sv, subject, digest }: SvObservation): string {
  return JSON.stringify({ digest, subject, sv })
}

export function isObservation({ sv, subject, digest }: SvObservation): boolean {
  if (sv === '' || sv.length > longestText || !sv.isWellFormed()) return false
  return subject.length <= longestText && subjectPattern.test(subject) && digestPattern.test(digest)
}

/** Returns undefined if the line is not exactly what `lineOf` returns for a valid observation. */
export function tryObservation(line: string): SvObservation | undefined {
  if (line.length > longestLine) return undefined
  const { sv, subject, digest } = membersOf(line)
  if (typeof sv !== 'string' || typeof subject !== 'string' || typeof digest !== 'string') return undefined
  const observation = { sv, subject, digest }
  return isObservation(observation) && lineOf(observation) === line ? observation : undefined
}

function membersOf(line: string): { readonly [key: string]: Json } {
  try {
    const value: unknown = parseJsonText(line)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
