// Downloads a receipt in the background, so that the page can show why there is none. Without this
// script, an error response replaces the page.

const root = document.documentElement
let current

function save(content, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
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
  const link = event.target.closest('a[data-receipt]')
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  if (current === undefined) void download(link)
})
document.addEventListener('lost', () => current?.abort())
