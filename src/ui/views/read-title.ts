import { html } from 'hono/html'
import { reads } from '../../reads/table.ts'
import { type Html, visible } from './text.ts'

/**
 * Shows the summary of a read. After the summary, shows the id that documents and metrics use, in small
 * letters.
 * @param id the id of a read, or another subject of a disagreement, such as `roster` or `split-view`. Such a
 * subject has no summary.
 */
export function readTitle(id: string): Html {
  const title = Object.hasOwn(reads, id)
    ? reads[id as keyof typeof reads].summary.replace(/\.$/, '')
    : undefined
  return html`${title !== undefined && html`<span class="case-title">${title}</span> `}<span class="case-read">${visible(id)}</span>`
}
