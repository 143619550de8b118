import type { RefusedForm } from './model.ts'

const mostKept = 100

/**
 * Keeps forms that the daemon rejected. After a rejected form, the daemon redirects the browser to a page
 * with the reason and with all that was typed. If the visitor reloads that page, the browser does not send
 * the form again.
 */
export class RefusedForms {
  readonly #kept = new Map<string, RefusedForm>()

  /** Keeps a form until a hundred later forms were rejected. Returns the id with which `find` finds it. */
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
