import { html } from 'hono/html'
import type { Standing } from '../../scan/selection.ts'
import type { Hour, Votes } from '../../telemetry/last-hour.ts'
import type { LiveModel, ShownMember, ShownRoster } from '../model.ts'
import { byName, foreign, type Html, took } from './text.ts'

/** Shows how many super validators can fail before reads fail. Operators need this first. */
export function summaryView({ roster, waitingFor }: Pick<LiveModel, 'roster' | 'waitingFor'>): Html {
  if (roster === undefined) {
    return html`<p class="waiting">No roster of super validators is agreed yet${waitingFor !== undefined && html`: ${foreign(waitingFor)}`}.</p>`
  }
  const { superValidators, operators, isProtected } = roster
  const { n, f, threshold } = superValidators
  const reachable = reachableOf(roster)
  return html`
    <dl class="figures">
      <div><dt>Super validators</dt><dd>${n}</dd></div>
      <div class="${reachable < threshold ? 'bad' : reachable < n ? 'poor' : 'good'}"><dt>Reachable</dt><dd>${reachable}</dd></div>
      <div><dt>Must agree</dt><dd>${threshold}</dd></div>
      <div><dt>May lie <abbr title="how many super validators may lie or fail">(f)</abbr></dt><dd>${f}</dd></div>
      ${operators && html`<div><dt>Operators that must agree</dt><dd>${operators.threshold} of ${operators.n}</dd></div>`}
      <div class="${isProtected ? 'good' : 'bad'}"><dt>Lies are</dt><dd>${isProtected ? 'noticed' : 'not noticed'}</dd></div>
    </dl>
  `
}

export function rosterView({ roster }: Pick<LiveModel, 'roster'>): Html {
  if (roster === undefined) return html`<p class="empty">There is none yet.</p>`
  return html`
    <table class="roster">
      <thead>
        <tr>
          <th scope="col">Super validator</th>
          <th scope="col">Agreement</th>
          <th scope="col" class="number">Latency</th>
          <th scope="col" class="number"><abbr title="those that are expected to reply soonest are asked first">Asked</abbr></th>
        </tr>
      </thead>
      <tbody>
        ${roster.members.toSorted((a, b) => byName(a.names.join(), b.names.join())).map(memberView)}
      </tbody>
    </table>
  `
}

function memberView({ names, operator, host, reachable, standing, hour }: ShownMember): Html {
  const state = reachable === undefined ? 'unknown' : reachable ? 'reachable' : 'unreachable'
  const by = names.includes(operator) ? [] : [operator]
  const where = host === undefined ? ['publishes no address'] : [host]
  return html`
    <tr>
      <th scope="row">
        <span class="member"><i class="dot ${state}" aria-hidden="true"></i>${foreign(names.join(' + '))}</span>
        <span class="minor">${state === 'unreachable' && html`<span class="bad">not reachable</span> · `}${state === 'unknown' && 'not asked yet · '}${foreign([...by, ...where].join(' · '))}</span>
      </th>
      <td>${agreementView(hour)}</td>
      <td class="number">${latencyView(hour)}</td>
      <td class="number">${standingView(standing)}</td>
    </tr>
  `
}

function agreementView({ votes, minutes }: Hour): Html {
  const all = total(votes)
  if (all === 0) return html`<span class="minor">no vote in the last hour</span>`
  const share = Math.floor((votes.agree / all) * 1000) / 10
  return html`
    ${history(minutes)}
    <span class="share ${votes.dissent > 0 ? 'bad' : share < 100 ? 'poor' : 'good'}">${share}%</span>
    <span class="minor">${said(votes)}</span>
  `
}

const height = 16

/** One bar per minute: agreeing votes grow from below, all others from above. */
function history(minutes: readonly Votes[]): Html {
  return html`
    <svg class="history" viewBox="0 0 ${minutes.length} ${height}" preserveAspectRatio="none" aria-hidden="true">
      ${minutes.map((votes, index) => {
        const all = total(votes)
        if (all === 0)
          return html`<rect class="none" x="${index + 0.1}" y="${height - 1}" width="0.8" height="1"/>`
        const agreed = (votes.agree / all) * height
        const worst = votes.dissent > 0 ? 'dissent' : votes.fault > 0 ? 'fault' : 'other'
        return html`<rect class="agree" x="${index + 0.1}" y="${height - agreed}" width="0.8" height="${agreed}"/><rect class="${worst}" x="${index + 0.1}" y="0" width="0.8" height="${height - agreed}"/>`
      })}
    </svg>
  `
}

function latencyView({ meanSeconds, slowestSeconds }: Hour): Html {
  if (meanSeconds === undefined || slowestSeconds === undefined) return html`<span class="minor">–</span>`
  return html`${took(meanSeconds)} <span class="minor">at most ${took(slowestSeconds)}</span>`
}

function standingView(standing: Standing | undefined): Html {
  if (standing === undefined) return html`<span class="minor">never</span>`
  const { place, expectedMs } = standing
  const when = expectedMs === undefined ? 'nothing heard yet' : `usually ${took(expectedMs / 1000)}`
  return html`${place}. <span class="minor">${when}</span>`
}

const words: Readonly<Record<keyof Votes, string>> = {
  agree: 'agreed',
  dissent: 'dissented',
  unchecked: 'unchecked',
  lag: 'lagged',
  split: 'split',
  abstain: 'abstained',
  fault: 'silent',
}
const kinds = Object.keys(words) as (keyof Votes)[]

function said(votes: Votes): string {
  return kinds.flatMap((vote) => (votes[vote] === 0 ? [] : [`${votes[vote]} ${words[vote]}`])).join(', ')
}

function total(votes: Votes): number {
  return kinds.reduce((sum, vote) => sum + votes[vote], 0)
}

function reachableOf({ members }: ShownRoster): number {
  return members.filter(({ reachable }) => reachable).reduce((sum, { names }) => sum + names.length, 0)
}
