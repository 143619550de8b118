import type { RefusedForm } from './model.ts'

const mostKept = 100

/**
 * Keeps forms that the daemon rejected. The browser is redirected to a page that shows the reason and the form with all
 * that was typed. If the visitor reloads that page, the browser does not send the form again.
 */
export class RefusedForms {
  readonly #kept = new Map<string, RefusedForm>()

  /** Keeps a form until a hundred later ones were rejected. Returns its id for `find`. */
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
