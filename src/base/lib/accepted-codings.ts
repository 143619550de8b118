type Coding = 'br' | 'gzip' | 'identity'

/**
 * Chooses the content coding by the header `accept-encoding` (RFC 9110, 12.5.3). `br` wins at equal
 * weight.
 */
export function codingFor(acceptEncoding = ''): Coding {
  const weight = weightsIn(acceptEncoding)
  if (weight('br') > 0 && weight('br') >= weight('gzip')) return 'br'
  return weight('gzip') > 0 ? 'gzip' : 'identity'
}

export function takesGzip(acceptEncoding = ''): boolean {
  return weightsIn(acceptEncoding)('gzip') > 0
}

/**
 * Returns a function that tells the weight of a coding or a media type in a header such as `accept`
 * (RFC 9110, 12.4.2), 0 if the header does not name it. The greatest of several counts.
 */
export function weightsIn(header: string): (named: string) => number {
  const weights = new Map(
    header
      .split(',')
      .map(weightOf)
      .sort(([, a], [, b]) => a - b),
  )
  return (named) => weights.get(named) ?? weights.get('*') ?? 0
}

function weightOf(part: string): readonly [named: string, weight: number] {
  const [named = '', ...params] = part.split(';').map((text) => text.trim().toLowerCase())
  const weight = params.find((param) => param.startsWith('q='))
  return [named, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
