import { html } from 'hono/html'
import { type Case, type Filing, hasEnded } from '../../scan/evidence-log.ts'
import { filingForDisplay, isDoubtful } from '../../scan/incidents.ts'
import type { Row } from '../live.ts'
import {
  type Chapter,
  caseId,
  doubtfulFilings,
  filings,
  notCheckable,
  type Story,
  storiesOf,
} from '../stories.ts'
import { comparison } from './comparison.ts'
import { readTitle } from './read-title.ts'
import {
  byName,
  coordinate,
  count,
  foreign,
  type Html,
  listed,
  moment,
  plainRule,
  shortened,
  unbroken,
} from './text.ts'

export function storyRows(cases: readonly Case[], f: number): readonly Row[] {
  const stories = storiesOf(cases, f).toSorted(
    (a, b) => order[a.kind] - order[b.kind] || byName(a.who.join(), b.who.join()),
  )
  if (stories.length === 0) {
    const none = html`<p id="stories-none" class="empty">Nobody has contradicted the others since this daemon started.</p>`
    return [{ id: 'stories-none', html: none.toString() }]
  }
  return stories.flatMap((story) => [
    { id: `story-${story.id}`, html: headView(story, f).toString() },
    ...story.chapters
      .toSorted((a, b) => byName(a.read, b.read))
      .map((chapter) => ({ id: `case-${chapter.id}`, html: chapterView(chapter).toString() })),
  ])
}

const order: Readonly<Record<Story['kind'], number>> = {
  doubtful: 0,
  dissenterInDoubt: 1,
  dissenter: 2,
  rivals: 3,
  disputed: 4,
}

function headView({ id, kind, who, count: times, marks }: Story, f: number): Html {
  return html`<div class="story story-${kind === 'dissenterInDoubt' ? 'doubtful' : kind}" id="story-${id}">
      <h3>${titleOf(kind, who)}</h3>
      <p class="story-count">${count(times, 'time')}${hasReport({ kind, marks }) && html` · <a class="report" data-report href="ui/reports/${encodeURIComponent(who[0] ?? '')}">Report for its operator</a>`}</p>
      ${kind === 'doubtful' && html`<p class="banner">${unbroken(`More than f = ${f} contradicted an answer that was agreed: at least one of them is honest, or more than f lie. This does not show who was right. A threshold of 2f + 1 lets no such answer through.`)}</p>`}
      ${kind === 'dissenterInDoubt' && html`<p class="banner">${unbroken(`More than f = ${f} contradicted an agreed answer within an hour of this.`)} The votes against it may be lies, so this does not show who was right.</p>`}
      ${kind === 'rivals' && html`<p class="banner">Two groups had the threshold, and the answer of one was given. This does not show who was right.</p>`}
      ${who.length > 0 && timeline(marks)}
    </div>`
}

function hasReport({ kind, marks }: Pick<Story, 'kind' | 'marks'>): boolean {
  return kind === 'dissenter' && marks.some(({ filing }) => !hasEnded(filing) && filing !== 'split')
}

function titleOf(kind: Story['kind'], who: readonly string[]): Html {
  if (kind === 'rivals') return html`Two groups had the threshold`
  if (kind === 'disputed') return html`Nobody had the threshold`
  const names = foreign(listed(who.toSorted(byName)))
  if (kind === 'doubtful') return html`${names} contradicted what was agreed: more than f`
  return html`${names} contradicted the others`
}

const width = 600
const bins = 60

/**
 * The order is from the best state of a dissent to the worst. `path` is an SVG path in a box of 8
 * by 8 around the position of the mark.
 */
const shapes: Readonly<Record<Filing, { readonly says: string; readonly path: string }>> = {
  pending: { says: 'not checked yet', path: 'm-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0' },
  ahead: { says: 'was ahead of the others', path: 'm-4-3.5h8l-4 7z' },
  lag: { says: 'ended within a minute', path: 'm-4 3.5h8l-4-7z' },
  split: { says: 'had others with it', path: 'm0-4 4 4-4 4-4-4z' },
  unchecked: { says: 'could not be checked', path: 'm-4-1h8v2h-8z' },
  dissent: { says: 'said so again', path: 'm-4-3 1-1 3 3 3-3 1 1-3 3 3 3-1 1-3-3-3 3-1-1 3-3z' },
}
const worstLast = Object.keys(shapes) as Filing[]

