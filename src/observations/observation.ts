import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'

/** A statement by a daemon: this super validator said that the subject has this digest. */
export interface SvObservation {
  readonly sv: string
  /** A name for what the statement is about, such as one snapshot (`subjects.ts`). */
  readonly subject: string
  /** SHA-256, base64url. */
  readonly digest: string
}

/** The maximum number of observations of one epoch. Further observations are counted and dropped. */
export const mostObservations = 1_024
/** The maximum number of characters in the name of a super validator, and in a subject. */
const longestText = 200
/**
 * The maximum number of characters in the line of an observation. JSON needs up to six characters for each
 * character of the super validator's name.
 */
const longestLine = 2_048

const subjectPattern = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/
const digestPattern = /^[\w-]{43}$/

/** Returns an observation as a line of canonical JSON. The Merkle root in a note is made from such lines. */
export function lineOf({ sv, subject, digest }: SvObservation): string {
  return JSON.stringify({ digest, subject, sv })
}

/** Whether the fields of an observation have permitted lengths and characters. */
export function isObservation({ sv, subject, digest }: SvObservation): boolean {
  if (sv === '' || sv.length > longestText || !sv.isWellFormed()) return false
  return subject.length <= longestText && subjectPattern.test(subject) && digestPattern.test(digest)
}

/**
 * Parses the line of an observation. Undefined if the line is not what `lineOf` returns for a valid
 * observation.
 */
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
