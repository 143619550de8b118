import { html } from 'hono/html'
import { reads } from '../../reads/table.ts'
import { type Html, visible } from './text.ts'

/**
 * @param id a read, or another subject of a disagreement, such as `roster`, which has no summary.
 */
export function readTitle(id: string): Html {
  const title = Object.hasOwn(reads, id)
    ? reads[id as keyof typeof reads].summary.replace(/\.$/, '')
    : undefined
  return html`${title !== undefined && html`<span class="case-title">${title}</span> `}<span class="case-read">${visible(id)}</span>`
}
