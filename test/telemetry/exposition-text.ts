export interface ParsedSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ParsedFamily {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: ParsedSample[]
}

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const sampleLine = new RegExp(`^(${metricName})(?:\\{(${label}(?:,${label})*)\\})? (\\S+)$`)

/**
 * Parses a scrape as Prometheus does: text format 0.0.4, or OpenMetrics up to `# EOF`. Throws on an invalid line, on a
 * sample outside of its family, and on a repeated sample.
 */
export function parseExposition(text: string): Map<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily>()
  const seen = new Set<string>()
  let current: { name: string; type: string; help: string; samples: ParsedSample[] } | undefined
  for (const line of text.split('\n')) {
    if (line === '' || line === '# EOF') continue
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (families.has(name)) throw new Error(`a second family ${name}`)
      current = { name, type: '', help: rest, samples: [] }
      families.set(name, current)
      continue
    }
    if (current === undefined) throw new Error(`before any family: ${line}`)
    if (keyword === 'TYPE') {
      current.type = rest
      continue
    }
    const sample = parseSample(line)
    if (!isOf(current, sample.name)) throw new Error(`${sample.name} in the family ${current.name}`)
    const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`
    if (seen.has(key)) throw new Error(`twice: ${line}`)
    seen.add(key)
    current.samples.push(sample)
  }
  return families
}

export function sampleValue(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = JSON.stringify(Object.entries(labels).sort())
  for (const { samples } of families.values()) {
    for (const sample of samples) {
      if (sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted)
        return sample.value
    }
  }
  return undefined
}

/**
 * Does what `sampleValue` does on the text of a scrape. It reads only the samples with this name, because a scrape has
 * thousands of lines.
 */
export function valueIn(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = JSON.stringify(Object.entries(labels).sort())
  for (const [line] of text.matchAll(new RegExp(`^${name}[{ ].*$`, 'gm'))) {
    const sample = parseSample(line)
    if (JSON.stringify(Object.entries(sample.labels).sort()) === wanted) return sample.value
  }
  return undefined
}

function isOf({ name, type }: ParsedFamily, sample: string): boolean {
  if (type === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample)
  return sample === name || (type === 'counter' && sample === `${name}_total`)
}

function parseSample(line: string): ParsedSample {
  const [, name, labels = '', value] = sampleLine.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`)
  const pairs = [...labels.matchAll(new RegExp(label, 'g'))].map(([pair]) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), unescaped(pair.slice(at + 2, -1))]
  })
  return { name, labels: Object.fromEntries(pairs), value: number(value) }
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
}

function number(text: string): number {
  if (/^[+-]Inf$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const value = Number(text)
  if (Number.isNaN(value)) throw new Error(`no number: ${text}`)
  return value
}
