import { html } from 'hono/html'
import { parseJsonText } from '../../../base/lib/parse-json-text.ts'
import type { Count } from '../../../base/lib/threshold.ts'
import type { Answer } from '../../../core/cache/answer.ts'
import type { AsOf } from '../../../core/cache/as-of.ts'
import type { Case } from '../../../core/scan/evidence-log.ts'
import { doubtOf, type Examination } from '../../../doctor/examiner.ts'
import { doubtSeries } from '../incidents.ts'
import {
  type Entry,
  type Finding,
  type LiveModel,
  type LookupInput,
  type MirroredAnswer,
  type NameEvent,
  type PageModel,
  type Way,
  ways,
} from '../model.ts'
import { comparison } from './comparison.ts'
import { lookupAddress, lookupLink } from './links.ts'
import { identifier, toldView } from './localnet.ts'
import { fOf, markingOf } from './pending.ts'
import { receiptLink } from './receipts.ts'
import { beginningRing, finishedRing, isNone, restingRing } from './ring.ts'
import { protectionView, seedsView } from './roster.ts'
import { exceptions, nounOf, sharedVotes, votesWith } from './stances.ts'
import {
  clipped,
  copyable,
  count,
  foreign,
  type Html,
  minute,
  moment,
  namesView,
  plainRule,
  shortened,
  took,
  unbroken,
  visible,
  website,
} from './text.ts'
import { waterfallView } from './waterfall.ts'

const comparisons: Readonly<Record<MirroredAnswer['compared'], string>> = {
  same: 'It is the same.',
  renewed: 'It has the same owner, url and description, but an older expiry: the name was renewed since.',
  other: 'It differs from this vote.',
}

const bases: Readonly<Record<MirroredAnswer['asOf']['basis'], string>> = {
  snapshot: 'the snapshot',
  live: 'a live read',
  stream: 'the snapshot and the updates since',
}

const wayLabels: Readonly<Record<Way, string>> = {
  name: 'Name',
  party: 'Party',
  prefix: 'Beginning of names',
}

export function lookupView(model: PageModel): Html {
  const { question, finding, roster, disagreements, machineMs } = model
  const { by, ask, strict } = question
  const isUsual = by === 'name' && ask !== 'enough' && !strict
  return html`
    <section aria-labelledby="lookup-heading" class="hero">
      <h1 id="lookup-heading">Look up a name</h1>
      ${lookupForm(model)}
      <details class="options" ${!isUsual && 'open'}>
        <summary class="quiet">Options</summary>
        ${lookupChoices(question, roster)}
      </details>
    </section>
    ${toldView(model)}
    <div id="finding">${
      finding === undefined || finding.kind === 'senseless'
        ? html`<section class="card" aria-label="Super validators now">
            <div class="vote">
              <div class="vote-says"><div id="live-rest">${restView(model)}</div>${knownNames(model)}${newestView(model)}</div>
              <div class="vote-ring" id="live-ring">${roster !== undefined && restingRing(roster, markingOf(model))}</div>
            </div>
          </section>`
        : findingView(question, finding, recentDoubtView(disagreements, fOf(model), machineMs))
    }</div>
  `
}

/** Returns the text that stands beside the ring on the first screen. */
export function restView(model: Pick<LiveModel, 'roster' | 'waitingFor' | 'seeds' | 'doctor'>): Html {
  const { roster, doctor } = model
  if (roster === undefined)
    return html`${seedsView(model)}${doctor !== undefined && html`<p><a class="button" href="network#doctor">Examine the network from here</a></p>`}`
  const { members, superValidators, isProtected } = roster
  const { f, threshold } = superValidators
  return html`<h2>${threshold} of ${members.length} ${nounOf(members)} must say the same</h2>
    <p class="sentence">A look-up asks them now, and believes only what enough of them agree on.</p>
    ${protectionView(f, isProtected)}`
}

function knownNames({ nodes, registration }: PageModel): Html {
  if (nodes === undefined) return html``
  const acronym = registration?.acronym ?? 'cns'
  const names = [`dso.${acronym}`, ...nodes.slice(0, 1).map(({ name }) => `${name}.sv.${acronym}`)]
  return html`
    <h3>Names that exist here</h3>
    <ul>${names.map((name) => html`<li class="name">${lookupLink('name', name)}</li>`)}</ul>
    <p class="actions"><a class="button" href="localnet#tour">Take the tour</a> <span class="minor">Make some of them lie, and watch the others outvote them.</span></p>
  `
}

