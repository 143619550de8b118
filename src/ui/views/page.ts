import { html } from 'hono/html'
import { lastBeyondF } from '../../scan/incidents.ts'
import { assetPath } from '../assets.ts'
import type { PageParts, Row } from '../live.ts'
import type { LiveModel, PageModel } from '../model.ts'
import { faultBound } from '../stories.ts'
import { doctorReportView, doctorSection, doctorStateView } from './doctor.ts'
import { headlineView } from './headline.ts'
import { chartsOf, heatLegend, heatRows, trafficView } from './hour.ts'
import { lookupLink } from './links.ts'
import { localnetView, nodeRows, toldView, tourSection } from './localnet.ts'
import { findingView, lookupChoices, lookupForm, recentDoubtView } from './lookup.ts'
import { networkView } from './network.ts'
import { type Marking, pendingIn } from './pending.ts'
import { receiptSection } from './receipts.ts'
import { asHtml, beyondFView, rosterRows, rosterTable, summaryView } from './roster.ts'
import { storyRows } from './stories.ts'
import { type Html, shortened } from './text.ts'

/** The links of the page are relative, so that a proxy may serve it below any path. */
export function pageView(model: PageModel): Html {
  const { question, finding, network, networkMs, machineMs, tourStepsDone, roster, doctor } = model
  return html`<!doctype html>
    <html lang="en" data-network="${network}" data-wall="${networkMs}" data-machine="${machineMs}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>${titleOf(question.text)}</title>
        <link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
        <link rel="stylesheet" href="${assetPath('page.css')}">
        <script defer src="${assetPath('uplot.js')}"></script>
        ${(['charts.js', 'vote.js', 'download.js', 'page.js'] as const).map((name) => html`<script type="module" src="${assetPath(name)}"></script>`)}
      </head>
      <body>
        <a class="skip" href="#q">Skip to the look-up</a>
        <div class="bar-on-top">
        <header>
          <a class="brand" href="./"><img src="${assetPath('icon.svg')}" alt="" width="28" height="28"><span>bft-scan-proxy</span></a>
          <span class="network" id="live-network">${networkView(model)}</span>
          ${lookupForm(model)}
          <span class="live" id="live-state" data-state="off">as of loading</span>
        </header>
        <p class="lost" id="live-lost" role="status" hidden>The daemon does not answer. Trying again.</p>
        </div>
        <main>
          <div id="live-headline" role="status">${headlineView(model)}</div>
          <section aria-labelledby="lookup-heading" class="hero">
            <h1 id="lookup-heading">Look up a name</h1>
            <p class="lead">bft-scan-proxy asks several super validators of the Canton Network the same, and believes only what enough of them agree on. While you type, the page suggests names.</p>
            ${knownNames(model)}
            ${lookupChoices(question, roster)}
          </section>
          ${(finding === undefined || (tourStepsDone ?? 0) > 0) && tourSection(model)}
          ${toldView(model)}
          <div id="finding">${finding !== undefined && findingView(question, finding, recentDoubtOf(model))}</div>
          ${rosterSections(model)}
          ${roster === undefined && doctor !== undefined && doctorSection(doctor)}
          ${hourSection(model)}
          <section id="disagreements" aria-labelledby="disagreements-heading">
            <h2 id="disagreements-heading">Who contradicted whom</h2>
            <div id="live-stories">${storyRows(model.disagreements, fOf(model)).map(asHtml)}</div>
          </section>
          ${roster !== undefined && doctor !== undefined && doctorSection(doctor)}
          ${receiptSection(model.receiptKeys)}
          ${localnetView(model)}
        </main>
        <footer>bft-scan-proxy ${model.version} · ${referenceLink(question)}</footer>
      </body>
    </html>`
}

/**
 * The API reference is on the public address. From the operations address, the link sends the
 * page's origin as the referrer, so that the reference can link back.
 */
function referenceLink({ ask }: PageModel['question']): Html {
  const isPublic = ask === undefined
  return html`<a href="${isPublic ? 'docs' : 'ui/docs'}" ${!isPublic && html`referrerpolicy="origin"`}>Reference of the API</a>`
}

const longestTitle = 100

export function titleOf(text: string): string {
  return text === '' ? 'bft-scan-proxy' : `${shortened(text, longestTitle)} · bft-scan-proxy`
}

function knownNames({ nodes, registration }: Pick<PageModel, 'nodes' | 'registration'>): Html {
  if (nodes === undefined || registration === undefined) return html``
  const names = [
    `dso.${registration.acronym}`,
    ...nodes.slice(0, 1).map(({ name }) => `${name}.sv.${registration.acronym}`),
  ]
  return html`<p class="sentence">Names that exist here: ${names.map((name) => html`${lookupLink('name', name)} `)}</p>`
}

function rosterSections(model: PageModel): Html {
  const { roster } = model
  return html`
    <section id="super-validators" aria-labelledby="roster-heading">
      <h2 id="roster-heading">Super validators</h2>
      <div id="live-summary">${summaryView(model)}</div>
      <div id="live-doubt">${beyondFView(markingOf(model), fOf(model))}</div>
      ${rosterTable(roster?.members ?? [], markingOf(model))}
    </section>
  `
}

function hourSection(model: PageModel): Html {
  return html`
    <section id="hour" aria-labelledby="hour-heading">
      <h2 id="hour-heading">The last hour</h2>
      <div id="live-traffic">${trafficView(model)}</div>
      <div class="charts" id="charts" aria-hidden="true"></div>
      <div class="agreement">
        <h3>Agreement, minute by minute</h3>
        <ul class="heat" id="live-heat">${heatRows(model.roster?.members ?? [], markingOf(model)).map(asHtml)}</ul>
        ${heatLegend()}
      </div>
    </section>
  `
}

export function liveParts(model: LiveModel): PageParts {
  const members = model.roster?.members ?? []
  const marking = markingOf(model)
  const lists: Record<string, readonly Row[]> = {
    'live-roster': rosterRows(members, marking),
    'live-heat': heatRows(members, marking),
    'live-stories': storyRows(model.disagreements, fOf(model)),
  }
  if (model.nodes !== undefined) lists['live-faults'] = nodeRows(model.nodes)
  const { doctor } = model
  const parts = {
    'live-network': networkView(model).toString(),
    'live-headline': headlineView(model).toString(),
    'live-summary': summaryView(model).toString(),
    'live-doubt': beyondFView(marking, fOf(model)).toString(),
    'live-traffic': trafficView(model).toString(),
    'live-recent-doubt': recentDoubtOf(model).toString(),
    ...(doctor !== undefined && {
      'live-doctor-state': doctorStateView(doctor).toString(),
      'live-doctor': doctorReportView(doctor).toString(),
    }),
  }
  return { parts, lists, charts: { charts: chartsOf(model) } }
}

function markingOf(model: LiveModel): Marking {
  const { disagreements, machineMs } = model
  return {
    pending: pendingIn(disagreements),
    lastBeyondFAt: lastBeyondF(disagreements, fOf(model), machineMs),
  }
}

function recentDoubtOf(model: LiveModel): Html {
  return recentDoubtView(model.disagreements, fOf(model), model.machineMs)
}

function fOf({ roster }: Pick<LiveModel, 'roster'>): number {
  return faultBound(roster?.superValidators)
}
