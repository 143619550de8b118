import { html } from 'hono/html'
import { milliseconds } from '../../../base/lib/clock.ts'
import { type ContradictionSeries, dissentSeries, doubtSeries } from '../incidents.ts'
import type { LiveModel, ShownMember, ShownRoster } from '../model.ts'
import { nounOf, type Tone, toned } from './stances.ts'
import { count, type Html, minute, minuteText, namesView, unbroken } from './text.ts'
import { total } from './votes.ts'

type HeadlineSources = Pick<LiveModel, 'roster' | 'disagreements' | 'machineMs' | 'agreedAt'> &
  Partial<Pick<LiveModel, 'nodes'>>

/**
 * The headline tells of a series of contradictions in the present tense for at most this
 * long after the last one. While the daemon still asks the dissenters again, it may be longer.
 */
const presentMs = { dissent: milliseconds('2m'), doubt: milliseconds('1m') }
/** The headline mentions a question without an agreed answer for this long. */
const unansweredMs = milliseconds('10m')
/** The headline mentions a series of contradictions for this long after the last one. */
const hourMs = milliseconds('1h')

export function headlineView(model: HeadlineSources): Html {
  const { tone, says } = headlineOf(model)
  return toned(tone, says)
}

interface Headline {
  readonly tone: Tone
  readonly says: Html
}

function tellerOf(tone: Tone) {
  return (...text: Parameters<typeof html>): Headline => ({ tone, says: html(...text) })
}

const bad = tellerOf('bad')
const poor = tellerOf('poor')
const open = tellerOf('open')
const past = tellerOf('past')
const good = tellerOf('good')

function headlineOf(model: HeadlineSources): Headline {
  const { roster, disagreements, machineMs } = model
  if (roster === undefined) return bad`No roster of super validators is agreed yet: lookups fail.`
  const { f } = roster.superValidators
  const doubt = doubtSeries(disagreements, f, machineMs)
  const dissent = dissentSeries(disagreements, f, machineMs)
  const present = [
    tooFew(roster),
    doubt && isPresent(doubt, machineMs, presentMs.doubt) && presentDoubt(doubt, machineMs),
    unanswered(model),
    dissent && isPresent(dissent, machineMs, presentMs.dissent) && presentDissent(dissent, machineMs),
    unprotected(roster),
    notAll(roster),
    unseenFaults(model),
  ].filter((each) => each !== undefined && each !== false)
  const earlier = [doubt && pastDoubt(doubt, machineMs), dissent && pastDissent(dissent, machineMs)]
  return (
    present.find(({ tone }) => tone !== 'open') ??
    earlier.find((each) => each !== undefined) ??
    present[0] ??
    allWell(roster)
  )
}

function isPresent(
  { last, latestHasEnded, isPending }: ContradictionSeries,
  now: number,
  forMs: number,
): boolean {
  return (isPending || now - last < forMs) && !latestHasEnded
}

function tooFew({ superValidators: { threshold }, operators, members }: ShownRoster): Headline | undefined {
  const maybe = members.filter(mayAnswer)
  const distinct = new Set(maybe.map(({ operator }) => operator)).size
  if (maybe.length < threshold) {
    const answer = members.filter(({ reachable }) => reachable).length
    return bad`Fewer than the threshold answered at the last check: ${answer} of ${members.length}${nounOf(members) === 'voters' && ' voters'}, and ${threshold} have to. Lookups that no cache answers fail.`
  }
  if (operators === undefined || distinct >= operators.threshold) return undefined
  return bad`Super validators of ${count(distinct, 'operator')} answered at the last check, and ${operators.threshold} operators have to agree. Lookups that no cache answers fail.`
}

/** A voter that was not asked yet may be able to answer too. */
function mayAnswer({ host, reachable }: ShownMember): boolean {
  return host !== undefined && reachable !== false
}

function namesOf(members: readonly ShownMember[]): readonly string[] {
  return members.flatMap(({ names }) => names)
}