function newestView({ newest, machineMs, network, publicPort }: PageModel): Html {
  if (typeof newest !== 'object')
    return publicPort === undefined
      ? html``
      : html`<p class="minor">${newest === undefined ? html`Newest names need the mirror (<code>MIRROR_LEVEL=bindings</code>).` : visible(`The mirror lists no newest names yet. ${newest}${network === 'localnet' ? ' On a localnet, register a name and move the clock by a day.' : ''}`)}</p>`
  if (newest.length === 0) return html``
  const asOf = Math.min(...newest.map(({ asOf }) => asOf.at))
  return html`
    <h3>Newest names</h3>
    <p class="minor">Registered or renewed last, says the mirror, as of ${minute(asOf, machineMs)}:</p>
    ${entryList(newest.map(({ entry }) => entry))}
    ${
      newest.every(({ asOf }) => asOf.claim === 'state') &&
      html`
        <form class="lookup" action="./#answer" method="get">
          <input type="hidden" name="by" value="prefix"><input type="hidden" name="from" value="mirror">
          <input name="q" type="search" aria-label="Beginning of names in the mirror" maxlength="60" placeholder="al" ${identifier}>
          <button class="quiet" type="submit">List names, without a vote</button>
        </form>
      `
    }
  `
}

function lookupForm({ question: { text }, finding, registration }: PageModel): Html {
  return html`
    <form id="lookup" class="lookup" action="./#answer" method="get" role="search" aria-label="Names">
      <label class="unseen" for="q">Name, party or beginning of names</label>
      <input id="q" name="q" type="search" value="${text}" maxlength="2066" ${identifier} placeholder="alice.unverified.${registration?.acronym ?? 'cns'}, or its beginning" list="suggestions" aria-keyshortcuts="/"
        aria-describedby="lookup-problem">
      <datalist id="suggestions"></datalist>
      <button type="submit">Look up</button>
      <p class="alert" id="lookup-problem" role="status">${finding?.kind === 'senseless' && visible(finding.why)}</p>
    </form>
  `
}

/**
 * Without a roster (the list of super validators), f is unknown, so the choices are not explained.
 */
export function lookupChoices({ by, ask, strict }: LookupInput, roster: PageModel['roster']): Html {
  return html`
    <div class="choices">
      <fieldset class="ways">
        <legend>By</legend>
        ${ways.map((way) => choice('by', way, wayLabels[way], way === by))}
      </fieldset>
      ${
        ask !== undefined &&
        html`
          <fieldset class="ways">
            <legend>Ask</legend>
            ${choice('ask', 'all', 'everyone', ask === 'all')}
            ${choice('ask', 'enough', 'just enough', ask === 'enough')}
          </fieldset>
          <fieldset class="ways">
            <legend>Require</legend>
            ${choice('votes', '', 'the threshold', !strict)}
            ${choice('votes', '2f+1', unbroken('2f + 1 votes'), strict)}
          </fieldset>
        `
      }
    </div>
    ${ask !== undefined && roster !== undefined && choicesExplained(roster.superValidators)}
  `
}

function choicesExplained({ n, f, threshold }: Count): Html {
  const [strict, most] = [Math.max(2 * f + 1, threshold), Math.max(2 * f, threshold - 1)]
  return html`<p class="minor choices-explained">${unbroken(
    `Everyone shows who lies; just enough asks as any read does. Of these ${n} super validators f = ${f} may lie or fail. The threshold is ${count(threshold, 'equal vote')}; with 2f + 1 it takes ${strict}, and ${count(most, 'liar gets', 'liars get')} no false answer through.`,
  )}</p>`
}

function choice(name: string, value: string, label: string, isChosen: boolean): Html {
  return html`<label><input type="radio" form="lookup" name="${name}" value="${value}" ${isChosen && 'checked'}>${label}</label>`
}

/**
 * The page's script draws each request and reply into this HTML, and at the end replaces it by the
 * result.
 */
export function beginningView(
  question: LookupInput,
  { stands, electorate }: Pick<Examination, 'stands' | 'electorate'>,
): Html {
  return html`
    <section id="answer" class="card outcome-open" aria-labelledby="answer-heading" tabindex="-1">
      <div class="vote">
        <div class="vote-says">
          <h2 id="answer-heading"><span class="verdict">Asking ${count(stands.length, 'super validator')}</span> ${clipped(question.text)}</h2>
        </div>
        <div class="vote-ring">${beginningRing(stands, electorate.superValidators)}</div>
      </div>
    </section>
  `
}

/**
 * @param recentDoubt a warning about contradictions in the last hour, which the page updates while
 * it is open.
 */
