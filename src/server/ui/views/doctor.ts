import { html } from 'hono/html'
import {
  type DoctorReport,
  type ExaminedSuperValidator,
  type Letter,
  type StepFinding,
  type StepId,
  type StepOutcome,
  toldSteps,
  type VerdictKind,
} from '../../../doctor/report.ts'
import type { ShownDoctor } from '../model.ts'
import { type Tone, token, toned } from './stances.ts'
import { count, foreign, type Html, hostOf, listed, moment, visible } from './text.ts'

const headings: Readonly<Record<StepId, string>> = {
  dns: 'DNS',
  tcp: 'TCP',
  tls: 'TLS',
  version: 'Version',
  dso: 'DSO',
  synchronizer: 'Synchr.',
  head: 'Head',
  snapshot: 'Snapshot',
  history: 'History',
}
const columns = Object.entries(headings) as readonly (readonly [StepId, string])[]

interface Sign {
  readonly look: string
  readonly sign: string
  readonly says: string
}

const signs: Readonly<Record<StepOutcome, Sign>> = {
  ok: { look: 'stance-agreed', sign: '✓', says: 'ok' },
  failed: { look: 'stance-dissented', sign: '✕', says: 'failed' },
  unknown: { look: 'stance-silent', sign: '?', says: 'the scan does not tell' },
  skipped: { look: 'stance-unasked', sign: '', says: 'not tried, or does not exist here' },
}

const verdicts: Readonly<Record<VerdictKind, Tone>> = {
  well: 'good',
  'some-missing': 'poor',
  'not-enough': 'bad',
}

export function doctorSection(doctor: ShownDoctor): Html {
  return html`
    <section id="doctor" aria-labelledby="doctor-heading">
      <h2 id="doctor-heading">Doctor</h2>
      <p class="lead">Which scans can this machine use, and why not the others? An examination takes 14 s at most, and begins at most once in 30 s.</p>
      <form class="examine" action="ui/doctor" method="post"><button type="submit">Examine the network from here</button></form>
      <div role="status" id="live-doctor-state">${doctorStateView(doctor)}</div>
      <div id="live-doctor">${doctorReportView(doctor)}</div>
    </section>
  `
}

export function doctorStateView({ running, report, failure }: ShownDoctor): Html {
  if (running !== undefined) {
    const { done, total } = running
    return html`<p class="examining">The examination runs${total > 0 && `: ${done} of ${count(total, 'scan')} done`}.</p>`
  }
  if (failure !== undefined) return html`<p class="alert">The examination failed: ${foreign(failure)}</p>`
  if (report === undefined) return html``
  const { kind, sentences } = report.verdict
  return toned(verdicts[kind], foreign(sentences.at(-1) ?? ''))
}

export function doctorReportView({ report }: ShownDoctor): Html {
  if (report === undefined) return html``
  const { at, network, verdict, superValidators, egress, letters } = report
  return html`
    <p class="minor examined">Examined ${moment(at)}, network ${foreign(network)}.</p>
    <ul class="grounds">${verdict.sentences.slice(0, -1).map((sentence) => html`<li>${foreign(sentence)}</li>`)}</ul>
    ${stepsTable(superValidators)}
    <p class="legend minor">${Object.values(signs).map(({ look, sign, says }) => html`<span>${token(look, sign)} ${says}</span> `)}</p>
    ${letters.length > 0 && html`<h3>Texts to send</h3>`}
    <p class="sentence">${foreign(egress.says)}</p>
    ${letters.length > 0 && html`<ul class="letters">${letters.map(letterView)}</ul>`}
  `
}

function stepsTable(superValidators: DoctorReport['superValidators']): Html {
  return html`
    <div class="wide" tabindex="0">
    <table class="steps">
      <thead><tr><th scope="col">Super validator</th>${columns.map(([, heading]) => html`<th scope="col">${heading}</th>`)}</tr></thead>
      ${superValidators.map(examinedView)}
    </table>
    </div>
  `
}

function examinedView(one: ExaminedSuperValidator): Html {
  const { names, operator, url, steps } = one
  const host = url === null ? 'publishes no address' : hostOf(url)
  const by = operator === null || names.includes(operator) ? [] : [operator]
  const reasons = toldSteps(one)
  return html`
    <tbody>
      <tr>
        <th scope="row"><span class="member">${foreign(names.join(' + '))}</span> <span class="minor">${foreign([...by, host].join(' · '))}</span></th>
        ${columns.map(([step, heading]) => html`<td data-label="${heading}">${findingView(steps[step])}</td>`)}
      </tr>
      ${
        reasons.length > 0 &&
        html`<tr class="reasons"><td colspan="${columns.length + 1}">${reasons.map((step) => html`<p><strong>${headings[step]}</strong> ${foreign(steps[step].detail)}</p>`)}</td></tr>`
      }
    </tbody>
  `
}

/** If the word says no more than the sign, only screen readers get a text. */
function findingView({ outcome, word }: StepFinding): Html {
  const { look, sign, says } = signs[outcome]
  const isPlain = outcome === 'skipped' || outcome === 'unknown' || word === 'ok'
  const text = isPlain
    ? html`<span class="unseen">${says}</span>`
    : html`<span class="${outcome === 'failed' ? 'bad' : 'minor'}">${foreign(word)}</span>`
  return html`<span class="step-says">${token(look, sign)} ${text}</span>`
}

function letterView({ superValidators, operator, subject, text }: Letter): Html {
  const who = visible(listed(superValidators))
  const lines = text.split('\n').map(visible).join('\n')
  return html`
    <li>
      <p data-copy="${lines}" data-what="the text for ${who}"><strong>${foreign(who)}</strong>${operator !== null && html` <span class="minor">${foreign(operator)}</span>`}</p>
      <details><summary>${foreign(subject)}</summary><pre>${lines}</pre></details>
    </li>
  `
}
