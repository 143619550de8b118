import { type Json, MisshapenJson, parseJson } from '../lib/canonical-json.ts'

/** Undefined if the text is no JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof MisshapenJson) return undefined
    throw error
  }
}
