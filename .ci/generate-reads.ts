import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { mounts } from '../src/http/routes/mounts.ts'
import { nodeSpecific } from '../src/reads/node-specific.ts'
import { descriptionOf } from '../src/reads/param-descriptions.ts'
import type { Read } from '../src/reads/read.ts'
import { schemaOf } from '../src/reads/schema.ts'
import { reads } from '../src/reads/table.ts'

export function readsPage(): string {
  return `<!-- Written by .ci/generate-reads.ts from src/reads/table.ts. -->

# Reads

Everything that this daemon asks the super validators' scans for. How votes are counted is in [quorum.md](quorum.md); the API as a
whole is at \`/openapi.json\`. Every GET also answers HEAD.

As in Splice, a query parameter that a read does not take is ignored, and of one that is repeated the first value counts, but
for parameters that take several values. The library, the client and the command line refuse what a read does not take.

\`openapi-typescript\` 7 makes types of \`/openapi.json\` with TypeScript 5, such as 5.9, and fails with TypeScript 7:
install it in a folder of its own.

*Voted on* are the fields that a reply must have, and all that is compared and served: what a scan sends beside them splits
no vote and reaches no caller, unless a whole threshold sent it byte for byte alike. Optional fields are marked \`?\`; left
out, they are an explicit null. \`{...}\` after a field stands for all of its content. A scan's definite refusal (400, 409,
410, 422, or 404 with a text that means absence) is a vote on its status and text; any other 404 means that it cannot say.

*Asked first*: scans load the history bit by bit, and one that does not have what is asked cannot say. Where replies to such
a read differ, the scans are asked what they have; for ten minutes those that say they do not have it are asked after all
others. It is their own word, and changes nothing but the order: they stay in n, and what they answer is counted.

*Fresh* is how long an answer is served as it is; until *stale* it is served while a new one is agreed on; *absent* is how
long an agreed refusal is served. \`cache.times.<read>\` changes the three. An answer never outlives the times inside it.

${Object.values(reads).map(chapter).join('\n')}
${notServed()}`
}

function notServed(): string {
  const rows = nodeSpecific.map(
    ({ id, method, scanPath, why, instead }) =>
      `| \`${id}\` | \`${method} /api/scan${scanPath}\` | ${why} | ${instead} |`,
  )
  return `## Not served

Operations of the Scan API that answer 501, because what they tell is about one scan. \`readyz\`, \`livez\`, \`status\` and
\`version\` answer about this daemon.

| operation | path | why | what to use instead |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function chapter(read: Read): string {
  const { cache, maxBytes } = read
  return `## \`${read.id}\`

${read.summary}

| | |
| --- | --- |
${Object.entries({
  paths: mounts
    .filter((mount) => mount.read === read)
    .map(({ method, template }) => `\`${method} ${template}\``)
    .join('<br>'),
  parameters: read.params.map(parameter).join('<br>'),
  body: bodyOf(read),
  'asked of scans': askedOfScans(read),
  'voted on': fieldsOf(
    z.toJSONSchema(schemaOf(read.reply), { io: 'input', unrepresentable: 'any' }) as Schema,
  )
    .map((field) => `\`${field}\``)
    .join(' '),
  'before the vote': read.normalises ?? '',
  'votes agree': agreement(read),
  'asked first': read.holders === undefined ? '' : `those that ${read.holders.sentence}`,
  'one is enough':
    read.proves === undefined
      ? ''
      : 'where the hash that the request names, made anew from the reply, is that',
  'cannot say': read.abstains === undefined ? '' : '`Undetermined` and `CannotProvide` abstain',
  'too many cannot say':
    read.undecided === undefined
      ? ''
      : `200 \`${JSON.stringify(read.undecided)}\`, of which nobody is said to agree`,
  absence: absence(read),
  'cached contract': cachedContract(read),
  cached: `fresh ${cache.fresh}, stale ${cache.stale}, absent ${cache.absent}${cache.ends === undefined ? '' : '; ends at the earliest `expires_at` inside'}`,
  'longest reply': `${maxBytes}${read.maxElements === undefined ? '' : ', and fewer elements the smaller the page is'}`,
})
  .filter(([, value]) => value !== '')
  .map(([name, value]) => `| ${name} | ${value} |`)
  .join('\n')}
`
}

function askedOfScans(read: Read): string {
  const { method, base = '/api/scan', scanPath, forms, upstreamBody } = read
  const paths = (forms?.paths ?? [scanPath]).map((path) => `\`${method} ${base}${path}\``)
  const newest = paths.join(', or of a scan that does not know that, ')
  return upstreamBody === undefined ? newest : `${newest} with \`${upstreamBody}\``
}

function parameter(param: Read['params'][number]): string {
  const { name, in: place, required } = param
  return `\`${name}\` (${place}${required ? '' : ', optional'}): ${descriptionOf(param)}`
}

function agreement({ agree }: Read): string {
  switch (agree.on) {
    case 'whole':
      return 'on the whole reply'
    case 'ranked':
      return `on the whole reply; where those heard differ everyone is asked, and of values that reach the threshold the first is served, ${agree.rankInWords}${agree.isPick === undefined ? '' : '; one right contradicts no other'}`
    case 'reached':
      return 'everyone is asked, and the latest time is served that a threshold has reached'
    case 'items':
      return 'on the whole list, whatever its order; else item by item (`complete=?0`)'
    case 'history':
      return 'on the whole page; else on the longest beginning that a threshold carries (`complete=?0`)'
  }
}

function absence({ absent, proxy }: Read): string {
  const said = absent.map((text) => (text === '' ? 'an empty body' : `\`${text}\``)).join(', ')
  if (said === '') return 'none: every 404 abstains'
  return proxy?.absent === undefined
    ? said
    : `${said}; on the proxy's paths it is told as \`${proxy.absent}\``
}

function bodyOf({ body }: Read): string {
  if (body === undefined) return ''
  const schema = z.toJSONSchema(schemaOf(body), { io: 'input', unrepresentable: 'any' }) as Schema
  return fieldsOf(schema)
    .map((field) => `\`${field}\``)
    .join(' ')
}

function cachedContract({ cachedContract: protocol, cachedContracts }: Read): string {
  if (cachedContracts !== undefined) {
    const fields = cachedContracts.fields.map((field) => `\`${field}\``).join(' and ')
    return `under \`/api/scan\` a caller that sends the ids it has as ${fields} gets those contracts as null`
  }
  if (protocol === undefined) return ''
  return `under \`/api/scan\` and at the root a caller that sends the current id as \`${protocol.field}\` gets the contract as null`
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly type?: string
}

/** Returns the paths of a schema's fields, such as `entry.name`, `entries[].name` and `contract.payload{...}`. */
function fieldsOf(schema: Schema, path = ''): readonly string[] {
  if (schema.items !== undefined) return fieldsOf(schema.items, `${path}[]`)
  if (schema.properties === undefined) return [isAnything(schema) ? `${path}{...}` : path]
  const { properties, required = [] } = schema
  return Object.entries(properties).flatMap(([name, inner]) => {
    const field = path === '' ? name : `${path}.${name}`
    return fieldsOf(inner, required.includes(name) ? field : `${field}?`)
  })
}

function isAnything({ type, anyOf }: Schema): boolean {
  return type === undefined && anyOf === undefined
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../docs/reads.md', import.meta.url)), readsPage())
}
