import type { AsOf } from '../core/cache/as-of.ts'
import type { MirroredAsOf } from './answered.ts'

export function asOfIn(header: string | null): MirroredAsOf | undefined {
  const [, seconds, rest = ''] = /^@(-?\d{1,15})((?:; *[a-z]+=[a-z\d-]+)*)$/.exec(header ?? '') ?? []
  const params = new Map(rest.split(';').map((param) => param.trim().split('=') as [string, string]))
  const generation = Number(params.get('generation') ?? Number.NaN)
  const [claim, basis] = [params.get('claim'), params.get('basis')]
  if (seconds === undefined || Number.isNaN(generation) || !isClaim(claim) || !isBasis(basis))
    return undefined
  const at = new Date(Number(seconds) * 1000)
  return Number.isNaN(at.getTime()) ? undefined : { at, claim, basis, generation }
}

export function mirroredAsOf({ at, claim, basis, generation }: AsOf): MirroredAsOf {
  return { at: new Date(at), claim, basis, generation }
}

function isClaim(text: string | undefined): text is AsOf['claim'] {
  return text === 'binding' || text === 'state'
}

function isBasis(text: string | undefined): text is AsOf['basis'] {
  return text === 'snapshot' || text === 'live' || text === 'stream'
}
