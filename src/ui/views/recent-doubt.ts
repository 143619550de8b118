import { html } from 'hono/html'
import type { Case } from '../../scan/evidence-log.ts'
import { doubtSeries } from '../../scan/incidents.ts'
import { type Html, minute, unbroken } from './text.ts'

/**
 * Warns beside an answer for an hour after more than f super validators contradicted the others.
 * The same liars may agree on the next lie, and its votes would then look unanimous.
 */
export function recentDoubtView(cases: readonly Case[], f: number, now: number): Html {
  const run = doubtSeries(cases, f, now)
  if (run === undefined) return html``
  return html`<p class="banner"><strong>This answer may be a lie.</strong> ${unbroken(`More super validators than the f = ${f} that may lie contradicted each other at`)} ${minute(run.last)}. For an hour, agreement does not show who is right.</p>`
}
