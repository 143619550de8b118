import { html } from 'hono/html'
import { type TourGround, type TourStep, tourAddress, tourSteps } from '../tour.ts'
import type { Html } from './text.ts'

export function tourView(ground: TourGround, reached: number): Html {
  return html`
    <ol class="tour">
      ${tourSteps(ground).map((step, place) => {
        const state = place < reached ? 'done' : place === reached ? 'next' : 'later'
        const look = place === reached || (place === reached - 1 && step.id === 'later') ? '' : 'quiet'
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

export function stepAction(step: TourStep, place: number, ground: TourGround, look: '' | 'quiet' = ''): Html {
  return step.kind === 'look'
    ? html`<a class="button ${look}" href="${tourAddress(step, place, ground)}">${step.button}</a>`
    : html`<form action="ui/tour" method="post"><input type="hidden" name="step" value="${step.id}"><button class="${look}" type="submit">${step.button}</button></form>`
}
