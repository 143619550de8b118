/**
 * Holds every body that a healthy localnet serves against the published OpenAPI files:
 *
 *     node .ci/check-localnet.ts <folder with apps/scan/src/main/openapi/scan.yaml>
 *
 * Prints each difference and exits with 1 if there is one. Splice prints an absent optional field as null, so null
 * passes where the files let a field be absent.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startLocalnet } from '../src/localnet/localnet.ts'
import { type Read, reads } from '../src/localnet/reads.ts'
import { at, differences, load, type Node } from './published.ts'

interface Asked {
  readonly path: string
  readonly body?: string
}

interface Sample {
  readonly read: Read['id']
  readonly asked: readonly Asked[]
}

async function main(folder: string): Promise<readonly string[]> {
  const file = resolve(folder, 'apps/scan/src/main/openapi/scan.yaml')
  if (!existsSync(file)) return [`${file} is not there`]
  await using localnet = await startLocalnet({ superValidators: 4 })
  const [{ url, party } = { url: '', party: '' }] = localnet.superValidators
  const { ansRules, amuletRules } = localnet.world
  const alice = localnet.truth.entryByName('alice.unverified.cns')?.user ?? ''

  const cached = (key: string, id: string) => JSON.stringify({ [key]: id })
  const samples: readonly Sample[] = [
    { read: 'ans-entries', asked: [{ path: '?page_size=1000' }, { path: '?page_size=5&name_prefix=sv' }] },
    { read: 'by-name', asked: ['alice.unverified.cns', 'dso.cns', 'sv-1.sv.cns', 'nobody'].map(segment) },
    { read: 'by-party', asked: [alice, party, `nobody::1220${'0'.repeat(64)}`].map(segment) },
    {
      read: 'ans-rules',
      asked: ['{}', cached('cached_ans_rules_contract_id', ansRules.contract.contract_id)].map(posted),
    },
    {
      read: 'amulet-rules',
      asked: ['{}', cached('cached_amulet_rules_contract_id', amuletRules.contract.contract_id)].map(posted),
    },
    ...(
      [
        'dso-party-id',
        'dso',
        'scans',
        'splice-instance-names',
        'version',
        'status',
        'livez',
        'readyz',
      ] as const
    ).map((read): Sample => ({ read, asked: [{ path: '' }] })),
  ]

  const spec: Node = { file, value: load(file) }
  const unsampled = reads.filter(({ id }) => !samples.some(({ read }) => read === id))
  const found = unsampled.map(({ id }) => `${id}: this check asks nothing of it`)
  for (const { read: id, asked } of samples) {
    for (const one of asked) found.push(...(await check(spec, url, id, one)))
  }
  return found
}

function segment(text: string): Asked {
  return { path: encodeURIComponent(text) }
}

function posted(body: string): Asked {
  return { path: '', body }
}

async function check(spec: Node, url: string, id: Read['id'], { path, body }: Asked): Promise<string[]> {
  const read = reads.find((row) => row.id === id)
  if (read === undefined) return [`${id} is no read`]
  const target = path.startsWith('?') ? `${read.path}${path}` : read.path.replace('{}', path)
  const operation = at(spec, 'paths', publishedPath(spec, read), read.method.toLowerCase())
  if (operation === undefined) return [`${id}: the API has no ${read.method} ${read.path}`]
  const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  const response = await fetch(`${url}${target}`, { method: read.method, ...init })
  const declared = at(operation, 'responses', String(response.status))
  const where = `${read.method} ${target} ${response.status}`
  if (declared === undefined) return [`${where}: the API does not declare the status`]
  const text = await response.text()
  const schema = at(declared, 'content', 'application/json', 'schema')
  if (schema === undefined) return text === '' ? [] : [`${where}: the API declares no body`]
  try {
    return differences(JSON.parse(text), schema, where)
  } catch (error) {
    return [`${where}: ${String(error)}`]
  }
}

/** The path as the file has it, with a parameter's name where ours has `{}`. */
function publishedPath(spec: Node, read: Read): string {
  const path = read.path.replace('/api/scan', '')
  const paths = Object.keys(at(spec, 'paths')?.value ?? {})
  return paths.find((published) => published.replaceAll(/\{[^}]*\}/g, '{}') === path) ?? path
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write(
    `usage: node ${join('.ci', 'check-localnet.ts')} <folder of the published API files>\n`,
  )
  process.exit(2)
}
const found = await main(folder)
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'every body of the localnet is as published\n'
    : `${found.length} differences from the published API\n`,
)
process.exitCode = found.length === 0 ? 0 : 1
