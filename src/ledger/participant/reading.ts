import { LedgerUnavailable } from '../ledger.ts'

// What a participant says is looked at member by member: what is not as it has to be is no answer.

export type Json = { readonly [member: string]: unknown }

/** The participant said something that is not of its API. */
export class Garbage extends LedgerUnavailable {}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Garbage('The participant sent what is no JSON.')
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectIn(of: Json, member: string): Json {
  const value = of[member]
  if (isObject(value)) return value
  throw missing(member, 'object')
}

export function textIn(of: Json, member: string): string {
  const value = of[member]
  if (typeof value === 'string') return value
  throw missing(member, 'text')
}

export function listIn(of: Json, member: string): readonly unknown[] {
  const value = of[member]
  if (Array.isArray(value)) return value
  throw missing(member, 'list')
}

/** An offset or a count: a number, or the decimal digits of one. */
export function wholeIn(of: Json, member: string): number {
  const value = of[member]
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw missing(member, 'offset')
}

/** What is left out, null or empty is the same. */
export function optionalText(of: Json, member: string): string | undefined {
  const value = of[member]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function asObject(value: unknown): Json {
  if (isObject(value)) return value
  throw new Garbage('The participant sent something else than an object.')
}

function missing(member: string, kind: string): Garbage {
  return new Garbage(`The participant sent an object without the ${kind} "${member}".`)
}
