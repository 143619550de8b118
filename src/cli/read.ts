import type { AgreedValue } from '../client/answered.ts'
import type { LoadConfigOptions } from '../config/load.ts'
import { nearestKey } from '../config/nearest.ts'
import type { AnyArguments } from '../reads/arguments.ts'
import type { Read } from '../reads/read.ts'
import { bodyParam } from '../reads/request.ts'
import { readIds, reads } from '../reads/table.ts'
import { misused, parsed } from './arguments.ts'
import { agreedBy, ask } from './ask.ts'
import { exitCodes, type Print } from './print.ts'
import { columns } from './table.ts'
import { usages } from './usages.ts'

/** Asks any read of the table. Prints the value to standard output as JSON, and who agreed to standard error. */
export async function read(
  args: readonly string[],
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const given = parse(args)
  if (given === undefined) return misused(print, usages.read)
  if (given.list) {
    for (const line of columns(Object.values<Read>(reads).map(listed))) print.out(line)
    return exitCodes.ok
  }
  const row = Object.hasOwn(reads, given.id) ? (reads as Readonly<Record<string, Read>>)[given.id] : undefined
  if (row === undefined)
    return misused(print, `There is no read ${given.id}; did you mean ${nearestKey('', given.id, readIds)}?`)
  const argumentsGiven = argumentsIn(row, given.pairs)
  if (typeof argumentsGiven === 'string') return misused(print, argumentsGiven)
  return ask({ read: row, given: argumentsGiven, json: given.json, show }, print, options)
}

function show(answer: AgreedValue<unknown>, print: Print): void {
  print.out(JSON.stringify(answer.value, null, 2))
  print.err(agreedBy(answer))
}

type Pair = readonly [key: string, value: string]

/** Converts the pairs to arguments, or returns a sentence about the invalid one. */
function argumentsIn(row: Read, pairs: readonly Pair[]): AnyArguments | string {
  const params = new Map(row.params.map((param) => [param.name, param]))
  const given: Record<string, unknown> = {}
  const body: Record<string, unknown> = {}
  for (const [key, value] of pairs) {
    const param = params.get(key)
    if (param?.list) given[key] = [...((given[key] as readonly string[] | undefined) ?? []), value]
    else if (param !== undefined) given[key] = value
    else if (row.body === undefined) return unknownKey(row, key)
    else if (key === bodyParam) given[bodyParam] = jsonOrText(value)
    else body[key] = jsonOrText(value)
  }
  if (row.body !== undefined && given[bodyParam] === undefined) given[bodyParam] = body
  return given
}

function unknownKey({ id, params }: Read, key: string): string {
  const known = params.map(({ name }) => name)
  if (known.length === 0) return `${id} takes no ${key}: it has no parameters.`
  return `${id} takes no ${key}; did you mean ${nearestKey('', key, known)}? It takes ${known.join(', ')}.`
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function listed({ id, params, body, summary }: Read): readonly string[] {
  const keys = params.map(({ name, required }) => (required ? `${name}=` : `[${name}=]`))
  const takes = [...keys, ...(body === undefined ? [] : ['body='])].join(' ')
  return [id, takes, summary]
}

function parse(args: readonly string[]) {
  const given = parsed({
    args,
    options: { json: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  if (given === undefined) return undefined
  const { values, positionals } = given
  const [id = '', ...rest] = positionals
  const pairs = rest.map(
    (text): Pair => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)],
  )
  const wellFormed = rest.every((text) => text.indexOf('=') > 0)
  return wellFormed && (values.list ? positionals.length === 0 : id !== '')
    ? { ...values, id, pairs }
    : undefined
}
