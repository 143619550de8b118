import { html } from 'hono/html'
import type { NetworkKind } from '../../../base/config/network-kind.ts'
import { milliseconds } from '../../../base/lib/clock.ts'
import { type AssetName, assetPath } from '../assets.ts'
import type { PageParts, Row } from '../live.ts'
import type { LiveModel, PageModel, Place } from '../model.ts'
import { doctorReportView, doctorSection, doctorStateView } from './doctor.ts'
import { headlineView } from './headline.ts'
import { heatLegend, heatRows, trafficView } from './hour.ts'
import { svPath } from './links.ts'
import { localnetView, nodeRows } from './localnet.ts'
import { lookupView, recentDoubtView, restView } from './lookup.ts'
import { fOf, markingOf } from './pending.ts'
import { receiptSection } from './receipts.ts'
import { restingRing } from './ring.ts'
import { asHtml, beyondFView, rosterRows, rosterTable, rowId, summaryView } from './roster.ts'
import { storyRows } from './stories.ts'
import { copyable, count, foreign, type Html, shortened } from './text.ts'

interface PageView {
  readonly title: string
  readonly scripts: readonly AssetName[]
  readonly view: (model: PageModel) => Html
}

const pages: Readonly<Record<Place['page'], PageView>> = {
  lookup: { title: 'Look up', scripts: ['vote.js', 'download.js'], view: lookupView },
  network: { title: 'Network', scripts: [], view: networkPage },
  receipts: {
    title: 'Receipts',
    scripts: ['receipt.js'],
    view: (model) => receiptSection(model.receiptKeys),
  },
  localnet: { title: 'Localnet', scripts: [], view: localnetView },
  sv: { title: 'Super validator', scripts: [], view: svPage },
}

/**
 * The links of the page are relative, so that a proxy may serve it below any path. The page of a
 * super validator is one folder deeper than the others.
 */
export function pageView(model: PageModel): Html {
  const { place, network, networkMs, machineMs, publicPort } = model
  const { scripts } = pages[place.page]
  return html`<!doctype html>
    <html lang="en" data-network="${network}" data-wall="${networkMs}" data-machine="${machineMs}" data-port="${publicPort ?? ''}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        ${
          publicPort === undefined
            ? html`<meta property="og:title" content="${titleIn(model)}"><meta property="og:description" content="${descriptionIn(model)}"><meta property="og:image" content="${previewAddress(model)}"><meta name="twitter:card" content="summary_large_image">`
            : html`<meta name="robots" content="noindex">`
        }
        <title>${titleIn(model)}</title>
        ${place.page === 'sv' && html`<base href="../">`}
        <link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
        <link rel="stylesheet" href="${assetPath('page.css')}">
        ${[...scripts, 'page.js' as const].map((name) => html`<script type="module" src="${assetPath(name)}"></script>`)}
      </head>
      <body>
        <a class="skip" href="${place.page === 'sv' && svPath(place.name)}#main">Skip to the content</a>
        <div class="bar-on-top">
        <header>
          <a class="brand" href="./"><img src="${assetPath('icon.svg')}" alt="" width="28" height="28"><span>bft-scan-proxy</span></a>
          <span class="network" id="live-network">${networkView(model)}</span>
          ${navigation(model)}
          <span class="live" id="live-state" data-state="off">as of loading</span>
        </header>
        <p class="lost" id="live-lost" role="status" hidden>The daemon does not answer. Trying again.</p>
        </div>
        <main id="main" class="page-${place.page}">
          <div id="live-headline" role="status">${headlineView(model)}</div>
          ${pages[place.page].view(model)}
        </main>
        <footer>bft-scan-proxy ${model.version} · ${referenceLink(model.question)}</footer>
      </body>
    </html>`
}

/**
 * Without a configured address, the address is relative. The header `host` is not used: a visitor who
 * forged it could put another address into pages that the daemon keeps for others.
 */
