import { html } from 'hono/html'
import { byName } from '../../../base/lib/by-name.ts'
import { reads } from '../../../core/reads/table.ts'
import type { Case } from '../../../core/scan/evidence-log.ts'
import { filingForDisplay, isDoubtful } from '../incidents.ts'
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
import {
  count,
  foreign,
  type Html,
  moment,
  namesView,
  plainRule,
  shortened,
  unbroken,
  visible,
} from './text.ts'

export function storyRows(cases: readonly Case[], f: number): readonly (Row & Pick<Story, 'who'>)[] {
  const stories = storiesOf(cases, f).toSorted(
    (a, b) => order[a.kind] - order[b.kind] || byName(a.who.join(), b.who.join()),
  )
  return stories.flatMap((story) => [
    { id: `story-${story.id}`, who: story.who, html: headView(story, f).toString() },
    ...story.chapters
      .toSorted((a, b) => byName(a.read, b.read))
      .map((chapter) => ({
        id: `case-${chapter.id}`,
        who: story.who,
        html: chapterView(chapter).toString(),
      })),
  ])
}

const order: Readonly<Record<Story['kind'], number>> = {
  doubtful: 0,
  dissenterInDoubt: 1,
  dissenter: 2,
  rivals: 3,
  disputed: 4,
}

function headView({ id, kind, who, count: times, from, to, isReportable }: Story, f: number): Html {
  return html`<div class="story" id="story-${id}">
      <h3>${titleOf(kind, who)}</h3>
      <p class="story-count">${count(times, 'time')}, ${moment(from)}${from !== to && html` to ${moment(to)}`}${isReportable && html` · <a data-copies="report for its operator" href="ui/reports/${encodeURIComponent(who[0] ?? '')}">Report for its operator</a>`}</p>
      ${kind === 'doubtful' && html`<p class="banner">${unbroken(`More than f = ${f} contradicted an answer that was agreed: at least one of them is honest, or more than f lie. This does not show who was right. A threshold of 2f + 1 lets no such answer through.`)}</p>`}
      ${kind === 'dissenterInDoubt' && html`<p class="banner">${unbroken(`More than f = ${f} contradicted an agreed answer within an hour of this.`)} The votes against it may be lies, so this does not show who was right.</p>`}
      ${kind === 'rivals' && html`<p class="banner">Two groups had the threshold, and the answer of one was given. This does not show who was right.</p>`}
    </div>`
}

function titleOf(kind: Story['kind'], who: readonly string[]): Html {
  if (kind === 'rivals') return html`Two groups had the threshold`
  if (kind === 'disputed') return html`Nobody had the threshold`
  const names = namesView(who)
  if (kind === 'doubtful') return html`${names} contradicted what was agreed: more than f`
  return html`${names} contradicted the others`
}

/** A disagreement about another subject than a read, such as `roster`, has no title. */
function readTitle(id: string): Html {
  const summary = Object.hasOwn(reads, id) ? reads[id as keyof typeof reads].summary : undefined
  return html`${summary !== undefined && html`<span class="case-title">${summary.replace(/\.$/, '')}</span> `}<span class="case-read">${visible(id)}</span>`
}

const longestAsked = 60

function chapterView({ id, read, count: times, latest, recheckMark }: Chapter): Html {
  return html`<details class="case" id="case-${id}" data-checked="${recheckMark}" data-body="ui/cases/${caseId(latest)}">
      <summary id="case-${id}-summary">${readTitle(read)}${latest.question !== undefined && html` <span class="case-asked">${foreign(shortened(Object.values(latest.question).join(', '), longestAsked))}</span>`} <span class="case-count">${times === 1 ? '' : `${times} times`}</span> ${moment(latest.at)}</summary>
      <p class="case-body"><a href="ui/cases/${caseId(latest)}">Show both answers</a></p>
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
