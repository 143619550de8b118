import type { RefusedForm } from './model.ts'

const mostKept = 100

/**
 * Keeps what visitors typed into rejected forms. The daemon answers such a form with a redirect to
 * a page that shows it again. A reload of that page does not send the form again.
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
