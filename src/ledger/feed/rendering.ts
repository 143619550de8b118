import { createHash } from 'node:crypto'
import type { Update } from '../update.ts'
import type { Element } from '../update-service.ts'
import type { Catalog } from '../visibility/catalog.ts'
import type { UpdateFormat } from '../visibility/format.ts'
import type { ReadRights } from '../visibility/rights.ts'
import { updateView } from '../visibility/visible.ts'
import { updateText } from '../wire/responses.ts'

export type Render = (update: Update) => Element | undefined

export function rendering(format: UpdateFormat, rights: ReadRights, catalog: Catalog): Render {
  const view = updateView(format, rights, catalog)
  return (update) => {
    const delivered = view(update)
    return delivered === undefined ? undefined : { offset: update.offset, text: updateText(delivered) }
  }
}

export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (inner instanceof Map) return [...inner].sort(([one], [other]) => (one < other ? -1 : 1))
    return inner instanceof Set ? [...inner].sort() : inner
  })
  return createHash('sha256').update(text).digest('hex')
}
