import { type ConfigResult, type ParseContext, parseConfig } from '../../src/base/config/parse.ts'
import type { Config } from '../../src/base/config/resolve.ts'
import { readIds } from '../../src/core/reads/endpoints.ts'

export const remote = {
  network: 'remote',
  scanClient: {
    seedUrls: ['https://a.example', 'https://b.example', 'https://c.example', 'https://d.example'],
  },
}

export function written(values: Readonly<Record<string, unknown>>, over: object = {}): object {
  const tree = structuredClone(over) as Record<string, unknown>
  for (const [key, value] of Object.entries(values)) {
    const path = key.split('.')
    let at = tree
    for (const part of path.slice(0, -1)) {
      at[part] ??= {}
      at = at[part] as Record<string, unknown>
    }
    at[path.at(-1) as string] = value
  }
  return tree
}

export function configOf(input: object, context?: ParseContext): Config {
  const result = parseConfig(input, { reads: readIds, ...context })
  if (!result.ok) throw new Error(result.problems.join('\n'))
  return result.config
}

export function problemsOf(input: unknown): readonly string[] {
  const result: ConfigResult = parseConfig(input, { reads: readIds })
  return result.ok ? [] : result.problems
}

export function warningsOf(input: object): readonly string[] {
  return parseConfig(input).warnings
}
