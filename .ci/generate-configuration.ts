import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { type ConfigFlag, configFlags } from '../src/config/flags.ts'
import { anyRead, type ConfigRow, rows } from '../src/config/rows.ts'
import type { Rule } from '../src/config/rule.ts'
import { problemRules, warningRules } from '../src/config/rules.ts'
import { readIds } from '../src/reads/endpoints.ts'

const note = 'Written by .ci/generate-configuration.ts from src/config/options.ts'

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

\`npx bft-scan-proxy check-config\` says what the configuration comes to, or everything that is wrong with it.

Values come from these places, later ones over earlier ones; maps are merged key by key, lists are replaced:

1. the package's own \`config/\`: \`default.yaml\`, then the files of \`NODE_ENV\` (such as \`production.yaml\`), of the
   \`network\` (\`mainnet\`, \`testnet\` or \`devnet\`) and of \`NODE_CONFIG_ENV\` (which may name a network too; several names
   with commas), then \`local.yaml\`
2. the same files in \`./config\`, where that is another folder, or in \`NODE_CONFIG_DIR\`
3. the file of the flag \`--config FILE\`
4. the environment variables below; an empty one counts as not set
5. \`NODE_CONFIG\`, a JSON object that can set every key: \`NODE_CONFIG='{"http":{"port":9000}}'\`
6. flags of the [command line](command-line.md): ${flags()}

\`NETWORK=mainnet\`, \`NODE_CONFIG_ENV=mainnet\` and \`--network mainnet\` do the same. The flag replaces a network
that files and variables name. Without the flag it is a problem if \`NETWORK\`, \`NODE_CONFIG\` or \`NODE_CONFIG_ENV\` names one of
the public networks and a file or another of these variables names another one.

Files are YAML or JSON, of 64 KiB at most. A key that is null counts as not set, which also undoes what an earlier file says. A key that
does not exist is refused, with the nearest one that does. So is a variable whose name is a typo of one below
(\`SCAN_TRESHOLD: unknown variable; did you mean SCAN_THRESHOLD?\`, exit code 78): one wrong letter, two in long names, or another
case. Unset it if it is another program's. Variables that only begin like those below, \`LOGLEVEL\`, \`REDIS_URI\`, and folders in
\`NODE_CONFIG_DIR\` that do not exist, give a warning at the start; what Kubernetes sets for services (\`SCAN_PORT_8080_TCP\`) gives
none; where it has the name of a variable below, \`HTTP_PORT=tcp://10.0.0.1:80\`, it is ignored with a warning. \`<read>\` stands for one of ${readIds.join(', ')}.

## Options

A running daemon reads its configuration again at SIGHUP ([operating.md](operating.md#reloading)). It takes new values of the
options marked with *yes*, and names others that changed: they apply after a restart.

| key | environment | default | value | reloads | meaning |
| --- | --- | --- | --- | --- | --- |
${rows.flatMap(tableRow).join('\n')}

## What stops the daemon

All problems of options are told at once on standard error, with exit code 78; files, folders and keys are tried as soon as
there are none. Beside the values themselves these are checked:

${rules(problemRules)}

## What is allowed, and said loudly

\`check-config\` and the log name each of these:

${rules(warningRules)}
`
}

function tableRow(row: ConfigRow): string[] {
  if (row.at !== 'option') return []
  const without = row.unset ?? `\`${inline(row.default)}\``
  const key = `\`${row.path.join('.')}\``
  const env = row.env ? `\`${row.env}\`` : ''
  const cells = [key, env, without, row.mustBe, row.reloads ? 'yes' : '', row.says]
  return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`]
}

function flags(): string {
  const named = Object.entries<ConfigFlag>(configFlags).flatMap(([name, { path, value }]) =>
    path === undefined ? [] : `\`--${name} ${value}\` (\`${path.join('.')}\`)`,
  )
  return named.join(', ')
}

function rules(table: readonly Rule[]): string {
  return table.map(({ name }) => `- ${name}`).join('\n')
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false }).trim()
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(configurationFiles()))
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text)
}
