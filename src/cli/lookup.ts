import { parseArgs } from 'node:util'
import type { AgreedValue } from '../client/answered.ts'
import type { LoadConfigOptions } from '../config/load.ts'
import { paramsOf, type Value } from '../reads/question.ts'
import { reads } from '../reads/table.ts'
import { agreedBy, ask, tellError } from './ask.ts'
import { exitCodes, type Print } from './print.ts'
import { columns } from './table.ts'

export const lookupUsage = 'Usage: bft-scan-proxy lookup [--json] NAME-OR-PARTY'

/** Looks a name up, or a party: what has a `::` is a party's id. */
export async function lookup(
  args: readonly string[],
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const given = parse(args)
  if (given === undefined) {
    print.err(lookupUsage)
    return exitCodes.usage
  }
  const { what, json } = given
  const read = what.includes('::') ? reads.lookupAnsEntryByParty : reads.lookupAnsEntryByName
  try {
    const params = paramsOf(read, { name: what, party: what })
    return await ask({ read, params, json, show }, print, options)
  } catch (error) {
    return tellError(error, json, print)
  }
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
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [what, ...more] = positionals
    return what === undefined || what === '' || more.length > 0 ? undefined : { what, json: values.json }
  } catch {
    return undefined
  }
}
