import { type Json, MisshapenJson, parseJson } from '../base/lib/canonical-json.ts'

export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof MisshapenJson) return undefined
    throw error
  }
}
