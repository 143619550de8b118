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

interface SharedView {
  readonly render: Render
  readers: number
}

/** Renders each update only once for all readers that have the same format and the same rights. */
export class Views {
  readonly #catalog: Catalog
  readonly #shared = new Map<string, SharedView>()

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  share(format: UpdateFormat, rights: ReadRights): Disposable & { readonly render: Render } {
    const key = digestOf([format, rights])
    const view = this.#shared.get(key) ?? this.#made(format, rights)
    this.#shared.set(key, view)
    view.readers++
    return {
      render: view.render,
      [Symbol.dispose]: () => {
        if (--view.readers === 0) this.#shared.delete(key)
      },
    }
  }

  #made(format: UpdateFormat, rights: ReadRights): SharedView {
    const render = rendering(format, rights, this.#catalog)
    const made = new WeakMap<Update, { readonly element: Element | undefined }>()
    return {
      readers: 0,
      render(update) {
        const known = made.get(update)
        if (known !== undefined) return known.element
        const element = render(update)
        made.set(update, { element })
        return element
      },
    }
  }
}

export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (inner instanceof Map) return [...inner].sort(([one], [other]) => (one < other ? -1 : 1))
    return inner instanceof Set ? [...inner].sort() : inner
  })
  return createHash('sha256').update(text).digest('hex')
}
