// Keeps an open page up to date. The page also works without scripts, but then it does not change
// after it was loaded.

const root = document.documentElement
/**
 * How far the network's clock and the clock of the daemon's machine are ahead of the browser's, in
 * milliseconds.
 */
const ahead = {
  network: Number(root.dataset.wall) - Date.now(),
  machine: Number(root.dataset.machine) - Date.now(),
}
root.dataset.ahead = ahead.network

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

function tellTime(time) {
  time.title ||= time.textContent
  // Times with `data-relative="date"` come from the ledger and follow the network's clock. All
  // others follow the clock of the daemon's machine.
  const clock = time.dataset.relative === 'date' ? ahead.network : ahead.machine
  const seconds = Math.round((Date.parse(time.dateTime) - Date.now() - clock) / 1000)
  const [unit, length] = units.find(([, least]) => Math.abs(seconds) >= least) ?? units.at(-1)
  const distance = Math.abs(seconds) < 5 ? 'just now' : relative.format(Math.round(seconds / length), unit)
  const date = time.dateTime.slice(0, 10)
  const text = time.dataset.relative === 'date' ? `${date}, ${distance}` : distance
  if (time.textContent !== text) time.textContent = text
}

async function copy(text) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

function copyButton(says, label, textOf) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy quiet'
  button.textContent = says
  if (label !== says) button.setAttribute('aria-label', label)
  const tell = (outcome) => {
    button.textContent = outcome
    if (label !== says) button.setAttribute('aria-label', outcome === says ? label : outcome)
  }
  button.addEventListener('click', async () => {
    const outcome = textOf().then(copy)
    tell(await outcome.then(() => 'copied').catch(() => 'not copied'))
    setTimeout(tell, 1_500, says)
  })
  return button
}

async function textAt(url, mayBeGone = false) {
  const response = await fetch(url)
  if (!response.ok && !(mayBeGone && response.status === 404))
    throw new Error(`${url} answered ${response.status}`)
  return response.text()
}

function enhance(part) {
  for (const time of part.querySelectorAll('time[data-relative]')) tellTime(time)
  for (const text of part.querySelectorAll('[data-copy]:not(:has(.copy))'))
    text.append(copyButton('copy', `copy ${text.dataset.what}`, async () => text.dataset.copy))
  for (const link of part.querySelectorAll('a[data-copies]')) {
    const says = `copy ${link.dataset.copies}`
    link.replaceWith(copyButton(says, says, async () => copied[link.dataset.copies](link)))
  }
  for (const details of part.querySelectorAll('details[data-body]'))
    details.addEventListener('toggle', () => details.open && showBody(details))
}

const copied = {
  'report for its operator': ({ href }) => textAt(href),
  'link (asks again)': ({ href }) => href,
  'as curl': curlOf,
}

function curlOf({ href, dataset }) {
  const url = new URL(href)
  url.port = root.dataset.port || url.port
  return `curl -i ${dataset.live === undefined ? '' : "-H 'x-bft-live: ?1' "}'${url.href}'`
}

async function showBody(details) {
  const { body } = details.dataset
  if (details.dataset.shown === body) return
  details.dataset.shown = body
  const place = details.querySelector('.case-body')
  const said = document.createElement('div')
  said.className = 'case-body'
  try {
    said.innerHTML = await textAt(body, true)
    place.replaceWith(said)
    enhance(said)
  } catch {
    delete details.dataset.shown
  }
}

// A disagreement may say that the daemon will ask again. Fetches each such disagreement that is
// open, to show what came of that.
function renewBodies() {
  for (const details of document.querySelectorAll('details[open]:has(.filed-pending)')) {
    delete details.dataset.shown
    void showBody(details)
  }
}

setInterval(() => {
  for (const time of document.querySelectorAll('time[data-relative]')) tellTime(time)
}, 1_000)
enhance(document)
document.addEventListener('shown', ({ target }) => enhance(target))

let dso
const field = document.getElementById('q')
const typed = sessionStorage.getItem('typed')
sessionStorage.removeItem('typed')
if (typed !== null && field !== null) field.value = typed

