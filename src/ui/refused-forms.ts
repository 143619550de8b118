import type { RefusedForm } from './model.ts'

const mostKept = 100

/**
 * Keeps forms that the daemon rejected. Their sender is redirected to a page that shows the reason and all that was
 * typed; a reload of that page sends nothing again.
 */
export class RefusedForms {
  readonly #kept = new Map<string, RefusedForm>()

  /** Keeps a form until a hundred others were rejected. Returns the id for `find`. */
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
