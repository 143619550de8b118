// Plays the events of a vote on its ring, the drawing of the vote. While a vote runs, the daemon
// sends the events. A finished vote has them in the attribute `data-course`.

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

  #pace
  #words

  constructor(ring, pace = 1, words = 'said the same') {
    this.#ring = ring
    this.#pace = pace
    this.#words = words
    this.#started = performance.now()
    ring.dataset.playing = ''
    for (const voter of ring.querySelectorAll('.voter')) voter.dataset.phase = 'idle'
    for (const segment of ring.querySelectorAll('.segment')) segment.classList.remove('closed')
    this.#say(0)
  }

  play(event) {
    this.#queue = this.#queue.then(async () => {
      const now = performance.now() - this.#started
      const at = Math.max(event.ms * this.#pace, this.#nextAt, now)
      this.#nextAt = at + gaps[event.kind] * this.#pace
      if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
      this.#show(event)
    })
    return this.#queue
  }

  #show(event) {
    const { kind, voter, reason, group } = event
    this.#log(event)
    const drawn = this.#ring.querySelector(`[data-voter="${voter}"]`)
    if (kind === 'asked') {
      drawn.dataset.phase = 'asked'
      drawn.classList.add(`reason-${reason}`)
    } else if (kind === 'heard') {
      drawn.dataset.phase = 'heard'
      if (group !== undefined) this.#groups.set(group, [...(this.#groups.get(group) ?? []), drawn])
      this.#count(this.#ring.dataset.playing === 'over')
    } else this.#close()
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
    const awaited = isSettled ? '[data-phase="asked"]' : ':not([data-phase="heard"])'
    const open = this.#ring.querySelectorAll(`.voter${awaited}`).length
    const isOpen = most.length === second.length || others + open > Number(this.#ring.dataset.f)
    for (const votes of sorted)
      for (const each of votes) each.dataset.leans = isOpen ? 'open' : votes === most ? 'agreed' : 'other'
    for (const [index, segment] of this.#ring.querySelectorAll('.segment').entries())
      segment.classList.toggle('closed', index < most.length)
    this.#say(most.length)
  }

  #log({ kind, ms, voter, reason, outcome }) {
    const log = this.#ring.closest('.vote').querySelector('.log')
    if (log === null) return
    const name = this.#ring.querySelector(`[data-voter="${voter}"] title`)?.textContent
    const line = document.createElement('li')
    const who = document.createElement('b')
    who.textContent = name ?? 'decided'
    line.append(`${ms.toFixed(1).padStart(7)} ms  `, who, `  ${says({ kind, reason, outcome })}`)
    log.append(line)
    while (log.children.length > 14) log.firstElementChild.remove()
  }

  #close() {
    this.#ring.dataset.playing = 'over'
    this.#count(true)
  }

  #say(votes) {
    this.#ring.querySelector('.centre').textContent = `${votes}/${this.#ring.dataset.of}`
    this.#ring.querySelector('.centre-says').textContent = this.#words
  }
}

const reasons = {
  first: 'asked',
  hedge: 'asked: another is late',
  more: 'asked: not decided yet',
  audit: 'asked: an audit',
}

function says({ kind, reason, outcome }) {
  if (kind === 'asked') return reasons[reason]
  if (kind === 'settled') return outcome
  return outcome === 'value' || outcome === 'refusal' ? 'answered' : outcome
}

const longestReplayMs = 1_200

async function replay(ring) {
  const before = ring.innerHTML
  const course = JSON.parse(ring.dataset.course)
  const slowestMs = course.reduce((at, { ms, kind }) => Math.max(at, ms) + gaps[kind], 0)
  const log = Object.assign(document.createElement('ol'), { className: 'log replayed' })
  ring.closest('.vote').querySelector('.vote-says').append(log)
  const player = new Player(ring, Math.min(1, longestReplayMs / slowestMs), 'replaying')
  let last
  for (const event of course) last = player.play(event)
  await last
  await rest()
  log.remove()
  ring.innerHTML = before
  delete ring.dataset.playing
}

function rest() {
  return new Promise((resolve) => setTimeout(resolve, 350))
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
      place.firstElementChild.scrollIntoView({ block: 'start' })
      if (!calm.matches) player = new Player(place.querySelector('.ring'))
    }
    if (line.event !== undefined) shown = player?.play(line.event)
    if (line.failed !== undefined) throw new Error(line.failed)
    if (line.end !== undefined) end = line.end
  }
  if (end === undefined) throw new Error('the daemon did not finish')
  await shown
  if (player !== undefined) await rest()
  signal.throwIfAborted()
  tellProblem(end.problem)
  document.getElementById('told')?.remove()
  place.innerHTML = end.html
  place.dispatchEvent(new Event('shown', { bubbles: true }))
  document.title = end.title
  history.pushState(null, '', `./?${query}#answer`)
  shownSearch = location.search
  const answer = document.getElementById('answer')
  if (answer === null) return document.getElementById('q').focus()
  answer.focus({ preventScroll: true })
  answer.scrollIntoView({ block: 'start' })
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
const calm = matchMedia('(prefers-reduced-motion: reduce)')
let asking
let shownSearch = location.search

function tellProblem(text) {
  const problem = document.getElementById('lookup-problem')
  problem.textContent = text
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

const finished = document.querySelector('.ring[data-course]')
if (finished !== null && !calm.matches) void replay(finished)