// Each new localnet is a network of its own, of which the shown answer says nothing.
function reloadForOtherNetwork() {
  const present = document.querySelector('#live-network .dso')?.title
  if (present !== undefined && dso !== undefined && present !== dso) {
    if (field !== null) sessionStorage.setItem('typed', field.value)
    location.reload()
  }
  dso = present ?? dso
}
reloadForOtherNetwork()

const state = document.getElementById('live-state')
const longestSilenceMs = 15_000
let heardAt = Date.now()
let isLive = false
let hasBeenLive = false

function tellState() {
  const silentMs = Date.now() - heardAt
  hasBeenLive ||= isLive
  const isStale = !isLive || silentMs > longestSilenceMs
  root.toggleAttribute('data-stale', isStale)
  state.dataset.state = isStale ? 'stale' : 'on'
  state.textContent = isStale ? `as of ${Math.round(silentMs / 1000)} s ago` : 'live'
  root.dataset.heard = `${new Date(heardAt).toISOString().slice(11, 19)} UTC`
  const isLost = isStale && hasBeenLive
  if (isLost !== 'lost' in root.dataset) tellLost(isLost)
}

const lost = document.getElementById('live-lost')

function tellLost(isLost) {
  root.toggleAttribute('data-lost', isLost)
  lost.hidden = !isLost
  if (isLost) {
    lost.textContent = `The daemon does not answer since ${root.dataset.heard}. Trying again.`
    document.dispatchEvent(new Event('lost'))
  }
}

function replaceKeepingFocus(element, change) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : ''
  change()
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true })
}

function fill(id, html) {
  const element = document.getElementById(id)
  if (element === null) return
  replaceKeepingFocus(element, () => {
    element.innerHTML = html
  })
  enhance(element)
}

function elementOf(html) {
  const template = document.createElement('template')
  template.innerHTML = html
  enhance(template.content)
  return template.content.firstElementChild
}

// A row that the visitor has opened stays open: only its heading is replaced.
function refresh(old, html) {
  const fresh = elementOf(html)
  if (!old.open) return replaceKeepingFocus(old, () => old.replaceWith(fresh))
  replaceKeepingFocus(old, () => old.querySelector('summary').replaceWith(fresh.querySelector('summary')))
}

function arrange(list, ids, rows) {
  for (const child of [...list.children]) if (!ids.includes(child.id)) child.remove()
  for (const [place, id] of ids.entries()) {
    const element = document.getElementById(id) ?? elementOf(rows[id])
    if (list.children[place] !== element) list.insertBefore(element, list.children[place])
  }
}

const events = new EventSource('ui/events')
events.addEventListener('open', () => {
  isLive = true
})
events.addEventListener('error', () => {
  isLive = false
  tellState()
})
events.addEventListener('message', ({ data }) => {
  heardAt = Date.now()
  isLive = true
  const { now, machine, parts = {}, lists = {}, rows = {} } = JSON.parse(data)
  ahead.network = now - heardAt
  root.dataset.ahead = ahead.network
  ahead.machine = machine - heardAt
  for (const [id, html] of Object.entries(parts)) fill(id, html)
  reloadForOtherNetwork()
  for (const [id, html] of Object.entries(rows)) {
    const old = document.getElementById(id)
    if (old !== null) refresh(old, html)
  }
  for (const [id, ids] of Object.entries(lists)) {
    const list = document.getElementById(id)
    if (list !== null) arrange(list, ids, rows)
  }
  if (Object.keys(rows).some((id) => id.startsWith('case-')) || lists['live-stories']) renewBodies()
  tellState()
})
setInterval(tellState, 1_000)
addEventListener('pagehide', () => events.close())

addEventListener('keydown', (event) => {
  const isTyping = event.target.matches?.('input:not([type=radio]), textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  const field = document.getElementById('q')
  if (field === null) return location.assign('./#q')
  field.focus()
  field.select()
})

document.getElementById('fault-kind')?.addEventListener('change', ({ target }) => {
  const [{ value, dataset }] = target.selectedOptions
  document.getElementById('fault-says').textContent = `${value}: ${dataset.says}`
})

if (['#refusal', '#told', '#q'].includes(location.hash)) document.querySelector(location.hash)?.focus()