export function findingView(question: LookupInput, finding: Finding, recentDoubt = html``): Html {
  if (finding.kind === 'senseless') return html``
  if (finding.kind === 'refused') {
    return html`
      <section id="answer" class="card refused" aria-label="Answer" tabindex="-1">
        <h2>${clipped(question.text)}</h2>
        <p role="alert">${visible(shortened(finding.why, longestReason))}</p>
      </section>
    `
  }
  if (finding.kind === 'mirrored') return mirroredView(question, finding)
  const { examination, course, history, mirrored, receipt, askedAt } = finding
  const { outcome, stands, disagreement } = examination
  const instead = examination.answer === undefined && typeof mirrored === 'object' ? mirrored : undefined
  const answer = instead?.answer ?? examination.answer
  const isBeyond = doubtOf(examination) === 'beyond-f'
  const isDoubtful = doubtOf(examination) !== undefined
  const isExpired = !isDoubtful && answer?.kind === 'value' && history.at(-1)?.what === 'expired'
  const hidesMissing = isDoubtful && instead === undefined
  const missing = isExpired ? 'Expired: ' : hidesMissing ? '' : missingWords(question, answer)
  const others = isBeyond ? undefined : exceptions(stands)
  const shared = sharedVotes(stands)
  const isFixed = question.strict || question.ask === undefined
  const strictly = isFixed ? undefined : lookupAddress({ ...question, strict: true })
  return html`
    <section id="answer" class="card outcome-${isBeyond ? 'doubtful' : outcome}${missing !== '' && ' missing'}" aria-labelledby="answer-heading" tabindex="-1">
      <div class="vote">
        <div class="vote-says">
          <h2 id="answer-heading"><span class="verdict">${isExpired ? 'Agreed: it has expired' : verdictWord(examination)}</span>${instead !== undefined && html` ${mirrorSays(instead.asOf, askedAt)}`} ${missing}${clipped(question.text)}</h2>
          <p class="sentence">${outcomeSentence(examination)}${others !== undefined && html` <strong>${others}</strong>`}${shared !== undefined && html` ${shared}`}${question.fromMirror && ' The mirror does not answer this, so the super validators were asked.'}</p>
          <div id="live-recent-doubt">${recentDoubt}</div>
          ${doubtView(examination, strictly)}
          ${answer !== undefined && answerView(answer, question, isDoubtful && instead === undefined)}
          ${sourceView(mirrored, askedAt, isDoubtful)}
          ${shareView(question, true)}
          ${receiptLink(receipt)}
        </div>
        <div class="vote-ring">${finishedRing(examination, course)}</div>
      </div>
      ${history.length > 0 && historyView(history)}
      <h3>Who said so, and when</h3>
      ${groundsView(examination)}${waterfallView(examination, course)}
      ${disagreement !== undefined && disagreement.statements.length > 1 && html`<h3>${isDoubtful ? 'What each side said' : 'What was said instead'}</h3>${comparison(disagreement, isDoubtful)}`}
    </section>
  `
}

export function outcomeSentence({ outcome, stands, electorate, seconds, error }: Examination): string {
  const { threshold } = electorate.superValidators
  const n = stands.length
  const who = nounOf(stands)
  const agreed = votesWith(stands, 'agreed')
  switch (outcome) {
    case 'agreed':
      return `${agreed} of ${n} ${who} gave this answer; ${threshold} had to. It was decided after ${took(seconds)}.`
    case 'disputed':
      return `The ${who} differ: no ${threshold} of ${n} said the same, as they had to.`
    case 'undecided':
      if (error?.code === 'pathUnknownToScans' || error?.code === 'goneFromScans') return error.message
      return `Nothing was decided in time: ${threshold} of ${n} ${who} have to say the same.`
    case 'unreachable':
      if (votesWith(stands, 'voted') >= threshold)
        return `${votesWith(stands, 'voted')} of ${n} ${who} answered, but they differ: ${threshold} have to say the same.`
      return `Too few could be heard: ${threshold} of ${n} ${who} have to say the same.`
  }
}

export function doubtView(examination: Examination, strictly: string | undefined): Html {
  const doubt = doubtOf(examination)
  if (doubt === undefined) return html``
  const { f, threshold } = examination.electorate.superValidators
  const { stands } = examination
  const who = nounOf(stands)
  if (doubt === 'disputed') {
    const hasSides = (examination.disagreement?.statements.length ?? 0) > 1
    return html`<p class="banner" role="status"><strong>No answer has the threshold.</strong> ${threshold} of ${stands.length} ${who} have to say the same, so this vote gives no answer.${hasSides && ' The votes below are sides: they do not show who is right.'}</p>`
  }
  const against = votesWith(stands, 'dissented')
  return html`<p class="banner" role="status"><strong>Do not rely on this answer.</strong> ${against} ${who} contradict it, more than the ${unbroken(`f = ${f}`)} that may lie or fail. The votes below are sides: they do not show who is right.${strictly !== undefined && html` <a href="${strictly}">Ask again for ${unbroken('2f + 1')} votes</a>`}</p>`
}

