// Keeps an open page up to date. Without this script the page still works, but shows the state at loading time.

const states = { off: 'as of loading', waiting: 'connecting', on: 'live' }
const state = document.getElementById('live-state')
const shown = new Map()

function say(now) {
  state.dataset.state = now
  state.textContent = states[now]
}

// Elements that the visitor opened stay open, and the focused element keeps the focus.
function replace(element, html) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : ''
  const open = new Map([...element.querySelectorAll('details')].map((details) => [details.id, details.open]))
  element.innerHTML = html
  for (const details of element.querySelectorAll('details')) details.open = open.get(details.id) ?? false
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true })
}

const events = new EventSource('ui/events')
events.addEventListener('open', () => say('on'))
events.addEventListener('error', () => say(events.readyState === EventSource.CLOSED ? 'off' : 'waiting'))
events.addEventListener('message', ({ data }) => {
  for (const [id, html] of Object.entries(JSON.parse(data))) {
    const element = document.getElementById(id)
    if (element === null || shown.get(id) === html) continue
    shown.set(id, html)
    replace(element, html)
  }
})
