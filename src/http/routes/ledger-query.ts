import { PlainError } from '../../errors/canton.ts'
import { targetOf } from '../request.ts'
import type { RouteContext } from './route.ts'

const mostInt64 = 2n ** 63n - 1n
const leastInt64 = -(2n ** 63n)

export function integerOf(c: RouteContext, name: string): number | undefined {
  const given = new URLSearchParams(targetOf(c.req.url).query).get(name)
  if (given === null) return undefined
  const isInteger = /^[+-]?\d{1,19}$/.test(given)
  if (!isInteger || BigInt(given) > mostInt64 || BigInt(given) < leastInt64)
    throw new PlainError('invalidQuery', { name })
  // `Number` rounds integers above 2^53. That does no harm: no list is that long, and no caller
  // waits that long.
  return Number(given)
}

export function textsOf(c: RouteContext, ...names: readonly string[]): readonly (string | undefined)[] {
  const given = new URLSearchParams(targetOf(c.req.url).query)
  return names.map((name) => given.get(name) || undefined)
}
