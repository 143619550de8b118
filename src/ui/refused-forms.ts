import type { RefusedForm } from './model.ts'

const mostKept = 100

/**
 * Forms that were refused, for the page to which their sender is redirected. A reload of that page sends nothing again and
 * still shows what was typed.
 */
export class RefusedForms {
  readonly #kept = new Map<string, RefusedForm>()

  /** Returns the id under which `find` has it, until a hundred others were refused. */
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
