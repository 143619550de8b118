import { html } from 'hono/html'
import { type AssetName, assets } from '../assets.ts'
import type { LiveModel, PageModel } from '../model.ts'
import { disagreementsView } from './disagreements.ts'
import { faultsView, localnetView } from './localnet.ts'
import { findingView, lookupForm } from './lookup.ts'
import { rosterView, summaryView } from './roster.ts'
import type { Html } from './text.ts'
import { count } from './text.ts'

/** The whole page. Its links are relative, so that a proxy may serve it below any path. */
export function pageView(model: PageModel): Html {
  const { question, finding, network, nodes } = model
  const title = question.text === '' ? 'bft-scan-proxy' : `${question.text} · bft-scan-proxy`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>${title}</title>
        <link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
        <link rel="stylesheet" href="${assetPath('page.css')}">
        <script type="module" src="${assetPath('page.js')}"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the look-up</a>
        <header>
          <a class="brand" href="./"><img src="${assetPath('icon.svg')}" alt="" width="28" height="28">bft-scan-proxy</a>
          ${network === 'localnet' && html`<span class="badge">localnet</span>`}
          <nav aria-label="Parts of the page">
            <a href="#super-validators">Super validators</a>
            <a href="#disagreements">Disagreements</a>
            ${nodes !== undefined && html`<a href="#localnet">Localnet</a>`}
          </nav>
          <span class="live" id="live-state" data-state="off">as of loading</span>
        </header>
        <main id="main">
          <section aria-labelledby="lookup-heading" class="hero">
            <h1 id="lookup-heading">Look up a name</h1>
            <p class="lead">What a quorum of super validators agrees on, and who they are.</p>
            ${lookupForm(question)}
          </section>
          ${finding !== undefined && findingView(question, finding)}
          <section id="super-validators" aria-labelledby="roster-heading">
            <h2 id="roster-heading">Super validators</h2>
            <div id="live-summary">${summaryView(model)}</div>
            <p class="caption">Votes and answers of the last hour, minute by minute.</p>
            <div id="live-roster">${rosterView(model)}</div>
          </section>
          <section id="disagreements" aria-labelledby="disagreements-heading">
            <h2 id="disagreements-heading">Latest disagreements</h2>
            <div id="live-disagreements">${disagreementsView(model.disagreements, finding === undefined)}</div>
          </section>
          ${localnetView(model)}
        </main>
        <p class="unseen" role="status" id="live-news">${newsView(model)}</p>
        <footer>bft-scan-proxy ${model.version}</footer>
      </body>
    </html>`
}

/** The parts that update live: HTML by element id. */
export function liveParts(model: LiveModel): Readonly<Record<string, string>> {
  const parts: Record<string, Html> = {
    'live-summary': summaryView(model),
    'live-roster': rosterView(model),
    'live-disagreements': disagreementsView(model.disagreements, false),
    'live-news': newsView(model),
  }
  if (model.nodes !== undefined) parts['live-faults'] = faultsView(model.nodes)
  return Object.fromEntries(Object.entries(parts).map(([id, part]) => [id, part.toString()]))
}

/** The text that screen readers announce after a change. */
function newsView({ disagreements }: Pick<LiveModel, 'disagreements'>): Html {
  const [latest] = disagreements
  if (latest === undefined) return html``
  return html`${count(disagreements.length, 'disagreement')}, the latest about ${latest.read} at ${latest.at.slice(11, 19)} UTC`
}

function assetPath(name: AssetName): string {
  return `ui/${assets[name].file}`
}
