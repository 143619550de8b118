// Plays the events of a running vote, which the daemon sends, on its ring, the drawing of the vote.

/**
 * The shortest pause after an event of each kind, in milliseconds. Without pauses, a fast vote
 * would be over before visitors could follow it.
 */
const gaps = { asked: 55, heard: 115, settled: 260 }

/**
 * Each event is shown at its own time `ms`, but not before the pause after the previous event is
 * over.
 */
class Player {
  #ring
  #started
  #nextAt = 0
  #queue = Promise.resolve()
  #groups = new Map()

  constructor(ring) {
    this.#ring = ring
    this.#started = performance.now()
    ring.dataset.playing = ''
  }

  play(event) {
    this.#queue = this.#queue.then(async () => {
      const now = performance.now() - this.#started
      const at = Math.max(event.ms, this.#nextAt, now)
      this.#nextAt = at + gaps[event.kind]
      if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
      this.#show(event)
    })
    return this.#queue
  }

  #show({ kind, voter, reason, group }) {
    const drawn = this.#ring.querySelector(`[data-voter="${voter}"]`)
    if (kind === 'asked') {
      look(drawn, 'asked')
      drawn.classList.add(`reason-${reason}`)
    } else if (kind === 'heard') {
      look(drawn, 'heard')
      if (group !== undefined) this.#groups.set(group, [...(this.#groups.get(group) ?? []), drawn])
      this.#count(this.#ring.dataset.playing === 'over')
    } else {
      this.#ring.dataset.playing = 'over'
      this.#count(true)
    }
  }

  /**
   * Colours the largest group of equal votes as agreed, and all other votes as different. All votes
   * look undecided while two groups are equally large, or while more than f votes may differ.
   * @param isSettled whether no further super validator will be asked.
   */
  #count(isSettled = false) {
    const sorted = [...this.#groups.values()].sort((a, b) => b.length - a.length)
    const [most = [], second = []] = sorted
    const others = sorted.slice(1).reduce((sum, votes) => sum + votes.length, 0)
    const awaited = isSettled ? '.stance-asked' : ':is(.stance-asked, .stance-unasked)'
    const open = this.#ring.querySelectorAll(`.voter${awaited}`).length
    const isOpen = most.length === second.length || others + open > Number(this.#ring.dataset.f)
    for (const votes of sorted)
      for (const each of votes) look(each, isOpen ? 'heard' : votes === most ? 'agreed' : 'dissented')
    for (const [index, segment] of this.#ring.querySelectorAll('.segment').entries())
      segment.classList.toggle('closed', index < most.length)
    this.#ring.querySelector('.centre').textContent = `${most.length}/${this.#ring.dataset.of}`
  }
}

function look(voter, stance) {
  const others = [...voter.classList].filter((name) => !name.startsWith('stance-'))
  voter.setAttribute('class', [...others, `stance-${stance}`].join(' '))
}

async function follow(query, place, signal) {
  const response = await fetch(`ui/vote?${query}`, { signal })
  let player
  let shown
  let end
  for await (const line of linesOf(response.body)) {
    tellBusy(false)
    if (line.begun !== undefined) {
      place.innerHTML = line.begun
      form.scrollIntoView({ block: 'start' })
      if (!calm.matches) player = new Player(place.querySelector('.ring'))
    }
    if (line.event !== undefined) shown = player?.play(line.event)
    if (line.failed !== undefined) throw new Error(line.failed)
    if (line.end !== undefined) end = line.end
  }
  if (end === undefined) throw new Error('the daemon did not finish')
  await shown
  if (player !== undefined) await new Promise((resolve) => setTimeout(resolve, 350))
  signal.throwIfAborted()
  if (end.problem !== '') return tellProblem(end.problem)
  document.getElementById('told')?.remove()
  place.innerHTML = end.html
  place.dispatchEvent(new Event('shown', { bubbles: true }))
  document.title = end.title
  history.pushState(null, '', `./?${query}#answer`)
  shownSearch = location.search
  document.getElementById('answer').focus({ preventScroll: true })
  form.scrollIntoView({ block: 'start' })
}

async function* linesOf(stream) {
  let rest = ''
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n')
    rest = lines.pop()
    for (const line of lines) yield JSON.parse(line)
  }
}

const root = document.documentElement
const form = document.getElementById('lookup')
const field = document.getElementById('q')
const calm = matchMedia('(prefers-reduced-motion: reduce)')
let asking
let shownSearch = location.search

function tellProblem(text) {
  document.getElementById('lookup-problem').textContent = text
}

const button = form.querySelector('button')
const buttonSays = button.textContent

function tellBusy(isBusy) {
  button.textContent = isBusy ? 'Asking …' : buttonSays
  button.ariaBusy = String(isBusy)
}

async function ask() {
  asking?.abort()
  const own = new AbortController()
  asking = own
  const place = document.getElementById('finding')
  const before = [...place.childNodes]
  const query = new URLSearchParams(new FormData(form))
  tellBusy(true)
  try {
    await follow(query, place, own.signal)
  } catch (error) {
    if (asking !== own) return
    place.replaceChildren(...before)
    // `fetch` throws a TypeError if the network fails. After any other error, the browser loads the
    // page of the answer, which explains the error.
    if (own.signal.aborted || error instanceof TypeError)
      tellProblem(
        `The daemon does not answer since ${root.dataset.heard}. Nothing was looked up; what you typed is still here.`,
      )
    else location.assign(`./?${query}#answer`)
  } finally {
    if (asking === own) tellBusy(false)
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  tellProblem('')
  void ask()
})
document.addEventListener('lost', () => asking?.abort())
// If the visitor goes back to another answer, the page reloads. A link to a section of this page
// does not reload it.
addEventListener('popstate', () => location.search !== shownSearch && location.reload())

const suggested = document.getElementById('suggestions')
let typed

async function suggest() {
  const text = field.value.trim()
  const way = document.querySelector('input[name="by"]:checked').value
  if (text.length < 2 || text.includes('::') || way === 'party') return suggested.replaceChildren()
  const names = await fetch(`ui/suggestions?${new URLSearchParams({ q: text })}`).then((said) => said.json())
  if (field.value.trim() !== text) return
  const options = names.map(({ name, user }) => {
    const option = document.createElement('option')
    option.value = name
    option.label = user.length > 28 ? `${user.slice(0, 28)}…` : user
    return option
  })
  suggested.replaceChildren(...options)
}

field.addEventListener('input', () => {
  clearTimeout(typed)
  typed = setTimeout(() => suggest().catch(() => undefined), 120)
})

field.addEventListener('input', () => tellProblem(''))
for (const way of document.querySelectorAll('input[name="by"]'))
  way.addEventListener('change', () => tellProblem(''))
