import type { AgreedValue } from '../client/answered.ts'
import type { LoadConfigOptions } from '../config/load.ts'
import type { Value } from '../reads/arguments.ts'
import { reads } from '../reads/table.ts'
import { misused, parsed } from './arguments.ts'
import { agreedBy, ask } from './ask.ts'
import type { Print } from './print.ts'
import { columns } from './table.ts'
import { usages } from './usages.ts'

/** Looks up a name or a party. An argument that contains `::` is a party's id. */
export async function lookup(
  args: readonly string[],
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const given = parse(args)
  if (given === undefined) return misused(print, usages.lookup)
  const { what, json } = given
  const read = what.includes('::') ? reads.lookupAnsEntryByParty : reads.lookupAnsEntryByName
  return ask({ read, given: { name: what, party: what }, json, show }, print, options)
}

function show(answer: AgreedValue<unknown>, print: Print): void {
  const { entry } = answer.value as Value<'lookupAnsEntryByName'>
  const rows = [
    ['name', entry.name],
    ['user', entry.user],
    ['url', entry.url],
    ['description', entry.description],
    ['expires', entry.expires_at ?? 'never'],
    ['contract', entry.contract_id ?? 'none'],
  ]
  for (const line of columns(rows)) print.out(line)
  print.out(agreedBy(answer))
}

function parse(args: readonly string[]): { readonly what: string; readonly json: boolean } | undefined {
  const options = { json: { type: 'boolean', default: false } } as const
  const given = parsed({ args, options, allowPositionals: true })
  const [what = '', ...more] = given?.positionals ?? []
  return given === undefined || what === '' || more.length > 0 ? undefined : { what, json: given.values.json }
}
