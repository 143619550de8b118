import type { AgreedValue } from '../client/answered.ts'
import type { LoadConfigOptions } from '../config/load.ts'
import type { Value } from '../reads/arguments.ts'
import { reads } from '../reads/table.ts'
import { ask, provenanceOf } from './ask.ts'
import { askEveryone } from './ask-everyone.ts'
import type { Print } from './print.ts'
import { columns } from './table.ts'

interface Given {
  /** A name, or the id of a party, which contains `::`. */
  readonly what: string
  /** Asks every super validator. */
  readonly all: boolean
  /** Asks the super validators, past the mirror. `all` always does. */
  readonly live: boolean
  readonly json: boolean
}

/** Looks up a name or a party. */
export async function lookup(
  { what, all, live, json }: Given,
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const asked = what.includes('::')
    ? { read: reads.lookupAnsEntryByParty, given: { party: what }, json, live, show }
    : { read: reads.lookupAnsEntryByName, given: { name: what }, json, live, show }
  return all ? askEveryone(asked, print, options) : ask(asked, print, options)
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
  for (const line of provenanceOf(answer)) print.out(line)
}
