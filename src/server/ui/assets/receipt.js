// Checks a receipt entirely in the browser. Strings from a receipt are not trusted: they are only
// put into text nodes, with their invisible characters written out.

const root = document.documentElement
const zone = document.getElementById('receipt-zone')
const place = {
  says: document.getElementById('receipt-says'),
  details: document.getElementById('receipt-details'),
}
const fields = {
  key: document.getElementById('receipt-key'),
  asked: document.getElementById('receipt-asked'),
}

const mostBytes = 4 * 2 ** 20
const mostShown = 2_000
const skewSeconds = 300
const pauseMs = 300

let verifier
function load() {
  verifier ??= import(new URL(zone.dataset.verifier, document.baseURI).href).catch((error) => {
    verifier = undefined
    throw error
  })
  return verifier
}

class Unusable extends Error {}

async function textOf(file) {
  if (file.size > mostBytes)
    throw new Unusable(
      `This file has ${Math.ceil(file.size / 2 ** 20)} MiB, and a receipt has at most 4: it was not read.`,
    )
  return file.text()
}

function receiptIn(text, { parseReceipt, MalformedReceipt }) {
  try {
    return parseReceipt(text)
  } catch (error) {
    if (!(error instanceof MalformedReceipt)) throw error
    throw new Unusable(`This file is no receipt: ${error.message}.`)
  }
}

function ownPins() {
  const keys = zone.dataset.keys.split(' ').filter((x) => x !== '')
  return keys.map((x) => ({ name: location.host, key: { kty: 'OKP', crv: 'Ed25519', x } }))
}

const noKey =
  'The key that you gave is none: a key is an id of 43 characters, a JWK of Ed25519, or a list of such JWKs.'

/** Parses `[NAME=]KEY`, as the command `bft-scan-proxy verify` does. */
function givenPin(text) {
  const [, name, key = text] = /^([^={}"]+)=(.+)$/s.exec(text) ?? []
  if (/^[\w-]{43}$/.test(key)) return { name: name ?? key.slice(0, 8), key }
  try {
    return { name: name ?? 'of the key that you gave', key: JSON.parse(key) }
  } catch {
    throw new Unusable(noKey)
  }
}

function presentTime() {
  const ahead = root.dataset.network === 'localnet' ? Number(root.dataset.ahead ?? 0) : 0
  return new Date(Date.now() + ahead)
}

function questionAbout(asked, request, tools) {
  try {
    return tools.questionAbout(asked, request)
  } catch (error) {
    throw new Unusable(error.message)
  }
}

async function outcomeOf(file) {
  const text = await textOf(file)
  const tools = await load()
  const receipt = receiptIn(text, tools)
  const asked = fields.asked.value.trim()
  const key = fields.key.value.trim()
  const pins = key === '' ? ownPins() : [givenPin(key)]
  if (pins.length === 0) throw new Unusable('This daemon lists no key: give the key that you trust.')
  const options = {
    skewSeconds,
    pins,
    question: asked === '' ? receipt.request : questionAbout(asked, receipt.request, tools),
  }
  const now = presentTime()
  try {
    const verdict = await tools.verifyReceipt(receipt, { ...options, now })
    return { verdict, asked, now, isOwnKey: key === '' }
  } catch (error) {
    if (error instanceof tools.BadPin) throw new Unusable(noKey)
    throw error
  }
}

function element(name, given, ...children) {
  const made = Object.assign(document.createElement(name), given)
  made.append(...children)
  return made
}

function visible(text) {
  const short = text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}… (cut off)` : text
  return short.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}

function foreign(text) {
  return element('bdi', {}, visible(text))
}

function time(date) {
  return element(
    'time',
    { dateTime: date.toISOString() },
    `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  )
}

function heading(sign, look, word, says) {
  const token = element('i', { className: `token ${look}`, ariaHidden: 'true' }, sign)
  return element(
    'p',
    { className: 'receipt-says' },
    token,
    element('span', {}, element('strong', {}, `${word} `), foreign(says)),
  )
}

function copyable(text) {
  const shown = element('span', { className: 'id' }, foreign(text))
  Object.assign(shown.dataset, { copy: text, what: 'the key' })
  return shown
}

function row(term, ...said) {
  return element('div', {}, element('dt', {}, term), element('dd', {}, ...said))
}

function note(...said) {
  return element('p', { className: 'sentence' }, ...said)
}

function answerIn(body) {
  const text = JSON.stringify(body, null, 2)
  const lines = text.slice(0, mostShown).toWellFormed().split('\n').map(visible)
  if (text.length > mostShown) lines.push('… (cut off)')
  return element('pre', { tabIndex: 0 }, lines.join('\n'))
}

