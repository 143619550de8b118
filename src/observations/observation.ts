import { isJsonObject, type Json } from '../lib/canonical-json.ts'

/** A statement of a daemon: this super validator said that the subject has this digest. */
export interface SvObservation {
  readonly sv: string
  /** The text that names the thing of which the super validator spoke, such as one snapshot (`subjects.ts`). */
  readonly subject: string
  /** SHA-256, base64url. */
  readonly digest: string
}

/** The most observations of one epoch. Further ones are counted and forgotten. */
export const mostObservations = 1_024
/** The most characters of a super validator's name. A subject has as many at most. */
const longestText = 200
/** The most characters of a line. JSON needs up to six for each character of the name. */
const longestLine = 2_048

const subjectPattern = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/
const digestPattern = /^[\w-]{43}$/

/** Returns the line of an observation, which a note commits to: canonical JSON. */
export function lineOf({ sv, subject, digest }: SvObservation): string {
  return JSON.stringify({ digest, subject, sv })
}

/** Whether an observation has a line that `tryObservation` reads. */
export function isObservation({ sv, subject, digest }: SvObservation): boolean {
  if (sv === '' || sv.length > longestText || !sv.isWellFormed()) return false
  return subject.length <= longestText && subjectPattern.test(subject) && digestPattern.test(digest)
}

/** Reads a line. Undefined if `lineOf` would not write it so. */
export function tryObservation(line: string): SvObservation | undefined {
  if (line.length > longestLine) return undefined
  const { sv, subject, digest } = membersOf(line)
  if (typeof sv !== 'string' || typeof subject !== 'string' || typeof digest !== 'string') return undefined
  const observation = { sv, subject, digest }
  return isObservation(observation) && lineOf(observation) === line ? observation : undefined
}

function membersOf(line: string): { readonly [key: string]: Json } {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
