import type { AgreedValue } from '../client/answered.ts'
import type { Value } from '../core/reads/endpoints.ts'
import { reads } from '../core/reads/table.ts'
import { ask, provenanceOf } from './ask.ts'
import { askEveryone } from './ask-everyone.ts'
import { exitCodes } from './exit-codes.ts'
import type { Chosen } from './options.ts'
import { misused, type Print } from './print.ts'
import type { CommandOptions } from './seeds.ts'
import { columns } from './table.ts'

interface LookupArguments extends Chosen<'all' | 'live' | 'json'>, Partial<Chosen<'receipt' | 'daemon'>> {
  readonly what: string
}

export async function lookup(
  { what, all, live, json, receipt, daemon }: LookupArguments,
  print: Print,
  options: CommandOptions = {},
): Promise<number> {
  if (receipt !== undefined && all) return misused(print, '--receipt and --all cannot be combined')
  if (receipt !== undefined && options.operations !== undefined)
    return misused(
      print,
      '--receipt and --operations cannot be combined: --daemon URL names the daemon to ask',
    )
  if (receipt === undefined && daemon !== undefined) return misused(print, '--daemon needs --receipt FILE')
  if (receipt !== undefined) {
    const { lookupReceipt } = await import('./lookup-receipt.ts')
    return lookupReceipt({ what, file: receipt, daemon, live, json }, print, options)
  }
  const asked = what.includes('::')
    ? { read: reads.lookupAnsEntryByParty, given: { party: what }, json, live, all, show }
    : { read: reads.lookupAnsEntryByName, given: { name: what }, json, live, all, show }
  const code = await (all ? askEveryone(asked, print, options) : ask(asked, print, options))
  if (code === exitCodes.absent && print.terminal !== undefined && !json && !what.includes('::'))
    print.err('How a name is registered: docs/tutorial.md#register-a-name')
  return code
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
