import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { showBytes } from '../src/base/config/show.ts'
import type { Read } from '../src/core/reads/read.ts'
import { schemaOf } from '../src/core/reads/schema.ts'
import { reads } from '../src/core/reads/table.ts'
import { mounts } from '../src/server/http/routes/mounts.ts'
import { nodeSpecificRoutes } from '../src/server/http/routes/node-specific.ts'

export function readsPage(): string {
  return `<!-- Written by .ci/generate-reads.ts from src/core/reads/table.ts. -->

# Reads

The daemon answers these reads with what a quorum of super validators agrees on. \`/openapi.json\`, and \`/docs\` of a running
daemon, describe parameters, bodies and answers. [votes.md](build/votes.md) says which fields of each are voted on.

- Every GET also answers HEAD.
- Paths that begin with \`/v0/scan-proxy\` are also below \`/api/validator\`, those that begin with \`/registry\` also below
  \`/v0/scan-proxy\`.
- ${alsoAtTheRoot()} are also at the root, without
  \`/api/scan\`.
- As in Splice, the daemon ignores query parameters that a read does not take, and takes the first value of a repeated one.
  Library, client and command line reject both.
- *Cached* says how long an answer is served as it is, how long while a new one is agreed on, and how long an absence is served
  (\`fresh\`, \`stale\` and \`absent\` of \`cache.times.<read>\`). An answer never outlives the times inside it.

| read | path | gives | cached |
| --- | --- | --- | --- |
${Object.values(reads).map(tableRow).join('\n')}

${notServed()}`
}

/** The page about votes, for people who check them. */
export function votesPage(): string {
  const notes = new Footnotes(Object.values(reads).flatMap(sentencesOf))
  const alike = Map.groupBy(Object.values(reads), (read) => chapter(read, notes))
  return `<!-- Written by .ci/generate-reads.ts from src/core/reads/table.ts. -->

# What is voted on

[quorum.md](../quorum.md) says how votes are counted, [reads.md](../reads.md) what each read gives. The daemon asks a scan at the
path of the read below \`/api/scan\` or \`/registry\`, unless \`of scans\` names another.

| line | says |
| --- | --- |
| voted on | the fields that a reply must have, and all that is compared and served. Other fields split no vote, and reach a caller only if a whole threshold sent them byte for byte alike. A field with \`?\` is optional, and null where it is left out. \`{...}\` stands for all content, \`{contract}\` for ${contractFields.map((field) => `\`${field}\``).join(', ')} |
| votes agree | on what votes have to agree; without this line, on the whole reply |
| absence | the texts of a 404 that mean absence, and so are votes, as 400, 409, 410 and 422 are. Any other 404 abstains |
| asked first | which scans come first once replies have differed, by what scans say of themselves. For ten minutes the others come last |
| at most | the limit of a scan's body; without this line, 64KiB |

${[...alike].map(([lines, same]) => `## ${same.map(({ id }) => `\`${id}\``).join(', ')}\n\n${lines}`).join('\n')}
${notes.text()}`
}

function tableRow(read: Read): string {
  const paths = mounts
    .filter((mount) => mount.read === read && !isAlias(mount.template, read))
    .map(({ method, template }) => `\`${method} ${template}\``)
  return `| \`${read.id}\` | ${paths.join(', ')} | ${read.summary} | ${cachedFor(read)} |`
}

/** Returns true for paths about which the page has a sentence. */
function isAlias(template: string, read: Read): boolean {
  if (template.startsWith('/api/validator/') || template.startsWith('/v0/scan-proxy/registry/')) return true
  return read.alsoWithoutPrefix === true && template === read.scanPath
}

function alsoAtTheRoot(): string {
  const atRoot = Object.values(reads).filter((read) => read.alsoWithoutPrefix)
  const paths = atRoot.map(({ scanPath }) => `\`${scanPath}\``)
  return `${paths.slice(0, -1).join(', ')} and ${paths.at(-1)}`
}

/** Gives each sentence that several reads have a footnote. */
class Footnotes {
  readonly #numbers = new Map<string, number>()

  constructor(sentences: readonly string[]) {
    const counts = Map.groupBy(sentences, (sentence) => sentence)
    for (const [sentence, { length }] of counts)
      if (length > 1 && sentence.split(' ').length > 6) this.#numbers.set(sentence, this.#numbers.size + 1)
  }

  shorten(sentences: readonly string[]): string {
    return sentences
      .map((sentence) => {
        const number = this.#numbers.get(sentence)
        return number === undefined ? sentence : `[^${number}]`
      })
      .join('; ')
  }

