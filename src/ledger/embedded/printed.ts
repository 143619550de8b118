import type { PrintedStretch, StretchRequest } from '../ledger.ts'
import type { Catalog } from '../visibility/catalog.ts'
import { updateView } from '../visibility/visible.ts'
import { updateText } from '../wire/responses.ts'
import type { Identity } from './identity.ts'
import type { LogTable } from './tables/log.ts'
import { writtenUpdate } from './written.ts'

export interface PrintDeps {
  readonly log: LogTable
  readonly identity: Identity
  readonly catalog: Catalog
}

const mostAtOnce = 500

/** What a reader gets of the next updates of a range. @throws Damage */
export function printed(
  { after, upTo, descending, most, format, rights }: StretchRequest,
  { log, identity, catalog }: PrintDeps,
): PrintedStretch {
  const view = updateView(format, rights, catalog)
  const range = descending
    ? { after: Math.max(after, upTo - mostAtOnce), upTo }
    : { after, upTo: Math.min(upTo, after + mostAtOnce) }
  const logged = log.texts(range.after, range.upTo, mostAtOnce)
  let json = ''
  let count = 0
  for (const update of descending ? [...logged].reverse() : logged) {
    const delivered = view(writtenUpdate(update, identity))
    if (delivered === undefined) continue
    if (count === most) return { ...range, json, count, next: update.offset }
    json += `${count === 0 ? '' : ','}${updateText(delivered)}`
    count++
  }
  return { ...range, json, count, next: undefined }
}
