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

function weightsIn(acceptEncoding: string): (coding: Coding) => number {
  const weights = new Map(acceptEncoding.split(',').map(weightOf))
  return (coding) => weights.get(coding) ?? weights.get('*') ?? 0
}

function weightOf(part: string): readonly [coding: string, weight: number] {
  const [coding = '', ...params] = part.split(';').map((text) => text.trim().toLowerCase())
  const weight = params.find((param) => param.startsWith('q='))
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))]
}