  text(): string {
    return [...this.#numbers].map(([sentence, number]) => `[^${number}]: ${sentence}.\n`).join('')
  }
}

function sentencesOf(read: Read): readonly string[] {
  return [
    fieldsIn(read.reply),
    ...beforeTheVote(read),
    ...askedFirst(read),
    ...agreement(read),
    ...absence(read),
  ]
}

function notServed(): string {
  const rows = nodeSpecificRoutes.map(
    ({ id, method, scanPath, why, instead }) =>
      `| \`${id}\` | \`${method} /api/scan${scanPath}\` | ${why} | ${instead} |`,
  )
  return `## Not served

These operations of the Scan API answer 501, because what they tell is about one scan. \`readyz\`, \`livez\`, \`status\` and
\`version\` answer about this daemon.

| operation | path | why | what to use instead |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function chapter(read: Read, notes: Footnotes): string {
  const lines = Object.entries({
    'of scans': askedOfScans(read),
    'voted on': notes.shorten([fieldsIn(read.reply)]),
    'before the vote': notes.shorten(beforeTheVote(read)),
    'votes agree': notes.shorten(agreement(read)),
    'asked first': notes.shorten(askedFirst(read)),
    'one is enough':
      read.proves === undefined ? '' : 'whose reply has the hash that the request names, computed anew',
    'cannot say': read.abstains === undefined ? '' : '`Undetermined` and `CannotProvide` abstain',
    'too many cannot say':
      read.undecided === undefined
        ? ''
        : `200 \`${JSON.stringify(read.undecided)}\`, of which nobody is said to agree`,
    absence: notes.shorten(absence(read)),
    'cached contract': cachedContract(read),
    'at most': longestReply(read),
  }).flatMap(([name, value]) => (value === '' ? [] : [`- **${name}**: ${value}`]))
  return `${lines.join('\n')}
`
}

function askedOfScans(read: Read): string {
  const { method, base = '/api/scan', scanPath, forms, upstreamBody } = read
  const paths = (forms?.paths ?? [scanPath]).map((path) => `\`${method} ${base}${path}\``)
  if (upstreamBody !== undefined) return `${paths.join(', ')} with \`${upstreamBody}\``
  return paths.length > 1 ? `${paths.join(', or ')} where a scan does not know the newer one` : ''
}

function beforeTheVote({ normalises }: Read): readonly string[] {
  return normalises === undefined ? [] : normalises.split('; ')
}

function askedFirst({ holders }: Read): readonly string[] {
  return holders === undefined ? [] : [`those that ${holders.sentence}`]
}

function agreement({ agree }: Read): readonly string[] {
  switch (agree.on) {
    case 'whole':
      return []
    case 'ranked': {
      const all =
        'on the whole reply, and where replies differ everyone is asked, and the first value that reaches the threshold is served'
      const one = agree.isPick === undefined ? [] : ['one right contradicts no other']
      return [all, `the order is ${agree.rankInWords}`, ...one]
    }
    case 'reached':
      return ['everyone is asked, and the latest time is served that a threshold has reached']
    case 'items':
      return ['on the whole list, whatever its order, else item by item (`complete=?0`)']
    case 'history':
      return ['on the whole page, else on the longest beginning that a threshold carries (`complete=?0`)']
  }
}

function absence({ absent, proxy }: Read): readonly string[] {
  const said = absent.map((text) => (text === '' ? 'an empty body' : `\`${text}\``)).join(', ')
  if (said === '') return []
  return proxy?.absent === undefined ? [said] : [said, `the proxy's paths say \`${proxy.absent}\``]
}

function cachedFor({ cache }: Read): string {
  const times = [cache.fresh, cache.stale, cache.absent]
  if (times.every((time) => time === '0s')) return 'no'
  return times.join(', ')
}

function longestReply({ maxBytes, maxElements }: Read): string {
  const size = showBytes(maxBytes)
  if (maxElements !== undefined) return `${size}, and fewer elements the smaller the page is`
  return size === '64KiB' ? '' : size
}

function cachedContract({ cachedContract: protocol, cachedContracts }: Read): string {
  if (cachedContracts !== undefined) {
    const fields = cachedContracts.fields.map((field) => `\`${field}\``).join(' and ')
    return `under \`/api/scan\`, null for each id that a caller sends in ${fields}`
  }
  if (protocol === undefined) return ''
  return `under \`/api/scan\` and at the root, null where a caller sends the current id as \`${protocol.fields[0]}\``
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly type?: string
}

const contractFields = ['template_id', 'contract_id', 'payload', 'created_event_blob', 'created_at']

function fieldsIn(shape: Parameters<typeof schemaOf>[0]): string {
  const schema = z.toJSONSchema(schemaOf(shape), { io: 'input', unrepresentable: 'any' }) as Schema
  const fields = fieldsOf(schema).filter((field) => field !== '')
  return fields.length === 0 ? 'the whole body' : fields.map((field) => `\`${field}\``).join(' ')
}

/** Returns the paths of a schema's fields, such as `entry.name`, `entries[].name` and `contract.payload{...}`. */
function fieldsOf(schema: Schema, path = ''): readonly string[] {
  if (schema.items !== undefined) return fieldsOf(schema.items, `${path}[]`)
  if (schema.properties === undefined) return [isAnything(schema) ? `${path}{...}` : path]
  const { properties, required = [] } = schema
  if (path !== '' && Object.keys(properties).join() === contractFields.join()) return [`${path}{contract}`]
  return Object.entries(properties).flatMap(([name, inner]) => {
    const field = path === '' ? name : `${path}.${name}`
    return fieldsOf(inner, required.includes(name) ? field : `${field}?`)
  })
}

function isAnything({ type, anyOf }: Schema): boolean {
  return type === undefined && anyOf === undefined
}

if (import.meta.main) {
  for (const [path, text] of Object.entries({ 'reads.md': readsPage(), 'build/votes.md': votesPage() }))
    writeFileSync(fileURLToPath(new URL(`../docs/${path}`, import.meta.url)), text)
}
