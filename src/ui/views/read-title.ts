import { html } from 'hono/html'
import { reads } from '../../reads/table.ts'
import { type Html, visible } from './text.ts'

/**
 * Shows what a read answers, in words, and small beside it the id by which documents and metrics call it.
 * @param id of a read; an old case may have one that is gone.
 */
export function readTitle(id: string): Html {
  const title = Object.hasOwn(reads, id)
    ? reads[id as keyof typeof reads].summary.replace(/\.$/, '')
    : undefined
  return html`${title !== undefined && html`<span class="case-title">${title}</span> `}<span class="case-read">${visible(id)}</span>`
}
