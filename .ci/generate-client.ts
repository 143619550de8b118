import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PlainRead } from '../src/client/plain-read.ts'
import type { Param, Read } from '../src/reads/read.ts'
import { reads } from '../src/reads/table.ts'

const file = 'src/client/plain-reads.ts'

/**
 * The longest JSON text that is written out wherever its value occurs. A longer value that occurs more than once gets a
 * constant.
 */
const longestRepeated = 60

export function plainReadsFile(): string {
  const rows = Object.fromEntries(Object.entries<Read>(reads).map(([id, read]) => [id, plainReadOf(read)]))
  const shared = sharedIn(rows)
  const written = (value: unknown, own?: string): string => {
    const name = shared.get(JSON.stringify(value))
    if (name !== undefined && name !== own) return name
    if (Array.isArray(value)) return `[${value.map((one) => written(one)).join()}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${written(one)}`)}}`
  }
  const constants = [...shared].map(
    ([text, name]) => `const ${name} = ${written(JSON.parse(text), name)} as const`,
  )
  return formatted(`// Written by .ci/generate-client.ts from src/reads/table.ts.
import type { ReadId } from '../reads/table.ts'
import type { PlainRead } from './plain-read.ts'

${constants.join('\n')}

export const plainReads: Readonly<Record<ReadId, PlainRead>> = {
${Object.entries(rows).map(([id, row]) => `${id}: ${written(row)}`)}
}
`)
}

/**
 * Returns the names of the constants, by the JSON text of their values. Inner values come first, because a constant
 * must be declared before its use.
 */
function sharedIn(rows: unknown): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const text = JSON.stringify(value)
    const count = counts.get(text) ?? 0
    if (count === 0) for (const one of Object.values(value)) visit(one)
    counts.set(text, count + 1)
  }
  visit(rows)
  const repeated = [...counts].filter(([text, count]) => count > 1 && text.length > longestRepeated)
  return new Map(
    repeated
      .map(([text]) => text)
      .sort((one, other) => one.length - other.length)
      .map((text, at) => [text, `shared${at + 1}`]),
  )
}

export function plainReadOf(read: Read): PlainRead {
  const { method, base = '/api/scan', scanPath, params, body, upstreamBody, repeats, reply } = read
  return {
    method,
    path: `${base}${scanPath}`,
    params: params.map(plainParamOf),
    ...(body && { body: body.pattern }),
    ...(upstreamBody !== undefined && { fixedBody: upstreamBody }),
    ...(repeats && { repeats }),
    reply: reply,
  }
}

function plainParamOf({ parse: _, description: __, ...plain }: Param): PlainRead['params'][number] {
  return plain
}

function formatted(code: string): string {
  const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url))
  const args = [biome, 'format', `--stdin-file-path=${file}`]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { input: code, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), plainReadsFile())
}