function detailsOf({ statements: [first], question }, { isOwnKey, asked, now }) {
  const { terms, status, created, expires, keyid } = first
  const when = terms.asOf === undefined ? [] : [', true as of ', time(new Date(terms.asOf * 1000))]
  const isLater = created.getTime() !== terms.at * 1000
  const signed = isLater ? ['; signed ', time(created)] : []
  return element(
    'dl',
    { className: 'entry' },
    row(
      'Question',
      element('span', { className: 'id' }, foreign(`${question.method} ${question.path}`)),
      asked !== '' ? '' : ' – the receipt says so: is it what you asked?',
    ),
    row('Answer', status === 200 ? '' : `There is none (${status}).`, answerIn(first.body)),
    row('Agreed', foreign(terms.agreed.join(', '))),
    row('Threshold', `${terms.threshold} of ${terms.voters} super validators had to say the same`),
    row(
      'When',
      time(new Date(terms.at * 1000)),
      ...when,
      ...signed,
      `, ${expires < now ? 'was ' : ''}valid until `,
      time(expires),
    ),
    row('Key', isOwnKey ? "This daemon's key: " : 'The key that you gave: ', copyable(keyid)),
  )
}

const proves =
  'It proves that whoever holds this key made this statement. It does not prove that a super validator said so, that the ledger says so, or that nothing newer exists.'
const fromPage = ' Only this page told you that this is the key of this daemon: ask its owner.'

const ago = new Intl.RelativeTimeFormat('en')

function timeSince(ms) {
  const seconds = Math.max(1, Math.round(ms / 1000))
  return seconds < 60 ? ago.format(-seconds, 'second') : ago.format(-Math.round(seconds / 60), 'minute')
}

/** How much an expired receipt is worth. */
const ages = 'It proves less the older it is: whoever stole the key since can write any time into it.'

function headlineOf({ verdict: { kind, statements }, now }) {
  if (kind === 'provedThen') return ['✓', 'stance-silent', 'Proved for that time, and no longer current:']
  const [{ expires }] = statements
  if (expires >= now) return ['✓', 'stance-agreed', 'Verified:']
  return ['✓', 'stance-silent', `Proved. It stopped being current ${timeSince(now - expires)}:`]
}

function shown(outcome) {
  const { verdict, asked, isOwnKey } = outcome
  if (verdict.kind !== 'refused')
    return [
      heading(...headlineOf(outcome), verdict.says),
      note(proves, isOwnKey ? fromPage : ''),
      ...(verdict.kind === 'provedThen' ? [note(ages)] : []),
      detailsOf(verdict, outcome),
    ]
  const refused = heading('✕', 'stance-dissented', 'Refused:', verdict.says)
  const hint =
    verdict.reason === 'unknownKey' && isOwnKey
      ? ' If you have this key from the owner of a daemon, give it above.'
      : ''
  if (verdict.reason === 'otherQuestion')
    return [refused, note('It proves nothing about ', foreign(asked), '.')]
  return [refused, note(`This receipt proves nothing.${hint}`)]
}

function problem(error) {
  const says =
    error instanceof Unusable
      ? error.message
      : 'The receipt cannot be checked: the verifier cannot be loaded from the daemon, or this browser is too old for it.'
  return [heading('✕', 'stance-dissented', 'Not checked:', says)]
}

/**
 * Screen readers read out the sentences at once, and the details only when the visitor goes there.
 */
function show(content) {
  const isDetail = ({ tagName }) => tagName === 'DL'
  place.says.replaceChildren(...content.filter((part) => !isDetail(part)))
  place.details.replaceChildren(...content.filter(isDetail))
  place.details.dispatchEvent(new Event('shown', { bubbles: true }))
}

let latest = 0
let kept

/**
 * @param file the receipt to check. Without it, checks the latest file again, after the visitor has
 * changed a field and paused.
 */
async function check(file) {
  kept = file ?? kept
  if (kept === undefined) return
  const turn = ++latest
  show([note('Checking…')])
  if (file === undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  if (turn !== latest) return
  const name = element('p', { className: 'minor' }, foreign(kept.name))
  const outcome = await outcomeOf(kept).catch((error) => ({ error }))
  if (turn !== latest) return
  const content = 'error' in outcome ? problem(outcome.error) : shown(outcome)
  show([name, ...content])
  if (file !== undefined) place.says.scrollIntoView({ block: 'nearest' })
}

function isFile({ dataTransfer }) {
  return dataTransfer?.types.includes('Files') === true
}

zone.hidden = false
const chosen = document.getElementById('receipt-file')
chosen.addEventListener('change', () => chosen.files.length > 0 && check(chosen.files[0]))
for (const field of Object.values(fields)) field.addEventListener('input', () => check())
addEventListener('dragover', (event) => {
  if (!isFile(event)) return
  event.preventDefault()
  zone.dataset.over = ''
})
addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) delete zone.dataset.over
})
addEventListener('drop', (event) => {
  if (!isFile(event)) return
  event.preventDefault()
  delete zone.dataset.over
  void check(event.dataTransfer.files[0])
})
