import { html } from 'hono/html'
import { byName } from '../../../base/lib/by-name.ts'
import type { PlainFault } from '../../../localnet/faults.ts'
import type { Row } from '../live.ts'
import type { PageModel, RefusedForm, ShownNode } from '../model.ts'
import { type TourGround, type TourStep, toldOf, tourAddress, tourSteps } from '../tour.ts'
import { asHtml } from './roster.ts'
import { count, type Html, listed, visible } from './text.ts'

export function nodeRows(nodes: readonly ShownNode[]): readonly Row[] {
  const rows = sortedNodes(nodes).map((node, index) => {
    const id = `node-${index}`
    return { id, html: nodeView(node, id).toString() }
  })
  const faulty = nodes.filter(({ faults }) => faults.length > 0)
  return faulty.length === 0
    ? rows
    : [...rows, { id: 'node-all', html: healAllView(faulty.length).toString() }]
}

function sortedNodes(nodes: readonly ShownNode[]): readonly ShownNode[] {
  return nodes.toSorted((a, b) => byName(a.name, b.name))
}

function healAllView(faulty: number): Html {
  return html`<li id="node-all">
      <span class="minor">${count(faulty, 'is faulty', 'are faulty')}</span>
      <form action="ui/faults" method="post">
        <input type="hidden" name="heal" value="all">
        <button id="heal-all" class="quiet" type="submit">Heal all</button>
      </form>
    </li>`
}

function nodeView({ name, faults }: ShownNode, id: string): Html {
  const isHealthy = faults.length === 0
  return html`<li id="${id}">
      <strong>${name}</strong>
      <span class="${isHealthy ? 'good' : 'bad'}">${isHealthy ? 'healthy' : faults.join(' and ')}</span>
      ${
        !isHealthy &&
        html`
          <form action="ui/faults" method="post">
            <input type="hidden" name="sv" value="${name}">
            <button id="heal-${name}" class="quiet" type="submit">Heal<span class="unseen"> ${name}</span></button>
          </form>
        `
      }
    </li>`
}

function faultForm(nodes: readonly ShownNode[], kinds: readonly PlainFault[], typed: TypedValues): Html {
  const chosen = kinds.find(({ kind }) => kind === (typed['kind'] ?? 'lie'))
  return html`
    <form class="stacked" action="ui/faults" method="post" aria-labelledby="faults-heading">
      ${field('fault-sv', 'Super validator', html`<select id="fault-sv" name="sv">${sortedNodes(nodes).map(({ name }) => html`<option ${name === typed['sv'] && 'selected'}>${name}</option>`)}</select>`)}
      <div>
        <label for="fault-kind">Its scan</label>
        <select id="fault-kind" name="kind">
          ${[...Map.groupBy(kinds, ({ group }) => group)].map(([group, own]) => html`<optgroup label="${group}">${own.toSorted((a, b) => byName(a.kind, b.kind)).map(({ kind, sentence }) => html`<option value="${kind}" ${kind === chosen?.kind && 'selected'} data-says="${sentence}">${kind}</option>`)}</optgroup>`)}
        </select>
        <p class="minor fault-says" id="fault-says" role="status">${chosen && `${chosen.kind}: ${chosen.sentence}`}</p>
      </div>
      <button type="submit">Inject</button>
    </form>
  `
}

export function field(id: string, label: string, input: Html): Html {
  return html`<div><label for="${id}">${label}</label>${input}</div>`
}

export const identifier = html`autocomplete="off" autocapitalize="none" spellcheck="false"`

function registrationForm(acronym: string, typed: TypedValues): Html {
  const { name = 'alice', user = 'alice', url = '', description = '' } = typed
  return html`
    <form class="stacked" action="ui/registrations" method="post" novalidate aria-labelledby="registration-heading">
      ${field('entry-name', 'Name', html`<span class="suffixed"><input id="entry-name" name="name" value="${name}" required maxlength="60" aria-describedby="entry-suffix" ${identifier}><span id="entry-suffix">.unverified.${acronym}</span></span>`)}
      ${field('entry-user', 'For the user', html`<input id="entry-user" name="user" value="${user}" required maxlength="128" ${identifier}>`)}
      ${field('entry-url', 'Website', html`<input id="entry-url" name="url" type="url" value="${url}" maxlength="255" placeholder="https://" autocomplete="off">`)}
      ${field('entry-description', 'Description', html`<input id="entry-description" name="description" value="${description}" maxlength="140" autocomplete="off">`)}
      <button type="submit">Register</button>
      <p class="minor">A name lasts 90 days and costs coin, which this localnet makes for you.</p>
    </form>
  `
}

export const mostDays = 400

function clockForm({ days = '30' }: TypedValues): Html {
  return html`
    <form class="clock" action="ui/clock" method="post" novalidate>
      <label for="clock-days">Move its clock forward by</label>
      <input id="clock-days" name="days" type="number" min="1" max="${mostDays}" value="${days}" required> days
      <button class="quiet" type="submit">Move</button>
    </form>
    <p class="minor">A wallet renews a name in the last 30 days before its end. It expires where the clock moves past its end at once.</p>
  `
}

