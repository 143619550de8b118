import { jsonOrText } from '../base/lib/parse-json-text.ts'
import { suggestion } from '../base/lib/similar-words.ts'
import type { AgreedValue } from '../client/answered.ts'
import type { AnyArguments } from '../core/reads/arguments.ts'
import { readIds } from '../core/reads/endpoints.ts'
import type { Read } from '../core/reads/read.ts'
import { bodyParam } from '../core/reads/request.ts'
import { reads } from '../core/reads/table.ts'
import { ask, provenanceOf } from './ask.ts'
import { exitCodes } from './exit-codes.ts'
import type { Chosen } from './options.ts'
import { misused, type Print, printJson } from './print.ts'
import type { CommandOptions } from './seeds.ts'
import { columns } from './table.ts'

interface ReadArguments extends Chosen<'json' | 'live' | 'list'> {
  readonly args: readonly string[]
}

/**
 * Prints the value as JSON to standard output, and to standard error who agreed, so that a pipe
 * gets only JSON.
 */
export async function read(
  given: ReadArguments,
  print: Print,
  options: CommandOptions = {},
): Promise<number> {
  const { list, json, live } = given
  const [id, ...texts] = given.args
  if (list && id !== undefined) return misused(print, '--list takes no read')
  if (list) {
    for (const line of columns(Object.values<Read>(reads).map(listed), print.terminal?.columns))
      print.out(line)
    return exitCodes.ok
  }
  if (id === undefined) return misused(print, "missing required argument 'READ'; --list lists them")
  const row = Object.hasOwn(reads, id) ? (reads as Readonly<Record<string, Read>>)[id] : undefined
  if (row === undefined)
    return misused(print, `there is no read ${id}${suggestion(id, readIds) || '; --list lists them'}`)
  const argumentsGiven = argumentsIn(row, texts)
  if (typeof argumentsGiven === 'string') return misused(print, argumentsGiven)
  return ask({ read: row, given: argumentsGiven, json, live, show }, print, options)
}

function show(answer: AgreedValue<unknown>, print: Print): void {
  printJson(print, answer.value, 2)
  for (const line of provenanceOf(answer)) print.err(line)
}

function argumentsIn(row: Read, texts: readonly string[]): AnyArguments | string {
  const params = new Map(row.params.map((param) => [param.name, param]))
  const given: Record<string, unknown> = {}
  const body: Record<string, unknown> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) return `${JSON.stringify(text)} is no KEY=VALUE`
    const [key, value] = [text.slice(0, at), text.slice(at + 1)]
    const param = params.get(key)
    const isGiven = Object.hasOwn(given, key) || Object.hasOwn(body, key)
    if (isGiven && !param?.list) return `${row.id} takes one ${key}, and there are several`
    if (param?.list) given[key] = [...((given[key] as readonly string[] | undefined) ?? []), value]
    else if (param !== undefined) given[key] = value
    else if (row.body === undefined) return unknownKey(row, key)
    else if (key === bodyParam) given[bodyParam] = jsonOrText(value)
    else body[key] = jsonOrText(value)
  }
  if (row.body === undefined) return given
  if (given[bodyParam] === undefined) given[bodyParam] = body
  else if (Object.keys(body).length > 0) return `${row.id} takes ${bodyParam} or members of it, and not both`
  return given
}

function unknownKey({ id, params }: Read, key: string): string {
  const known = params.map(({ name }) => name)
  if (known.length === 0) return `${id} takes no ${key}: it has no parameters.`
  return `${id} takes no ${key}${suggestion(key, known) || '.'} It takes ${known.join(', ')}.`
}

function listed({ id, params, body, summary }: Read): readonly string[] {
  const keys = params.map(({ name, required }) => (required ? `${name}=` : `[${name}=]`))
  const takes = [...keys, ...(body === undefined ? [] : ['body='])].join(' ')
  return [id, takes, summary]
}
