import { html } from 'hono/html'
import type { LocalnetFault, PageModel, ShownNode } from '../model.ts'
import { type Html, visible } from './text.ts'

export function faultsView(nodes: readonly ShownNode[]): Html {
  return html`
    <ul class="nodes">
      ${nodes.map(
        ({ name, faults }) => html`
          <li>
            <strong>${name}</strong>
            <span class="${faults.length === 0 ? 'good' : 'bad'}">${faults.length === 0 ? 'healthy' : faults.join(' and ')}</span>
            ${
              faults.length > 0 &&
              html`
                <form action="ui/faults" method="post">
                  <input type="hidden" name="sv" value="${name}">
                  <button id="heal-${name}" class="quiet" type="submit">Heal<span class="unseen"> ${name}</span></button>
                </form>
              `
            }
          </li>
        `,
      )}
    </ul>
  `
}

function faultForm(nodes: readonly ShownNode[], kinds: readonly LocalnetFault[]): Html {
  return html`
    <form class="stacked" action="ui/faults" method="post" aria-labelledby="faults-heading">
      <div>
        <label for="fault-sv">Super validator</label>
        <select id="fault-sv" name="sv">${nodes.map(({ name }) => html`<option>${name}</option>`)}</select>
      </div>
      <div>
        <label for="fault-kind">Its scan</label>
        <select id="fault-kind" name="kind">
          ${kinds.map(({ kind, sentence }) => html`<option value="${kind}" ${kind === 'lie' && 'selected'}>${kind}: ${sentence}</option>`)}
        </select>
      </div>
      <button type="submit">Inject</button>
    </form>
  `
}

/** Stops browsers from altering the typed text. */
const identifier = html`autocomplete="off" autocapitalize="none" spellcheck="false"`

function registrationForm({ acronym }: { readonly acronym: string }): Html {
  return html`
    <form class="stacked" action="ui/registrations" method="post" aria-labelledby="registration-heading">
      <div>
        <label for="entry-name">Name</label>
        <span class="suffixed"><input id="entry-name" name="name" value="alice" required maxlength="60" aria-describedby="entry-suffix" ${identifier}><span id="entry-suffix">.unverified.${acronym}</span></span>
      </div>
      <div>
        <label for="entry-user">For the user</label>
        <input id="entry-user" name="user" value="alice" required maxlength="128" ${identifier}>
      </div>
      <div>
        <label for="entry-url">Website</label>
        <input id="entry-url" name="url" type="url" maxlength="255" placeholder="https://" autocomplete="off">
      </div>
      <div>
        <label for="entry-description">Description</label>
        <input id="entry-description" name="description" maxlength="140" autocomplete="off">
      </div>
      <button type="submit">Register</button>
    </form>
  `
}

function refusalView(refused: PageModel['refused'], form: 'fault' | 'registration'): Html {
  return refused?.form === form ? html`<p class="alert" role="alert">${visible(refused.why)}</p>` : html``
}

/** Shows the actions that a localnet offers. */
export function localnetView({ nodes, faultKinds, registration, refused }: PageModel): Html {
  if (nodes === undefined || faultKinds === undefined) return html``
  return html`
    <section id="localnet" aria-labelledby="localnet-heading">
      <h2 id="localnet-heading">Localnet</h2>
      <p class="lead">These super validators live in this process. Make one lie, look a name up, and see who notices.</p>
      <div class="pair">
        <div class="card">
          <h3 id="faults-heading">Faults</h3>
          ${refusalView(refused, 'fault')} ${faultForm(nodes, faultKinds)}
          <div id="live-faults">${faultsView(nodes)}</div>
        </div>
        ${
          registration !== undefined &&
          html`
            <div class="card">
              <h3 id="registration-heading">Register a name</h3>
              ${refusalView(refused, 'registration')} ${registrationForm(registration)}
            </div>
          `
        }
      </div>
    </section>
  `
}