function previewAddress({ url }: Pick<PageModel, 'url'>): string {
  return url === undefined
    ? assetPath('preview.png')
    : `${url.replace(/\/$/, '')}/${assetPath('preview.png')}`
}

function navigation({ place, nodes }: PageModel): Html {
  const links = {
    lookup: './',
    network: 'network',
    receipts: 'receipts',
    ...(nodes && { localnet: 'localnet' }),
  }
  const current = place.page === 'sv' ? html`aria-current="true"` : html`aria-current="page"`
  const own = place.page === 'sv' ? 'network' : place.page
  return html`<nav aria-label="Pages">${Object.entries(links).map(
    ([page, href]) =>
      html`<a href="${href}" ${page === own && current}>${pages[page as Place['page']].title}</a> `,
  )}</nav>`
}

const labels: Readonly<Record<NetworkKind, string>> = {
  mainnet: 'MainNet',
  testnet: 'TestNet',
  devnet: 'DevNet',
  localnet: 'LocalNet',
  remote: 'Remote network',
}

function networkView(model: LiveModel): Html {
  const { network, roster } = model
  const ahead = clockAhead(model)
  return html`<span class="badge">${labels[network]}</span>${ahead !== undefined && html`<span class="ahead">clock ${ahead} ahead</span>`}${roster !== undefined && roster.dso !== '' && fingerprintView(roster.dso)}`
}

const hourMs = milliseconds('1h')

function clockAhead({ network, networkMs, machineMs }: LiveModel): string | undefined {
  const hours = Math.round((networkMs - machineMs) / hourMs)
  if (network !== 'localnet' || hours < 1) return undefined
  return hours < 24 ? count(hours, 'hour') : count(Math.round(hours / 24), 'day')
}

function fingerprintView(dso: string): Html {
  const fingerprint = dso.slice(dso.lastIndexOf('::') + 2)
  const short = fingerprint.length > 12 ? `${fingerprint.slice(0, 6)}…${fingerprint.slice(-4)}` : fingerprint
  return html`<span class="dso" title="${dso}"><span class="minor"><abbr title="decentralized synchronizer operations: the party for which the super validators act together">DSO</abbr></span> ${copyable(dso, 'the party of the DSO', foreign(short))}</span>`
}

/**
 * The API reference is on the public address. From the operations address, the link sends the
 * page's origin as the referrer, so that the reference can link back.
 */
function referenceLink({ ask }: PageModel['question']): Html {
  const isPublic = ask === undefined
  return html`<a href="${isPublic ? 'docs' : 'ui/docs'}" ${!isPublic && html`referrerpolicy="origin"`}>Reference of the API</a>`
}

function descriptionIn({ network }: Pick<PageModel, 'network'>): string {
  const names = network === 'localnet' ? 'Made-up names of a localnet' : 'Names of the Canton Network'
  return `${names}, as enough super validators agree on them, with who agreed.`
}

const longestTitle = 100

export function titleOf(text: string): string {
  return text === '' ? 'bft-scan-proxy' : `${shortened(text, longestTitle)} · bft-scan-proxy`
}

function titleIn({ place, question }: Pick<PageModel, 'place' | 'question'>): string {
  if (place.page === 'lookup') return titleOf(question.text)
  return titleOf(place.page === 'sv' ? place.name : pages[place.page].title)
}