/** If several marks share one of the 61 positions of the timeline, only the worst is drawn. */
function timeline(marks: Story['marks']): Html {
  const [first, last] = [marks[0]?.at ?? '', marks.at(-1)?.at ?? '']
  const from = Date.parse(first)
  const span = Math.max(1, Date.parse(last) - from)
  const worst = new Map<number, Filing>()
  for (const { at, shownFiling: filing } of marks) {
    const bin = Math.round(((Date.parse(at) - from) / span) * bins)
    const known = worst.get(bin)
    if (known === undefined || worstLast.indexOf(filing) > worstLast.indexOf(known)) worst.set(bin, filing)
  }
  const present = worstLast.filter((filing) => [...worst.values()].includes(filing))
  return html`
      <div class="timeline">
        <svg viewBox="-8 0 ${width + 16} 16" aria-hidden="true"><path class="axis" d="M0 8H${width}"/>${present.map(
          (filing) => {
            const places = [...worst].filter(([, each]) => each === filing).map(([bin]) => bin)
            const path = places
              .map((bin) => `M${coordinate((bin / bins) * width)} 8${shapes[filing].path}`)
              .join('')
            return html`<path class="mark-${filing}" d="${path}"/>`
          },
        )}</svg>
        <p class="ends"><span>${moment(first)}</span> ${present.map((filing) => html`<span class="key"><svg viewBox="-5 -5 10 10" aria-hidden="true"><path class="mark-${filing}" d="M0 0${shapes[filing].path}"/></svg>${shapes[filing].says}</span> `)}${first !== last && html`<span>${moment(last)}</span>`}</p>
      </div>`
}

const longestAsked = 60

function chapterView({ id, read, count: times, latest, recheckMark }: Chapter): Html {
  return html`<details class="case" id="case-${id}" data-checked="${recheckMark}" data-body="ui/cases/${caseId(latest)}">
      <summary id="case-${id}-summary">${readTitle(read)}${latest.question !== undefined && html` <span class="case-asked">${foreign(shortened(Object.values(latest.question).join(', '), longestAsked))}</span>`} <span class="case-count">${times === 1 ? '' : `${times} times`}</span> ${moment(latest.at)}</summary>
      <p class="case-body"><a href="./?case=${caseId(latest)}#case">Show both answers</a></p>
    </details>`
}

/**
 * @param incidents the times of votes in which more than f super validators contradicted the agreed
 * answer.
 */
export function caseView(kept: Case, f: number, incidents: readonly number[] = []): Html {
  const { at, dissent } = kept
  const hasSides = isDoubtful(kept, f, incidents)
  const says = hasSides ? doubtfulFilings : filings
  const filed = Object.entries(dissent).map(([name, filing]) => {
    const told = hasSides ? filing : filingForDisplay(filing, at, incidents)
    return { name, told, why: told === filing ? says[told] : notCheckable }
  })
  return html`
    <p class="sentence">${moment(at)} · ${outcomeOf(kept, f, hasSides)}</p>
    ${
      Object.keys(dissent).length > 0 &&
      html`
        <ul class="${hasSides ? 'filings sides' : 'filings'}">
          ${filed.map(({ name, told, why }) => html`<li class="filed-${told}"><strong>${foreign(name)}</strong> ${why}</li>`)}
        </ul>
      `
    }
    ${comparison(kept, hasSides)}
  `
}

function outcomeOf(kept: Case, f: number, isInDoubt: boolean): string {
  const { outcome, rule, dissent } = kept
  if (outcome !== 'agreed') return `Nothing was agreed (${outcome}): ${plainRule(rule)}.`
  if (!isInDoubt) return `Agreed all the same: ${plainRule(rule)}.`
  const against = Object.keys(dissent).length
  if (against === 0)
    return 'Agreed, but in doubt: two groups had the threshold. Nobody can tell who is right.'
  if (against <= f)
    return 'Agreed, but in doubt: more than f contradicted an agreed answer within an hour of this. Nobody can tell who is right.'
  return unbroken(
    `Agreed, but in doubt: ${against} super validators contradict the answer, more than the f = ${f} that may lie or fail. Nobody can tell who is right.`,
  )
}