export function groundsView(examination: Examination): Html {
  const { outcome, rule, answer, electorate, stands, protected: isProtected } = examination
  const { operators, superValidators } = electorate
  const isAgreed = outcome === 'agreed'
  const agreed = stands.filter(({ stance }) => stance === 'agreed')
  const distinct = new Set(agreed.map(({ operator }) => operator)).size
  const plain = plainRule(rule)
  // Visitors understand "there is none" better than "the same refusal".
  const because =
    answer?.kind === 'absence' ? plain.replace('gave the same refusal', 'said that there is none') : plain
  return html`<p class="minor">${isAgreed ? 'Decided' : 'Not agreed'} because ${because}${operators && isAgreed && `; ${distinct} of ${operators.n} operators agreed, and ${operators.threshold} had to`}. ${unbroken(`f = ${superValidators.f}`)} may lie or fail.${!isProtected && html` <strong class="bad">Fewer than ${unbroken('f + 1')} votes are enough here: no lie would be noticed.</strong>`}</p>`
}

function mirroredView(
  question: LookupInput,
  { answer, asOf, askedAt }: Extract<Finding, { kind: 'mirrored' }>,
): Html {
  return html`
    <section id="answer" class="card" aria-labelledby="answer-heading" tabindex="-1">
      <h2 id="answer-heading">${mirrorSays(asOf, askedAt)} ${missingWords(question, answer)}${clipped(question.text)}</h2>
      ${answerView(answer, question, false)}
      <p class="minor">Nobody was asked: this is ${sourceOf(answer, asOf, askedAt)}. <a href="${lookupAddress({ ...question, fromMirror: false })}">Ask the super validators now</a></p>
      ${shareView(question, false)}
    </section>
  `
}

function mirrorSays({ at }: AsOf, askedAt: number): Html {
  return html`<span class="instead">The mirror says, as of ${minute(at, askedAt)}:</span>`
}

function sourceOf({ agreement }: Answer, { at, basis }: AsOf, askedAt: number): Html {
  return html`as of ${minute(at, askedAt)}, from ${bases[basis]} that ${namesView(agreement.agreed)} agreed on`
}

/**
 * Warns beside an answer for an hour after more than f super validators contradicted the others.
 * Liars who agreed once may agree on the next lie, and its votes would then look unanimous.
 */
export function recentDoubtView(cases: readonly Case[], f: number, now: number): Html {
  const run = doubtSeries(cases, f, now)
  if (run === undefined) return html``
  return html`<p class="banner"><strong>This answer may be a lie.</strong> ${unbroken(`More super validators than the f = ${f} that may lie contradicted each other at`)} ${minute(run.last)}. For an hour, agreement does not show who is right.</p>`
}

/** The page's script makes buttons of these, which copy an address and a command. */
function shareView(question: LookupInput, isVote: boolean): Html {
  const { by, text, strict } = question
  const path =
    by === 'prefix'
      ? `?name_prefix=${encodeURIComponent(text)}&page_size=${mostListed}`
      : `/by-${by}/${encodeURIComponent(text)}`
  return html`<p class="actions"><a data-copies="link (asks again)" href="${lookupAddress(question)}">Link (asks again)</a> ${!strict && html`<a data-copies="as curl" ${isVote && 'data-live'} hidden href="api/scan/v0/ans-entries${path.replaceAll("'", '%27')}">The answer as JSON</a>`} ${isVote && html`<button class="copy quiet" type="button" data-picture>save the picture</button>`}</p>`
}

function verdictWord(examination: Examination): string {
  const { outcome, answer } = examination
  if (outcome !== 'agreed') return 'Not agreed'
  if (doubtOf(examination) !== undefined) return 'Agreed, but in doubt'
  return isNone(answer) ? 'Agreed: there is none' : 'Agreed'
}

function missingWords({ by, text }: LookupInput, answer: Answer | undefined): string {
  if (by === 'prefix' && isNone(answer)) return text === '' ? 'There are no names' : 'No name begins with '
  if (by === 'prefix') return text === '' ? 'All names' : 'Names that begin with '
  if (answer?.kind !== 'absence') return ''
  return by === 'party' ? 'No name of this party: ' : 'No such name: '
}

const longestId = 33
const longestReason = 300

interface AnswerBody {
  readonly entries?: readonly Entry[]
  readonly entry: Entry
  readonly error: unknown
}