function presentDoubt({ since }: ContradictionSeries, now: number): Headline {
  return bad`More super validators than may lie contradict each other since ${minute(since, now)}: nobody can tell who is right.`
}

function pastDoubt(run: ContradictionSeries, now: number): Headline {
  return past`More super validators than may lie contradicted each other ${span(run, now)}; ${run.latestHasEnded ? differenceEnded : 'nobody can tell who was right'}. ${shownUntil(run, now)}`
}

function unanswered(model: HeadlineSources): Headline | undefined {
  const { disagreements, machineMs, agreedAt = 0 } = model
  const latest = disagreements.find(({ read }) => read !== 'roster')
  if (latest === undefined || latest.outcome === 'agreed') return undefined
  const at = Date.parse(latest.at)
  if (machineMs - at >= unansweredMs || agreedAt > at) return undefined
  return bad`The latest question, at ${minute(at, machineMs)}, has no agreed answer: too few super validators said the same.`
}

function presentDissent({ present: { who: names, times } }: ContradictionSeries, now: number): Headline {
  const who = namesView(names)
  const [verb, them] = names.length === 1 ? ['contradicts', 'it'] : ['contradict', 'them']
  return poor`${who} ${verb} the others since ${minute(Math.min(...times), now)}; they outvote ${them}.`
}

function pastDissent(run: ContradictionSeries, now: number): Headline {
  const who = namesView(run.who)
  const them = run.who.length === 1 ? 'it' : 'them'
  return past`${who} contradicted the others ${span(run, now)}; they outvoted ${them}${run.latestHasEnded && `; ${differenceEnded}`}. ${shownUntil(run, now)}`
}

const differenceEnded = 'the difference was gone when they were asked again'

function shownUntil({ last }: ContradictionSeries, now: number): Html {
  return html`This line stays until ${minute(last + hourMs, now)}.`
}

function span({ since, last }: ContradictionSeries, now: number): Html {
  const isOneMinute = minuteText(since, now) === minuteText(last, now)
  return isOneMinute
    ? html`at ${minute(since, now)}`
    : html`from ${minute(since, now)} to ${minute(last, now)}`
}

function unprotected({ isProtected }: ShownRoster): Headline | undefined {
  if (isProtected) return undefined
  return poor`${unbroken('Fewer than f + 1 votes are enough here: one liar can change an answer.')}`
}

function notAll({ superValidators: { n, threshold }, members }: ShownRoster): Headline | undefined {
  const reachable = members.filter((member) => member.reachable)
  const answering = namesOf(reachable)
  if (answering.length === n) return undefined
  const others = members.filter(({ reachable }) => reachable !== true)
  const isNew = others.every((member) => mayAnswer(member))
  const missing = namesOf(others)
  const who = namesView(missing)
  if (isNew)
    return open`${answering.length} of ${n} super validators answer; ${who} ${missing.length === 1 ? 'was' : 'were'} not asked yet.`
  return poor`${answering.length} of ${n} super validators answer, which is enough${reachable.length === threshold && ' only if all of them agree'}; ${who} ${missing.length === 1 ? 'does' : 'do'} not.`
}

/** A localnet knows which super validators have faults before a vote shows it. */
function unseenFaults({ nodes = [] }: HeadlineSources): Headline | undefined {
  const faulty = nodes.filter(({ faults }) => faults.length > 0).map(({ name }) => name)
  if (faulty.length === 0) return undefined
  return open`${namesView(faulty)} ${faulty.length === 1 ? 'has a fault' : 'have faults'}, which no vote shows now.`
}

function allWell({ superValidators: { n }, members }: ShownRoster): Headline {
  if (n === 1) return good`The only super validator answers; nothing to do.`
  const haveVoted = members.every(({ hour }) => total(hour.votes) > 0)
  return good`All ${count(n, 'super validator')} ${haveVoted ? 'agreed when last asked' : 'answer'}; nothing to do.`
}
