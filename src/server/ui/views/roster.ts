import { html, raw } from 'hono/html'
import { byName } from '../../../base/lib/by-name.ts'
import type { Hour } from '../../../base/telemetry/last-hour.ts'
import { newestKnown, standingOf } from '../../../core/reads/releases.ts'
import type { Standing } from '../../../core/scan/peer-selection.ts'
import type { SeedState } from '../../../core/scan/seed-outcome.ts'
import { seedAdvice, seedSays } from '../../../doctor/seed-advice.ts'
import type { Row } from '../live.ts'
import type { LiveModel, ShownMember } from '../model.ts'
import { svLink } from './links.ts'
import { lookNow, type Marking, unmarked } from './pending.ts'
import { nounOf, sharedVotes, token } from './stances.ts'
import { foreign, type Html, hostOf, minute, moment, sentence, took, unbroken } from './text.ts'
import { total, voteCountsInWords } from './votes.ts'

export function summaryView(model: Pick<LiveModel, 'roster' | 'waitingFor' | 'seeds'>): Html {
  const { roster } = model
  if (roster === undefined) return seedsView(model)
  const { superValidators, operators, isProtected, members } = roster
  const { n, f, threshold } = superValidators
  const reachable = members.filter((member) => member.reachable).length
  const shared = sharedVotes(members)
  return html`
    <dl class="figures">
      <div><dt>Super validators</dt><dd>${n}</dd></div>
      ${shared !== undefined && html`<div><dt>Voters</dt><dd>${members.length}</dd></div>`}
      <div class="${reachable < threshold ? 'bad' : reachable < members.length ? 'poor' : 'good'}"><dt>Reachable</dt><dd>${reachable}</dd></div>
      <div><dt>Must agree</dt><dd>${threshold}</dd></div>
      <div><dt>May lie <abbr title="how many super validators may lie or fail">(f)</abbr></dt><dd>${f}</dd></div>
      ${operators && html`<div><dt>Operators that must agree</dt><dd>${operators.threshold} of ${operators.n}</dd></div>`}
    </dl>
    ${protectionView(f, isProtected)}
    ${shared !== undefined && html`<p class="sentence">${shared}</p>`}
    ${reachable < threshold && html`<p class="banner">Nobody has the threshold: ${reachable} of ${members.length} ${nounOf(members)} are reachable, and ${threshold} have to say the same. Reads that are not cached fail.</p>`}
  `
}

export function protectionView(f: number, isProtected: boolean): Html {
  const sign = html`<abbr title="how many super validators may lie or fail">f</abbr>\u00a0=\u00a0${f}`
  if (!isProtected)
    return html`<p class="banner">Fewer than ${unbroken('f + 1')} votes are enough here: one liar can change an answer, and nobody would notice.</p>`
  return html`<p class="sentence">Up to ${sign} ${f === 1 ? 'liar' : 'liars'} cannot change an answer; more can.</p>`
}

export function beyondFView({ lastBeyondFAt }: Marking, f: number): Html {
  if (lastBeyondFAt === undefined) return html``
  return html`<p class="banner">${unbroken(`More than f = ${f} super validators contradicted an agreed answer at`)} ${minute(lastBeyondFAt)}. These votes do not show who is right, and so for an hour nobody is marked as wrong.</p>`
}

/** @param listId the id of a list to which the page's script adds rows. */
export function rosterTable(rows: readonly Row[], listId?: string): Html {
  return html`
    <table class="roster">
      <thead>
        <tr>
          <th scope="col">Super validator</th>
          <th scope="col">Agreement</th>
          <th scope="col" class="number">Latency</th>
          <th scope="col" class="number">Speed rank</th>
        </tr>
      </thead>
      <tbody ${listId !== undefined && html`id="${listId}"`}>${rows.map(asHtml)}</tbody>
    </table>
    <p class="minor">Speed rank: a read asks in this order, by the latest replies. Latency is the mean of the last hour.</p>
  `
}

export function rosterRows(members: readonly ShownMember[], marking: Marking = unmarked): readonly Row[] {
  return members
    .toSorted((a, b) => byName(a.names.join(), b.names.join()))
    .map((member) => {
      const id = rowId('sv-row', member)
      return { id, html: memberView(member, marking, id).toString() }
    })
}

/** The id of what an open page shows about a super validator, whatever its place among the others. */
export function rowId(of: string, { names: [name = ''] }: Pick<ShownMember, 'names'>): string {
  return `${of}-${encodeURIComponent(name)}`
}

/** The HTML of a row is already escaped. */
export function asHtml({ html: row }: Row): Html {
  return raw(row)
}

