import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { byName } from '../../../base/lib/by-name.ts'
import { joinedWithAnd } from '../../../base/lib/joined-with-and.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/**
 * Writes out the characters of a foreign string that are invisible, or that change how the text
 * around them is read. A foreign string, such as a name from a scan, is one that this program did
 * not write.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}

/**
 * Isolates a foreign string (see `visible`), so that it cannot change the direction of the text
 * around it.
 */
export function foreign(text: string): Html {
  return html`<bdi>${visible(text)}</bdi>`
}

/** Text between backticks, such as an option, is shown as code. */
export function sentence(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/**
 * Cuts out the middle of a long string. Keeps no half of a surrogate pair, and no combining mark
 * without its letter.
 */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor((most - 1) / 2)
  const begin = text.slice(0, half).replace(/[\ud800-\udbff]$/, '')
  const end = text.slice(text.length - half).replace(/^[\udc00-\udfff]/, '')
  return `${begin}…${end.replace(/^\p{M}+/u, '')}`
}

/**
 * Longer names and party ids are cut. The limit is the length of a party id with 70 characters
 * before `::`.
 */
const longestShown = 140

export function clipped(text: string): Html {
  if (text.length <= longestShown) return foreign(text)
  return html`<bdi title="${visible(text)}">${visible(shortened(text, longestShown))}</bdi>`
}

export function website(url: string): Html {
  const isWebsite = /^https?:\/\//i.test(url) && URL.canParse(url) && visible(url) === url
  if (!isWebsite) return foreign(url)
  return html`<a href="${url}" rel="noopener noreferrer nofollow ugc" referrerpolicy="no-referrer">${foreign(url)}</a>`
}

/** Formats a duration, with no line break in it: `0.034 ms`, `4.2 ms`, `1.25 s`. */
export function took(seconds: number): string {
  if (seconds > 0 && seconds < 0.001) return `${Number((seconds * 1000).toPrecision(2))}\u00a0ms`
  if (seconds < 0.01) return `${(seconds * 1000).toFixed(1)}\u00a0ms`
  if (seconds < 1) return `${Math.round(seconds * 1000)}\u00a0ms`
  return `${seconds.toFixed(2)}\u00a0s`
}

/**
 * Shows an ISO 8601 time. The page's script replaces it by a relative time such as `3 minutes ago`.
 * @param kept `date` if the script must keep the date beside the relative time.
 */
export function moment(iso: string, kept: 'nothing' | 'date' = 'nothing'): Html {
  return html`<time datetime="${iso}" data-relative="${kept}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/** Shows a time of day, with its date if it is not of the day of `now`. The page's script leaves it so. */
export function minute(at: number, now = at): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${minuteText(at, now)}</time>`
}

export function minuteText(at: number, now: number): string {
  const [iso, today] = [at, now].map((ms) => new Date(ms).toISOString()) as [string, string]
  const isToday = iso.slice(0, 10) === today.slice(0, 10)
  return `${isToday ? '' : `${iso.slice(0, 10)} `}${iso.slice(11, 16)} UTC`
}

/**
 * The page's script adds a button that copies `text`.
 * @param what the name of the string, as in `copy the party`.
 */
export function copyable(text: string, what: string, shown: Html = foreign(text)): Html {
  return html`<span class="copyable" data-copy="${visible(text)}" data-what="${what}">${shown}</span>`
}

export function coordinate(number: number): string {
  return String(Math.round(number * 10) / 10)
}

export function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`
}

export function listed(texts: readonly string[]): string {
  return texts.length === 0 ? 'nobody' : joinedWithAnd(texts)
}

/** Lists the names of super validators by number. No line breaks inside of one, unless it is too long. */
export function namesView(names: readonly string[]): Html {
  const parts = names.toSorted(byName).map((name) => html`<bdi class="whole">${visible(name)}</bdi>`)
  const last = parts.length - 1
  return html`${parts.map((part, at) => html`${at === 0 ? '' : at === last ? ' and ' : ', '}${part}`)}`
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}

/** Keeps formulas such as `2f + 1 = 5` on one line. */
export function unbroken(text: string): string {
  return text.replace(/ ([+=]) (?=\d)/g, '\u00a0$1\u00a0')
}

/**
 * Rewrites a rule for visitors. Evidence, logs and the API keep its own words, because programs
 * compare them.
 */
export function plainRule(rule: string): string {
  return rule
    .replace('no value can reach the threshold any more', 'no other answer can still get enough votes')
    .replace('no group can reach the threshold any more', 'no answer can still get enough votes')
}
