import { longestList, maxText } from './param-text.ts'
import {
  atLeastOne,
  atMost,
  type Is,
  leaf,
  list,
  type Maybe,
  type Pattern,
  type PatternOf,
  string,
} from './pattern.ts'

/** A field that may be null or absent. Both make the same question. */
export function maybe<Value>(
  of: PatternOf<Value>,
  options: Maybe = {},
): { readonly maybe: Pattern } & Is<Value | null> {
  return { maybe: of, ...options }
}

export const time = leaf<string>('instant')
export const pageSize = leaf<number>('page size')
export const party = leaf<string>('one party')
export const openObject = leaf<Record<string, unknown>>('open object')
export const text = atMost(maxText, string)

/**
 * A list of texts, sorted and without duplicates: neither order nor duplicates change a scan's
 * answer.
 */
export const texts: PatternOf<string[]> = { choice: atMost(longestList, list(text)) }

export const parties: PatternOf<string[]> = {
  choice: atMost(longestList, atLeastOne(list(leaf<string>('party')))),
}

export function noToken(instead: string): { readonly refused: string } & Is<unknown> {
  return { refused: instead }
}