export function localnetView(model: PageModel): Html {
  const { nodes, faultKinds, registration } = model
  if (nodes === undefined || faultKinds === undefined) return html``
  return html`
    <section id="localnet" aria-labelledby="localnet-heading">
      <h1 id="localnet-heading">Localnet</h1>
      <p class="lead">These super validators live in this process. Make one lie, look a name up, and see who notices.</p>
      ${tourSection(model)}
      <div class="pair">
        <div class="card">
          <h3 id="faults-heading">Faults</h3>
          ${refusalView(model.refused, 'fault')} ${changeView(model)} ${faultForm(nodes, faultKinds, { ...chosenIn(model), ...typedIn(model, 'fault') })}
          <ul class="nodes" id="live-faults">${nodeRows(nodes).map(asHtml)}</ul>
        </div>
        ${
          registration !== undefined &&
          html`
            <div class="card">
              <h3 id="registration-heading">Register a name</h3>
              ${refusalView(model.refused, 'registration')} ${registrationForm(registration.acronym, typedIn(model, 'registration'))}
              ${model.canMoveClock && html`<h3 id="clock-heading">Clock</h3>${refusalView(model.refused, 'clock')} ${clockForm(typedIn(model, 'clock'))}`}
            </div>
          `
        }
      </div>
    </section>
  `
}

function chosenIn({ nodes = [], changed }: PageModel): TypedValues {
  const node = nodes.find(({ name }) => name === changed)
  return node === undefined ? {} : { sv: node.name, kind: node.faults[0] ?? 'lie' }
}

function changeView({ nodes = [], faultKinds = [], changed }: PageModel): Html {
  const node = nodes.find(({ name }) => name === changed)
  const faulty = nodes.filter(({ faults }) => faults.length > 0)
  if (changed === 'all' && faulty.length === 0)
    return html`<p class="told">All are healthy, and the daemon has forgotten who lied.</p>`
  if (node === undefined) return html``
  const does = faultKinds.filter(({ kind }) => node.faults.includes(kind)).map(({ sentence }) => sentence)
  return html`<p class="told">${does.length === 0 ? `${node.name} is healthy from now on.` : `From now on the scan of ${node.name} ${listed(does)}.`}</p>`
}

function tourSection(model: PageModel): Html {
  const { tourStepsDone, refused } = model
  const ground = groundOf(model)
  if (ground === undefined || tourStepsDone === undefined) return html``
  return html`
    <section id="tour" aria-labelledby="tour-heading">
      <h2 id="tour-heading">A tour in six steps</h2>
      ${refusalView(refused, 'tour')} ${toldView(model)} ${tourView(ground, tourStepsDone)}
    </section>
  `
}

function groundOf({ nodes, registration, roster }: PageModel): TourGround | undefined {
  const f = roster?.superValidators.f ?? 0
  if (nodes === undefined || f === 0) return undefined
  return { superValidators: nodes.map(({ name }) => name), f, acronym: registration?.acronym ?? 'cns' }
}

/**
 * The browser scrolls to this sentence, and the tour is then out of view. So the button of the next
 * step is beside it.
 */
export function toldView(model: PageModel): Html {
  const ground = groundOf(model)
  const { tourStepsDone = 0, nodes = [], finding } = model
  const steps = ground === undefined ? [] : tourSteps(ground)
  const last = steps[tourStepsDone - 1]
  if (ground === undefined || last === undefined) return html``
  const told = toldOf(ground, tourStepsDone, model)
  if (told === undefined && finding?.kind !== 'examined') return html``
  const isHealthy = nodes.every(({ faults }) => faults.length === 0)
  const astray = isHealthy ? 'Nobody lies now.' : 'Other faults are set now than those of this step.'
  const place = told === undefined ? 0 : tourStepsDone
  const next = steps[place]
  return html`<div id="told" class="told${next === undefined && ' done'}" tabindex="-1"><p>${visible(told ?? astray)}</p>
    <div class="next-step">
      ${place > 0 && last.id === 'later' && stepAction(last, place - 1, ground, 'quiet')}
      ${
        next === undefined
          ? html`<a href="localnet?tour=${place}#tour">Back to the localnet</a>`
          : html`<span class="minor">Step ${place + 1}:</span> ${stepAction(next, place, ground)}`
      }
    </div></div>`
}

type TypedValues = RefusedForm['typed']

function typedIn({ refused }: PageModel, form: RefusedForm['form']): TypedValues {
  return refused?.form === form ? refused.typed : {}
}

function refusalView(refused: PageModel['refused'], form: RefusedForm['form']): Html {
  return refused?.form === form
    ? html`<p class="alert" role="alert" id="refusal" tabindex="-1">${visible(refused.why)}</p>`
    : html``
}

function tourView(ground: TourGround, reached: number): Html {
  return html`
    <ol class="tour">
      ${tourSteps(ground).map((step, place) => {
        const state = place < reached ? 'done' : place === reached ? 'next' : 'later'
        const look = place === reached ? '' : 'quiet'
        return html`
          <li class="step ${state}" ${state === 'next' && html`aria-current="step"`}>
            <strong>${step.title}</strong>
            <p>${step.says}</p>
            ${stepAction(step, place, ground, look)}
          </li>
        `
      })}
    </ol>
  `
}

function stepAction(step: TourStep, place: number, ground: TourGround, look: '' | 'quiet' = ''): Html {
  return step.kind === 'look'
    ? html`<a class="button ${look}" href="${tourAddress(step, place, ground)}">${step.button}</a>`
    : html`<form action="ui/tour" method="post"><input type="hidden" name="step" value="${step.id}"><button class="${look}" type="submit">${step.button}</button></form>`
}
