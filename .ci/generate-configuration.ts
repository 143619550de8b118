import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { type ConfigFlag, configFlags } from '../src/base/config/flags.ts'
import { anyRead } from '../src/base/config/option.ts'
import { type ConfigRow, rows } from '../src/base/config/rows.ts'

const note = 'Written by .ci/generate-configuration.ts from src/base/config/options.ts'

export function configurationFiles(): Readonly<Record<string, string>> {
  return {
    'config/default.yaml': defaults(),
    'config/custom-environment-variables.yaml': variables(),
    'docs/configuration.md': page(),
  }
}

function defaults(): string {
  const opened = new Set<string>()
  const lines = rows
    .slice(1)
    .flatMap((row) => (row.path.includes(anyRead) ? commentedExample(row, opened) : place(row)))
  return `# ${note}: change the defaults there.\n# Your own values belong into local.yaml.\n${lines.join('\n')}\n`
}

function place(row: ConfigRow): string[] {
  if (row.at === 'reads') return []
  const margin = '  '.repeat(row.path.length - 1)
  const key = row.path.at(-1)
  if (row.at === 'section') return [`${margin}# ${row.says}`, `${margin}${key}:`]
  if (row.default === undefined) return [`${margin}# ${row.says} Unset: ${row.unset}.`, `${margin}# ${key}:`]
  return [`${margin}# ${row.says}`, `${margin}${key}: ${inline(row.default)}`]
}

function commentedExample(row: ConfigRow, opened: Set<string>): string[] {
  if (row.at !== 'option') return []
  const path = row.path.map((part) => (part === anyRead ? 'lookupAnsEntryByName' : part))
  const first = row.path.indexOf(anyRead) - 1
  const margin = '  '.repeat(first)
  const lines: string[] = []
  for (let depth = first; depth < path.length; depth++) {
    const comment = `${margin}# ${'  '.repeat(depth - first)}`
    const key = path.slice(0, depth + 1).join('.')
    if (depth === path.length - 1) lines.push(`${comment}# ${row.says} Unset: ${row.unset}.`)
    if (!opened.has(key)) lines.push(`${comment}${path[depth]}:`)
    opened.add(key)
  }
  return lines
}

function variables(): string {
  const lines = [`# ${note}.`, '# Which environment variable sets which key; an empty one counts as not set.']
  const opened = new Set<string>()
  for (const row of rows) {
    if (row.at !== 'option' || row.env === undefined) continue
    row.path.slice(0, -1).forEach((part, depth) => {
      const section = row.path.slice(0, depth + 1).join('.')
      if (!opened.has(section)) lines.push(`${'  '.repeat(depth)}${part}:`)
      opened.add(section)
    })
    const margin = '  '.repeat(row.path.length - 1)
    const value = row.format === undefined ? row.env : `{ __name: ${row.env}, __format: ${row.format} }`
    lines.push(`${margin}# ${row.says}`, `${margin}${row.path.at(-1)}: ${value}`)
  }
  return `${lines.join('\n')}\n`
}

function page(): string {
  return `<!-- ${note}. -->

# Configuration

\`bft-scan-proxy check-config\` validates the configuration and prints the result, or everything that is wrong with it.

Values come from these places, later ones over earlier ones. Maps are merged key by key, lists are replaced.

1. The package's own \`config/\`: \`default.yaml\`, then the files of \`NODE_ENV\`, of the \`network\` and of \`NODE_CONFIG_ENV\` (names
   with commas), then \`local.yaml\`.
2. The same files in \`./config\` or in \`NODE_CONFIG_DIR\`.
3. The file of the flag \`--config FILE\`.
4. The environment variables below: \`scanClient.rosterFile\` is \`SCAN_ROSTER_FILE\`. Options of single reads have none. Lists have
   commas, maps are JSON. An empty variable counts as not set.
5. \`NODE_CONFIG\`, a JSON object that can set every key: \`NODE_CONFIG='{"http":{"port":9000}}'\`.
6. Flags of the [command line](command-line.md): ${flags()}.

\`NETWORK=mainnet\`, \`NODE_CONFIG_ENV=mainnet\` and \`--network mainnet\` do the same.

Files are YAML or JSON, of at most 64 KiB. A key that is null counts as not set. An unknown key is a problem, and so is a variable
whose name is a typo of one below (\`SCAN_TRESHOLD: unknown variable; did you mean SCAN_THRESHOLD?\`). Variables that only begin
like those below (\`REDIS_URI\`), or that Kubernetes sets for a service (\`HTTP_PORT=tcp://10.0.0.1:80\`), give a warning.

## Options

A running daemon reads its configuration again at SIGHUP ([operating.md](operating.md#reloading)). Options marked with \`*\` then
apply at once, and the others after a restart. \`<read>\` is the name of a read in [reads.md](reads.md). Durations have their unit:
\`250ms\`, \`5s\`, \`10m\`, \`7d\`. Sizes have theirs, \`64KiB\` or \`32MiB\`, or are numbers of bytes.

| key, variable | default (values) | meaning |
| --- | --- | --- |
${rows.flatMap(tableRow).join('\n')}

## Problems and warnings

The daemon prints all problems at once on standard error, also those between options, and ends with exit code 78.
\`check-config\` and the log warn of what is allowed and weakens an answer, such as trust in one scan, too few voters, or a Redis
without a secret.
`
}

function tableRow(row: ConfigRow): string[] {
  if (row.at !== 'option') return []
  const without = row.unset ?? `\`${inline(row.default)}\``
  const env = row.env ? ` \`${row.env}\`` : ''
  const key = `\`${row.path.join('.')}\`${row.reloads ? '*' : ''}${env}`
  const values = inShort(row.mustBe)
  const cells = [key, values === '' ? without : `${without} (${values})`, row.says]
  return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`]
}

/** Shortens what a value must be. The page explains units once, above the table. */
function inShort(mustBe: string): string {
  return mustBe
    .replace(/(?: with its unit)?,? such as [^;]*$/, '')
    .replace(/^(?:one of|a (?:duration|whole number) from(?= \d)) /, '')
    .replace(/^a list, each item (?:an? |the )?/, 'a list: ')
    .replace(/^(?:text|true or false|a size above 0)$|: text$/, '')
}

function flags(): string {
  const named = Object.entries<ConfigFlag>(configFlags).flatMap(([name, { path, value }]) =>
    path === undefined ? [] : `\`--${name} ${value}\` (\`${path.join('.')}\`)`,
  )
  return named.join(', ')
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false }).trim()
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(configurationFiles()))
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text)
}
