import type { Json } from '../../base/lib/canonical-json.ts'
import type { Param } from '../../core/reads/endpoint.ts'
import type { Read } from '../../core/reads/read.ts'
import { bodyParam } from '../../core/reads/request.ts'
import { reads } from '../../core/reads/table.ts'
import { examples } from './examples.ts'
import type { Surface } from './projection.ts'

interface Example {
  readonly params: Readonly<Record<string, string>>
  readonly reply: Json
}

export function exampleName({ id, proxy }: Read, surface: Surface): string {
  return surface === 'proxy' && proxy?.serve !== undefined ? `${id}Proxied` : id
}

export function replyExamples(): Readonly<Record<string, unknown>> {
  const named = Object.values<Read>(reads).flatMap((read) => {
    const { reply } = exampleOf(read.id)
    const serve = read.proxy?.serve
    const proxied = serve === undefined ? [] : [[exampleName(read, 'proxy'), plain(serve(reply))] as const]
    return [[exampleName(read, 'scan'), reply] as const, ...proxied]
  })
  return Object.fromEntries(named)
}

export function paramExample(id: string, { name, list, kind }: Param): unknown {
  const text = exampleOf(id).params[name]
  if (text === undefined) return undefined
  if (list === true) return JSON.parse(text)
  return kind === 'integer' || kind === 'page size' ? Number(text) : text
}

export function bodyExample(id: string): unknown {
  return JSON.parse(exampleOf(id).params[bodyParam] ?? '{}')
}

function exampleOf(id: string): Example {
  return JSON.parse(textOf.get(id) ?? '')
}

const textOf: ReadonlyMap<string, string> = new Map(
  examples
    .trim()
    .split('\n')
    .map((line) => line.split(/ (.*)/s) as [string, string]),
)

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