/** @param up leads from the folder of the unknown path to that of the page, such as `../`. */
export function unknownView(up: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Not found · bft-scan-proxy</title>
        <base href="./${up}">
        <link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
        <link rel="stylesheet" href="${assetPath('page.css')}">
      </head>
      <body>
        <main>
          <h1>There is no page at this address</h1>
          <p><a href="./">Look up a name</a></p>
        </main>
      </body>
    </html>`
}

function networkPage(model: PageModel): Html {
  const { roster, doctor, disagreements } = model
  const marking = markingOf(model)
  const doctorView = doctor !== undefined && doctorSection(doctor)
  return html`
    <h1>Network</h1>
    <section id="super-validators" aria-labelledby="roster-heading">
      <h2 id="roster-heading">Super validators</h2>
      <div id="live-summary">${summaryView(model)}</div>
      <div id="live-doubt">${beyondFView(marking, fOf(model))}</div>
      ${rosterTable(rosterRows(roster?.members ?? [], marking), 'live-roster')}
    </section>
    ${roster === undefined && doctorView}
    <section id="hour" aria-labelledby="hour-heading">
      <h2 id="hour-heading">The last hour</h2>
      <div id="live-traffic">${trafficView(model)}</div>
      <div class="agreement">
        <h3>Agreement, minute by minute</h3>
        <ul class="heat" id="live-heat">${heatRows(roster?.members ?? [], marking).map(asHtml)}</ul>
        ${heatLegend()}
      </div>
    </section>
    <section id="disagreements" aria-labelledby="disagreements-heading">
      <h2 id="disagreements-heading">Who contradicted whom</h2>
      <div id="live-stories">${storyRows(disagreements, fOf(model)).map(asHtml)}</div>
      <p class="empty">This daemon remembers nobody who contradicted the others.</p>
    </section>
    ${roster !== undefined && doctorView}
  `
}

function svPage(model: PageModel): Html {
  const { place, roster, disagreements } = model
  const name = place.page === 'sv' ? place.name : ''
  const member = roster?.members.find(({ names }) => names.includes(name))
  if (member === undefined)
    return html`<h1>${foreign(name)}</h1><p>No super validator has this name. <a href="network">All super validators</a></p>`
  const marking = markingOf(model)
  const stories = storyRows(disagreements, fOf(model))
  return html`
    <section aria-labelledby="sv-heading">
      <h1 id="sv-heading">${foreign(name)}</h1>
      <div id="live-doubt">${beyondFView(marking, fOf(model))}</div>
      ${rosterTable(rosterRows([member], marking))}
    </section>
    <section class="agreement" aria-labelledby="sv-hour">
      <h2 id="sv-hour">Its last hour, minute by minute</h2>
      <ul class="heat">${heatRows([member], marking).map(asHtml)}</ul>
      ${heatLegend()}
    </section>
    <section aria-labelledby="sv-stories">
      <h2 id="sv-stories">Its stories</h2>
      <div id="${rowId('live-stories', member)}">${ownStories(stories, member).map(asHtml)}</div>
      <p class="empty">This daemon remembers no contradiction of it.</p>
    </section>
  `
}

function ownStories(
  stories: ReturnType<typeof storyRows>,
  { names }: { readonly names: readonly string[] },
): readonly Row[] {
  return stories.filter(({ who }) => who.some((name) => names.includes(name)))
}

export function liveParts(model: LiveModel): PageParts {
  const members = model.roster?.members ?? []
  const marking = markingOf(model)
  const stories = storyRows(model.disagreements, fOf(model))
  const lists: Record<string, readonly Row[]> = {
    'live-roster': rosterRows(members, marking),
    'live-heat': heatRows(members, marking),
    'live-stories': stories,
    ...Object.fromEntries(
      members.map((member) => [rowId('live-stories', member), ownStories(stories, member)]),
    ),
  }
  if (model.nodes !== undefined) lists['live-faults'] = nodeRows(model.nodes)
  const { doctor, roster } = model
  const parts = {
    'live-network': networkView(model).toString(),
    'live-headline': headlineView(model).toString(),
    'live-rest': restView(model).toString(),
    'live-ring': roster === undefined ? '' : restingRing(roster, marking).toString(),
    'live-summary': summaryView(model).toString(),
    'live-doubt': beyondFView(marking, fOf(model)).toString(),
    'live-traffic': trafficView(model).toString(),
    'live-recent-doubt': recentDoubtView(model.disagreements, fOf(model), model.machineMs).toString(),
    ...(doctor !== undefined && {
      'live-doctor-state': doctorStateView(doctor).toString(),
      'live-doctor': doctorReportView(doctor).toString(),
    }),
  }
  return { parts, lists }
}
