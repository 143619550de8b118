import Big from 'big.js'
import { withoutTrailing } from '../../../base/lib/without-trailing.ts'
import { Refused } from './refused.ts'

/**
 * A Daml `Decimal` as text with all ten decimal places, such as `-0.5000000000`. It has at most 28
 * digits before the point.
 */
export type Decimal = string

const places = 10
const wholeDigits = 28
const written = /^-?\d{1,28}(?:\.\d{1,10})?$/

/** big.js rounds only quotients: `Exact` rounds half to even, `Ceiling` rounds away from zero. */
const Exact = rounding(Big.roundHalfEven)
const Ceiling = rounding(Big.roundUp)

export const zero: Decimal = '0.0000000000'

export function tryDecimal(text: string): Decimal | undefined {
  return written.test(text) ? print(new Exact(text)) : undefined
}

export function decimal(text: string): Decimal {
  const value = tryDecimal(text)
  if (value === undefined) throw new TypeError(`not a Decimal: ${text}`)
  return value
}

/** Formats a decimal as Daml's `show` does: `0.005`, `1.0`. */
export function shortest(value: Decimal): string {
  return withoutTrailing('0', value).replace(/\.$/, '.0')
}

export function add(a: Decimal, b: Decimal): Decimal {
  return print(new Exact(a).plus(b))
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return print(new Exact(a).minus(b))
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return print(new Exact(a).times(b).round(places, Big.roundHalfEven))
}

export function divide(a: Decimal, b: Decimal): Decimal {
  return print(new Exact(a).div(divisor(b)))
}

/** Rounds the quotient away from zero, so that a conversion from USD to coin never loses value. */
export function divideRoundingUp(a: Decimal, b: Decimal): Decimal {
  return print(new Ceiling(a).div(divisor(b)))
}

export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  return new Exact(a).cmp(b)
}

export function isPositive(value: Decimal): boolean {
  return value !== zero && !value.startsWith('-')
}

export function sum(values: readonly Decimal[]): Decimal {
  return values.reduce(add, zero)
}

function rounding(mode: Big.RoundingMode): Big.BigConstructor {
  const Constructor = Big()
  Constructor.DP = places
  Constructor.RM = mode
  return Constructor
}

function divisor(value: Decimal): Decimal {
  if (value === zero) throw overflow('division by zero')
  return value
}

function print(value: Big): Decimal {
  if (value.c[0] === 0) return zero
  if (value.e >= wholeDigits) throw overflow(`${value.toFixed()} is out of range`)
  return value.toFixed(places)
}

function overflow(what: string): Refused {
  return new Refused('DAML_INTERPRETATION_ERROR', `Arithmetic error with decimals: ${what}`)
}
