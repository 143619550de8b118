import { html } from 'hono/html'
import type { LookupInput, Way } from '../model.ts'
import { clipped, type Html } from './text.ts'

export function lookupAddress({ by, text, ask, strict, fromMirror }: LookupInput): string {
  const query = {
    by,
    q: text,
    ...(ask && { ask }),
    ...(strict && { votes: '2f+1' }),
    ...(fromMirror && { from: 'mirror' }),
  }
  return `./?${new URLSearchParams(query).toString()}#answer`
}

export function svPath(name: string): string {
  return `sv/${encodeURIComponent(name)}`
}

export function svLink(name: string): Html {
  return html`<a href="${svPath(name)}">${clipped(name)}</a>`
}

export function lookupLink(by: Way, text: string, says = clipped(text)): Html {
  return html`<a href="${lookupAddress({ by, text, ask: undefined, strict: false })}">${says}</a>`
}
