import { html } from 'hono/html'
import { nameProblem } from '../../names/name.ts'
import type { LookupInput } from '../model.ts'
import { lookupLink } from './links.ts'
import { clipped, type Html, visible } from './text.ts'

/** `1220` is the prefix of a SHA-256 multihash. 32 bytes in hex follow. */
const fingerprint = /::1220[0-9a-f]{64}$/

export function absenceHint(
  { by, text }: LookupInput,
  known: { readonly acronym: string | undefined; readonly superValidators: readonly string[] },
): Html {
  if (by === 'party' && !fingerprint.test(text))
    return html`<p class="sentence">This is no complete party: after :: a party has 1220 and 64 hex digits.</p>`
  if (by !== 'name' || text.includes('.')) return html``
  const begin = lookupLink('prefix', text, html`Look for names that begin so`)
  return html`<p class="sentence">This is no complete name${known.acronym !== undefined && completed(text, known.acronym, known.superValidators)}. ${begin}.</p>`
}

export function capitalsHint(prefix: string): Html {
  const lower = prefix.toLowerCase()
  if (lower === prefix) return html``
  return html` Names have no capital letters: ${lookupLink('prefix', lower, html`look for names that begin with ${clipped(lower)}`)}.`
}

function completed(text: string, acronym: string, superValidators: readonly string[]): Html {
  if (superValidators.some((name) => name.toLowerCase() === text.toLowerCase()))
    return html`: this super validator is ${lookupLink('name', `${text.toLowerCase()}.sv.${acronym}`)}`
  if (text.toLowerCase() === 'dso')
    return html`: the network's own name is ${lookupLink('name', `dso.${acronym}`)}`
  const name = `${text}.unverified.${acronym}`
  const problem = nameProblem(name, acronym)
  if (problem === undefined) return html`: names look like ${lookupLink('name', name)}`
  return html`. ${visible(problem.replace(/\.$/, ''))}`
}
