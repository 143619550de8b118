import type { RefusedForm } from './model.ts'

const mostKept = 100

/**
 * The daemon answers a rejected form with a redirect to a page that shows what the visitor typed.
 * If the visitor reloads that page, the browser does not send the form again.
 */
export class RefusedForms {
  readonly #kept = new Map<string, RefusedForm>()

  keep(refused: RefusedForm): string {
    const id = crypto.randomUUID()
    this.#kept.set(id, refused)
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value as string)
    return id
  }

  find(id: string | null): RefusedForm | undefined {
    return id === null ? undefined : this.#kept.get(id)
  }
}
