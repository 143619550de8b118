import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { joinedWithAnd } from '../../lib/joined-with-and.ts'

/** HTML that is already escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/**
 * Escapes the characters of a foreign string that are invisible, or that change how the text around them is
 * read. A foreign string is one that this program did not write, such as a name from a scan. The escaped
 * characters are control, format and bidirectional characters, separators of lines and paragraphs, and
 * unpaired surrogates.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}

/**
 * Shows a foreign string (see `visible`), isolated so that its characters cannot change the direction of the
 * text around it.
 */
export function foreign(text: string): Html {
  return html`<bdi>${visible(text)}</bdi>`
}

/** Shows a sentence that this program wrote. Text between backticks, such as an option, is shown as code. */
export function sentence(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/**
 * Shortens a long string by cutting out its middle. Keeps no half of a surrogate pair, and no combining mark
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
 * The longest name or party id that is shown whole, in characters: the length of a party id with 70
 * characters before `::`.
 */
const longestShown = 140

/**
 * Shows a name or a party id. If it is long, its middle is left out, and the tooltip has the whole string.
 */
export function clipped(text: string): Html {
  if (text.length <= longestShown) return foreign(text)
  return html`<bdi title="${visible(text)}">${visible(shortened(text, longestShown))}</bdi>`
}

/**
 * Shows a URL that this program did not write. The URL is a link if it is an http or https URL without
 * invisible characters.
 */
export function website(url: string): Html {
  if (!isWebsite(url)) return foreign(url)
  return html`<a href="${url}" rel="noopener noreferrer nofollow ugc" referrerpolicy="no-referrer">${foreign(url)}</a>`
}

function isWebsite(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url) && visible(url) === url
}

/** Formats a duration: `0.034 ms`, `4.2 ms`, `1.25 s`. */
export function took(seconds: number): string {
  if (seconds > 0 && seconds < 0.001) return `${Number((seconds * 1000).toPrecision(2))} ms`
  if (seconds < 0.01) return `${(seconds * 1000).toFixed(1)} ms`
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  return `${seconds.toFixed(2)} s`
}

/**
 * Shows an ISO 8601 time as `2026-01-31 12:00:00 UTC`. The page's script replaces the text by a relative time
 * such as `3 minutes ago`.
 * @param kept `date` if the script must keep the date beside the relative time.
 */
export function moment(iso: string, kept: 'nothing' | 'date' = 'nothing'): Html {
  return html`<time datetime="${iso}" data-relative="${kept}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/**
 * Shows a time as `14:02 UTC`.
 * @param at milliseconds since 1970 UTC.
 */
export function minute(at: number): Html {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${iso.slice(11, 16)} UTC</time>`
}

/**
 * Shows a string that this program did not write. The page's script adds a button that copies the string.
 * @param what the name of the string, as in `copy the party`.
 * @param shown the HTML that is shown for the string; by default the string itself.
 */
export function copyable(text: string, what: string, shown: Html = foreign(text)): Html {
  return html`<span class="copyable" data-copy="${visible(text)}" data-what="${what}">${shown}</span>`
}

/** Rounds a coordinate to one decimal place, so that the SVG stays short. */
export function coordinate(number: number): string {
  return String(Math.round(number * 10) / 10)
}

/** Formats a number with its noun: `1 vote`, `3 votes`. */
export function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`
}

/** Joins strings as in a sentence: `a, b and c`. Returns `nobody` for an empty list. */
export function listed(texts: readonly string[]): string {
  return texts.length === 0 ? 'nobody' : joinedWithAnd(texts)
}

/** Returns the host of a URL, with its port unless that is the default one. Returns any other text unchanged. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}

/** Compares two names in natural order: `sv-2` before `sv-10`. */
export function byName(a: string, b: string): number {
  return collator.compare(a, b)
}

const collator = new Intl.Collator('en', { numeric: true })

/** Keeps formulas such as `2f + 1 = 5` on one line: replaces their spaces by non-breaking spaces. */
export function unbroken(text: string): string {
  return text.replace(/ ([+=]) (?=\d)/g, '\u00a0$1\u00a0')
}

/**
 * Says a rule of the quorum in the words of visitors. Evidence, logs and the API have the rule as it is, because
 * programs compare it.
 */
export function plainRule(rule: string): string {
  return rule
    .replace('no value can reach the threshold any more', 'no other answer can still get enough votes')
    .replace('no group can reach the threshold any more', 'no answer can still get enough votes')
}
