// Downloads a receipt in the background, so that the page can show why there is none. Without this
// script, an error response replaces the page. Also saves the picture of a vote.

const root = document.documentElement
let current

function save(content, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const drawn =
  'fill stroke stroke-width stroke-dasharray stroke-linecap font-family font-size font-weight display dominant-baseline'

/** The file has no style sheet, so every part of the picture gets its styles as attributes. */
function pictureOf(ring) {
  const copy = ring.cloneNode(true)
  const parts = copy.querySelectorAll('*')
  for (const [at, part] of ring.querySelectorAll('*').entries()) {
    const style = getComputedStyle(part)
    for (const name of drawn.split(' ')) parts[at].setAttribute(name, style.getPropertyValue(name))
  }
  const textOf = (selector) =>
    document
      .querySelector(selector)
      ?.textContent.trim()
      .replace(/^(.{39}).{2,}$/s, '$1…')
  const asked = Date.parse(document.querySelector('#answer .source time').dateTime)
  const at = new Date(asked + Number(root.dataset.wall) - Number(root.dataset.machine)).toISOString()
  const dissents = ring.querySelector('.stance-dissented') === null ? '' : ' · ✕ dissented'
  const answer = [textOf('#answer .verdict'), textOf('#answer .entry .id a')].filter(Boolean).join(': ')
  const when = `${textOf('.badge')} · ${at.slice(0, 16).replace('T', ' ')} UTC${dissents}`
  const says = [document.title, answer, when]
  const { x, y, width, height: ringHeight } = ring.viewBox.baseVal
  const height = ringHeight + 8 + 20 * says.length
  copy.setAttribute('viewBox', [x, y, width, height].join(' '))
  const paper = document.createElementNS(ring.namespaceURI, 'path')
  paper.setAttribute('d', `M${x} ${y}h${width}v${height}h${-width}z`)
  paper.setAttribute('fill', getComputedStyle(ring.closest('.card')).backgroundColor)
  copy.prepend(paper)
  for (const [line, text] of says.entries()) {
    const caption = copy.querySelector('.centre-says').cloneNode()
    caption.textContent = text
    caption.setAttribute('y', y + ringHeight + 16 + 20 * line)
    copy.append(caption)
  }
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' })
}

async function download(link) {
  const own = new AbortController()
  current = own
  const problem = link.closest('.vote-says').querySelector('.receipt-problem')
  problem.textContent = ''
  link.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(link.href, { signal: own.signal })
    if (!response.ok) {
      problem.textContent = `No receipt: ${await response.text()}`
      return
    }
    const [, name] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
    save(await response.blob(), name ?? 'answer.receipt.json')
  } catch {
    const since = 'lost' in root.dataset ? ` since ${root.dataset.heard}` : ''
    problem.textContent = `The daemon does not answer${since}. No receipt was downloaded.`
  } finally {
    link.removeAttribute('aria-busy')
    if (current === own) current = undefined
  }
}

document.addEventListener('click', (event) => {
  if (event.target.matches('[data-picture]'))
    save(
      pictureOf(document.querySelector('#answer .ring')),
      `${new URLSearchParams(location.search).get('q')}.svg`,
    )
  const link = event.target.closest('a[data-receipt]')
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  if (current === undefined) void download(link)
})
document.addEventListener('lost', () => current?.abort())
