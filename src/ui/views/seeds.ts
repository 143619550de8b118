import { html } from 'hono/html'
import { seedAdvice, seedSays } from '../../scan/seed-advice.ts'
import type { SeedState } from '../../scan/seed-results.ts'
import type { LiveModel } from '../model.ts'
import { foreign, type Html, hostOf, moment, sentence } from './text.ts'

export function seedsView({ seeds, waitingFor }: Pick<LiveModel, 'seeds' | 'waitingFor'>): Html {
  return html`
    <p class="waiting">No roster of super validators is agreed yet${waitingFor !== undefined && html`: ${foreign(waitingFor)}`}.</p>
    ${
      seeds.length > 0 &&
      html`
        <p class="advice"><strong>What to do:</strong> ${sentence(seedAdvice(seeds))}</p>
        <table class="seeds">
          <thead><tr><th scope="col">Seed</th><th scope="col">What it said</th><th scope="col">When</th></tr></thead>
          <tbody>${seeds.map(seedView)}</tbody>
        </table>
      `
    }
  `
}

function seedView({ url, outcome, detail, at }: SeedState): Html {
  const says = seedSays(outcome)
  const isGood = outcome === 'answered'
  return html`
    <tr>
      <th scope="row"><span class="member"><i class="dot ${isGood ? 'reachable' : 'unreachable'}" aria-hidden="true"></i>${foreign(hostOf(url))}</span></th>
      <td>${says}${detail !== '' && html` <span class="minor">${foreign(detail)}</span>`}</td>
      <td><span class="minor">${at !== null && moment(at)}</span></td>
    </tr>
  `
}
