import { html } from 'hono/html'
import type { Answer } from '../../cache/answer.ts'
import type { Examination } from '../../scan/examiner.ts'
import type { Entry, Finding, LookupInput, Way } from '../model.ts'
import { comparison } from './disagreements.ts'
import { exceptions, outcomeSentence, quorumView } from './quorum.ts'
import { count, foreign, type Html, moment, visible, website } from './text.ts'

const ways: readonly { readonly way: Way; readonly label: string }[] = [
  { way: 'name', label: 'Name' },
  { way: 'party', label: 'Party' },
  { way: 'prefix', label: 'Beginning of names' },
]

export function lookupForm(question: LookupInput): Html {
  const { by, text, ask } = question
  return html`
    <form class="lookup" action="./#answer" method="get" role="search" aria-label="Names">
      <fieldset class="ways">
        <legend>Look up by</legend>
        ${ways.map(
          ({ way, label }) => html`
            <label><input type="radio" name="by" value="${way}" ${way === by && 'checked'}><span>${label}</span></label>
          `,
        )}
      </fieldset>
      <div class="ask">
        <label class="unseen" for="q">Name, party or beginning of names</label>
        <input id="q" name="q" type="search" value="${text}" maxlength="2066" autocomplete="off" autocapitalize="none"
          spellcheck="false" placeholder="alice.unverified.cns">
        <button type="submit">Look up</button>
      </div>
      ${
        ask !== undefined &&
        html`
          <fieldset class="whom">
            <legend>Ask</legend>
            <label><input type="radio" name="ask" value="all" ${ask === 'all' && 'checked'}> every super validator</label>
            <label><input type="radio" name="ask" value="enough" ${ask === 'enough' && 'checked'}> as many as are needed</label>
          </fieldset>
        `
      }
    </form>
  `
}

export function findingView(question: LookupInput, finding: Finding): Html {
  if (finding.kind === 'refused') {
    return html`
      <section id="answer" class="card refused" aria-label="Answer" tabindex="-1">
        <h2>${foreign(question.text)}</h2>
        <p role="alert">${visible(finding.why)}</p>
      </section>
    `
  }
  const { examination } = finding
  const { outcome, answer, stands, disagreement } = examination
  const others = exceptions(stands)
  return html`
    <section id="answer" class="card outcome-${outcome}" aria-labelledby="answer-heading" tabindex="-1">
      <h2 id="answer-heading"><span class="verdict">${verdictWord(examination)}</span> ${foreign(question.text)}</h2>
      <p class="sentence">${outcomeSentence(examination)}${others !== undefined && html` <strong>${others}</strong>`}</p>
      ${answer !== undefined && answerView(answer)}
      <h3>Who said so</h3>
      ${quorumView(examination)}
      ${disagreement !== undefined && disagreement.statements.length > 1 && html`<h3>What was said instead</h3>${comparison(disagreement)}`}
    </section>
  `
}

function verdictWord({ outcome, answer }: Examination): string {
  if (outcome !== 'agreed') return 'Not agreed'
  return answer?.kind === 'absence' ? 'Agreed: there is none' : 'Agreed'
}

function answerView(answer: Answer): Html {
  const said = JSON.parse(answer.body.toString())
  if (answer.kind === 'absence')
    return html`<blockquote class="absence">${visible(String(said.error))}</blockquote>`
  return 'entries' in said ? entriesView(said.entries) : entryView(said.entry)
}

function entryView({ name, user, url, description, expires_at, contract_id }: Entry): Html {
  return html`
    <dl class="entry">
      <div><dt>Name</dt><dd class="name">${foreign(name)}</dd></div>
      <div><dt>Party</dt><dd class="id">${lookupLink('party', user)}</dd></div>
      ${url !== '' && html`<div><dt>Website</dt><dd>${website(url)}</dd></div>`}
      ${description !== '' && html`<div><dt>Description</dt><dd>${foreign(description)}</dd></div>`}
      <div><dt>Expires</dt><dd>${expires_at === null ? 'never' : moment(expires_at)}</dd></div>
      ${contract_id !== null && html`<div><dt>Contract</dt><dd class="id">${foreign(contract_id)}</dd></div>`}
    </dl>
  `
}

function entriesView(entries: readonly Entry[]): Html {
  if (entries.length === 0) return html`<p>No name begins so.</p>`
  return html`
    <p class="sentence">${count(entries.length, 'name begins', 'names begin')} so${entries.length === mostListed && ', or more'}.</p>
    <ul class="entries">
      ${entries.map(
        ({ name, user }) =>
          html`<li><span class="name">${lookupLink('name', name)}</span> <span class="id">${foreign(user)}</span></li>`,
      )}
    </ul>
  `
}

/** Maximum number of names that a prefix search requests. */
export const mostListed = 50

function lookupLink(by: Way, text: string): Html {
  return html`<a href="./?${new URLSearchParams({ by, q: text }).toString()}#answer">${foreign(text)}</a>`
}