const wholeParty = /::1220[0-9a-f]{64}$/

function answerView(answer: Answer, { by, text }: LookupInput, isDoubtful: boolean): Html {
  const said = parseJsonText(answer.body.toString()) as AnswerBody
  const isCut = by === 'party' && !wholeParty.test(text)
  if (answer.kind === 'absence')
    return html`${isCut && html`<p class="sentence">Is the party whole? The id of one ends with <code>::1220</code> and 64 more digits.</p>`}<p class="sentence">A program that asks <code>/api/scan</code> of this daemon gets this text:</p><blockquote class="absence">${clipped(String(said.error))}</blockquote>`
  if (said.entries === undefined) return entryView(said.entry, isDoubtful)
  // The heading already says that there is none, unless the answer is in doubt.
  return said.entries.length > 0 || isDoubtful ? entriesView(said.entries, text) : html``
}

/**
 * If the entry may be a lie, its website gets no link, because the link could lead visitors to a
 * website of a liar.
 */
function entryView(entry: Entry, isDoubtful: boolean): Html {
  const { name, user, url, description, expires_at, contract_id } = entry
  return html`
    <dl class="entry">
      <div><dt>Name</dt><dd class="name">${copyable(name, 'the name', lookupLink('name', name))}</dd></div>
      <div><dt>Party</dt><dd class="id">${copyable(user, 'the party', lookupLink('party', user))}</dd></div>
      ${url !== '' && html`<div><dt>Website</dt><dd>${isDoubtful ? foreign(url) : website(url)}</dd></div>`}
      ${description !== '' && html`<div><dt>Description</dt><dd>${foreign(description)}</dd></div>`}
      <div><dt>Expires</dt><dd>${expires_at === null ? 'never' : moment(expires_at, 'date')}</dd></div>
      ${contract_id !== null && html`<div><dt>Contract</dt><dd class="id">${copyable(contract_id, 'the id of the contract', foreign(shortened(contract_id, longestId)))}</dd></div>`}
    </dl>
  `
}

const happenings: Readonly<Record<NameEvent['what'], string>> = {
  registered: 'Registered',
  renewed: 'Renewed',
  begun: 'Registered or renewed',
  renewable: 'Can be renewed from',
  expires: 'Expires',
  expired: 'Expired',
  removed: 'Removed, as it had expired',
}

function historyView(history: readonly NameEvent[]): Html {
  return html`
    <h3>Its history</h3>
    <ol class="history">
      ${history.map(({ what, at }) => html`<li class="event-${what}"><span>${happenings[what]}</span> ${moment(at, 'date')}</li>`)}
    </ol>
  `
}

function entriesView(entries: readonly Entry[], begin: string): Html {
  const how = begin !== '' && html` with ${clipped(begin)}`
  if (entries.length === 0) return html`<p class="sentence">No name begins${how}.</p>`
  const many =
    begin === '' ? count(entries.length, 'name') : count(entries.length, 'name begins', 'names begin')
  return html`
    <p class="sentence">${many}${how}${entries.length === mostListed && ', or more'}.</p>
    ${entryList(entries)}
  `
}

function entryList(entries: readonly Entry[]): Html {
  return html`<ul class="entries">${entries.map(
    ({ name, user }) =>
      html`<li><span class="name">${lookupLink('name', name)}</span> <span class="id">${lookupLink('party', user)}</span></li>`,
  )}</ul>`
}

export const mostListed = 50

/**
 * If callers get the mirror's answer, this text says what the header `x-bft-as-of` of that answer
 * says.
 * @param mirrored `empty` if the mirror has no snapshot yet. Undefined if the mirror does not
 * answer this question.
 * @param isDoubtful whether the live vote shows no right answer with which the mirror's could be
 * compared.
 */
export function sourceView(
  mirrored: MirroredAnswer | 'empty' | undefined,
  askedAt: number,
  isDoubtful: boolean,
): Html {
  const live = html`<span>Asked ${moment(new Date(askedAt).toISOString())}, past all caches.</span>`
  if (mirrored === undefined) return html`<p class="source minor">${live}</p>`
  if (mirrored === 'empty')
    return html`<p class="source minor">${live} The mirror is on and has no snapshot yet.</p>`
  const { answer, asOf, compared } = mirrored
  return html`<div class="source minor">
      <p>${live}</p>
      <p>Callers get this answer from the <strong>mirror</strong>, without a request to anybody: ${sourceOf(answer, asOf, askedAt)}.${!isDoubtful && html` <strong class="${compared === 'other' ? 'bad' : 'good'}">${comparisons[compared]}</strong>`}</p>
    </div>`
}
