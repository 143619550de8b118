/**
 * Loads the client where there is nothing of Node: a vm context that has what browsers have as globals, and a linker that
 * refuses `node:` modules. Prints what the client answers to one lookup at the daemon that is given as an argument.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createContext, SourceTextModule } from 'node:vm'

const { fetch, URL, TextDecoder, TextEncoder, AbortController, AbortSignal, performance } = globalThis
const browser = createContext(
  { fetch, URL, TextDecoder, TextEncoder, AbortController, AbortSignal, performance },
  // zod looks whether it may make functions from texts, and does without where a page forbids it.
  { codeGeneration: { strings: false, wasm: false } },
)
const modules = new Map<string, SourceTextModule>()

function load(url: string): SourceTextModule {
  const known = modules.get(url)
  if (known !== undefined) return known
  if (!url.startsWith('file:')) throw new Error(`a browser has no ${url}`)
  const text = readFileSync(fileURLToPath(url), 'utf8')
  const code = url.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  const loaded = new SourceTextModule(code, { context: browser, identifier: url })
  modules.set(url, loaded)
  return loaded
}

const client = load(import.meta.resolve('../../../src/client/client.ts'))
await client.link((specifier, { identifier }) => {
  const isRelative = specifier.startsWith('.')
  return load(isRelative ? new URL(specifier, identifier).href : import.meta.resolve(specifier))
})
await client.evaluate()
const { createClient } = client.namespace as typeof import('../../../src/client/client.ts')
const answer = await createClient({ url: process.argv[2] ?? '' }).lookupAnsEntryByName({ name: 'dso.cns' })
process.stdout.write(JSON.stringify({ answer, modules: modules.size }))
