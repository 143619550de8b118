import type { OpenApiDocument, Operation } from './openapi.ts'

/** The topic of each tag of the description, in the order of the page. */
const chapters: Readonly<Record<string, string>> = {
  proxy: "The scan proxy: what Splice's validator proxies",
  scan: 'The Scan API, and the token registry',
  ledger: 'The name registry and the wallet',
  'ledger-api': 'The JSON Ledger API',
  daemon: 'About this daemon',
}

/** One operation, and all paths that serve it. */
interface Entry {
  readonly operation: Operation
  /** Example: `GET /v0/dso` */
  readonly paths: readonly string[]
}

/** Renders the API description as one self-contained page. */
export function docsPage(document: OpenApiDocument): string {
  const { title, version, description } = document.info
  const byTag = Object.keys(chapters).map((tag) => [tag, entriesOf(document, tag)] as const)
  const contents = byTag.map(
    ([tag, entries]) => `<li><a href="#${tag}">${escaped(chapters[tag] ?? tag)}</a> (${entries.length})</li>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)} ${escaped(version)}: API</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)} <small>${escaped(version)}</small></h1>
<p>${escaped(description)} Every answer that a quorum agreed on has the headers <code>x-bft-quorum</code> (how many agreed, of
how many) and <code>x-bft-agreed</code> (who). For programs, the same is at <a href="openapi.json">openapi.json</a>.</p>
<ul>
${contents.join('\n')}
</ul>
${byTag.map(([tag, entries]) => chapter(tag, entries)).join('\n')}
</body>
</html>
`
}

function entriesOf({ paths }: OpenApiDocument, tag: string): readonly Entry[] {
  const entries = new Map<string, { operation: Operation; paths: string[] }>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.tags.includes(tag)) continue
      const { summary, parameters, responses } = operation
      const same = JSON.stringify([
        method,
        summary,
        parameters,
        Object.values(responses).map(({ description }) => description),
      ])
      const entry = entries.get(same) ?? { operation, paths: [] }
      entry.paths.push(`${method.toUpperCase()} ${path}`)
      entries.set(same, entry)
    }
  }
  return [...entries.values()]
}

function chapter(tag: string, entries: readonly Entry[]): string {
  return `<h2 id="${tag}">${escaped(chapters[tag] ?? tag)}</h2>\n${entries.map(section).join('\n')}`
}

function section({ operation, paths }: Entry): string {
  const { summary, parameters = [], requestBody, responses } = operation
  const rows = parameters.map(
    ({ name, in: place, required, description = '' }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(place)}${required ? '' : ', optional'}</td><td>${escaped(description)}</td></tr>`,
  )
  if (requestBody !== undefined) rows.push('<tr><td>body</td><td></td><td>JSON; see openapi.json</td></tr>')
  const statuses = Object.entries(responses).map(
    ([status, { description }]) => `<tr><td>${escaped(status)}</td><td>${escaped(description)}</td></tr>`,
  )
  return `<details>
<summary>${paths.map((path) => `<code>${escaped(path)}</code>`).join('<br>')} <span>${escaped(summary)}</span></summary>
${rows.length === 0 ? '' : `<table>${rows.join('')}</table>`}
<table>${statuses.join('')}</table>
</details>`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
summary { cursor: pointer; padding: .3rem 0 }
summary span { display: block; margin-left: 1.1rem }
details { border-top: 1px solid #8884 }
table { border-collapse: collapse; margin: .5rem 0 .5rem 1.1rem }
td { border: 1px solid #8884; padding: .2rem .5rem; vertical-align: top }
`