function memberView(member: ShownMember, marking: Marking, id: string): Html {
  const { names, operator, host, reachable, standing, release, hour } = member
  const { look, sign, says } = lookNow(member, marking)
  const pending = Math.max(0, ...names.map((name) => marking.pending.get(name) ?? 0))
  const by = names.includes(operator) ? [] : [operator]
  const where = host === undefined ? ['publishes no address'] : [host]
  return html`<tr id="${id}">
      <th scope="row"><span class="member">${token(look, sign)}<bdi>${names.map((name, at) => html`${at > 0 && ' + '}${svLink(name)}`)}</bdi></span>
        <span class="minor">${reachable !== true && html`<span class="${reachable === false && 'bad'}">${says}</span> · `}${foreign([...by, ...where].join(' · '))}${releaseView(release)}</span></th>
      <td data-label="Agreement">${agreementView(hour, pending, marking.lastBeyondFAt)}</td>
      <td class="number" data-label="Latency">${latencyView(hour)}</td>
      <td class="number" data-label="Speed rank">${standingView(standing)}</td>
    </tr>`
}

function releaseView(release: string | undefined): Html | undefined {
  if (release === undefined) return undefined
  if (standingOf(release) !== 'newer') return html` · Splice ${release}`
  return html` · <span class="bad">Splice ${release}, newer than this daemon knows (${newestKnown})</span>`
}

function agreementView({ votes }: Hour, pending: number, beyondF: number | undefined): Html {
  const all = total(votes)
  const tone = (usual: string) => (beyondF === undefined ? usual : 'neutral')
  const checked = pending > 0 && html`<span class="share ${tone('poor')}">${pending} being checked</span>`
  if (all === 0 && pending > 0) return html`${checked}`
  if (all === 0) return html`<span class="minor">no vote in the last hour</span>`
  // `votes` leaves out dissents that the daemon still checks. The share counts them as votes that
  // did not agree.
  const share = Math.floor((votes.agree / (all + pending)) * 1000) / 10
  return html`<span class="share ${tone(votes.dissent > 0 ? 'bad' : share < 100 || pending > 0 ? 'poor' : 'good')}">${share}%</span> <span class="minor">${voteCountsInWords(beyondF === undefined ? votes : endedAsUnchecked(votes))}</span> ${checked}`
}

/**
 * A `lag` or `ahead` usually clears a super validator: its difference was gone when the daemon asked
 * again. But if more than f lie, the liars can bring that about, so neither proves anything here.
 */
function endedAsUnchecked(votes: Hour['votes']): Hour['votes'] {
  return { ...votes, lag: 0, ahead: 0, unchecked: votes.unchecked + votes.lag + votes.ahead }
}

function latencyView({ meanSeconds, slowestSeconds }: Hour): Html {
  if (meanSeconds === undefined || slowestSeconds === undefined) return html`<span class="minor">–</span>`
  return html`${took(meanSeconds)} <span class="minor">at most ${took(slowestSeconds)}</span>`
}

function standingView(standing: Standing | undefined): Html {
  if (standing === undefined) return html`<span class="minor">never</span>`
  const { place, expectedMs } = standing
  return html`${ordinal(place)}${expectedMs === undefined && html` <span class="minor">nothing heard yet</span>`}`
}

const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const plural = new Intl.PluralRules('en', { type: 'ordinal' })

function ordinal(place: number): string {
  return `${place}${endings[plural.select(place)] ?? 'th'}`
}

export function seedsView({ seeds, waitingFor }: Pick<LiveModel, 'seeds' | 'waitingFor'>): Html {
  return html`
    <p class="waiting">No roster of super validators is agreed yet${waitingFor !== undefined && html`: ${foreign(waitingFor)}`}.</p>
    ${
      seeds.length > 0 &&
      html`
        <p class="advice"><strong>What to do:</strong> ${sentence(seedAdvice(seeds))}</p>
        <table class="seeds">
          <thead><tr><th scope="col">Seed</th><th scope="col">What it said</th><th scope="col">When</th></tr></thead>
          <tbody>${seeds.map(seedView)}</tbody>
        </table>
      `
    }
  `
}

function seedView({ url, outcome, detail, at }: SeedState): Html {
  const says = seedSays(outcome)
  const isGood = outcome === 'answered'
  return html`
    <tr>
      <th scope="row"><span class="member">${isGood ? token('stance-agreed', '✓') : token('stance-silent', '–')}${foreign(hostOf(url))}</span></th>
      <td>${says}${detail !== '' && html` <span class="minor">${foreign(detail)}</span>`}</td>
      <td><span class="minor">${at !== null && moment(at)}</span></td>
    </tr>
  `
}
