/**
 * Loads the client as an old browser does: without Node's modules, and without globals that are newer than Node 20. The
 * linker of the vm context rejects `node:` modules. Prints the outcomes of the client's cases at the addresses in the
 * argument.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext, SourceTextModule } from 'node:vm'
import type * as client from '../../../src/client/client.ts'

const { fetch, URL, TextDecoder, TextEncoder, AbortController, AbortSignal, performance } = globalThis
const { setTimeout, clearTimeout } = globalThis
const browser = createContext(
  {
    fetch,
    URL,
    TextDecoder,
    TextEncoder,
    AbortController,
    AbortSignal,
    performance,
    setTimeout,
    clearTimeout,
  },
  // Forbids code that is made from texts, as the content security policy of a page may.
  { codeGeneration: { strings: false, wasm: false } },
)
const given = new Set(Object.keys(browser))
const modules = new Map<string, SourceTextModule>()

/** The names of the members that each global and its prototype had in Node 20 (V8 11.3). `strip` deletes all others. */
const had: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../node-20-globals.json', import.meta.url), 'utf8'),
)
function strip(owner: object, names: string | undefined): number {
  const known = new Set(names?.split(' '))
  const newer = Object.getOwnPropertyNames(owner).filter((name) => !known.has(name))
  return newer.filter((name) => Reflect.deleteProperty(owner, name)).length
}
const globals: Record<string, unknown> = runInContext('globalThis', browser)
let stripped = 0
for (const name of Object.getOwnPropertyNames(globals)) {
  const value = globals[name]
  if (given.has(name) || value === null || !['object', 'function'].includes(typeof value)) continue
  if (name === 'globalThis') continue
  const { prototype } = value as { readonly prototype?: object }
  if (prototype !== undefined) stripped += strip(prototype, had[`${name}.prototype`])
  if (had[name] === undefined) Reflect.deleteProperty(globals, name)
  else stripped += strip(value as object, had[name])
}

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

async function namespaceOf<Module>(path: string): Promise<Module> {
  const loaded = load(import.meta.resolve(path))
  await loaded.link((specifier, { identifier }) => {
    const isRelative = specifier.startsWith('.')
    return load(isRelative ? new URL(specifier, identifier).href : import.meta.resolve(specifier))
  })
  await loaded.evaluate()
  return loaded.namespace as Module
}

const { outcomes } = await namespaceOf<typeof import('../../../.ci/client-cases.js')>(
  '../../../.ci/client-cases.js',
)
const told = await outcomes(
  await namespaceOf<typeof client>('../../../src/client/client.ts'),
  JSON.parse(process.argv[2] ?? '{}'),
)
process.stdout.write(JSON.stringify({ told, stripped, modules: modules.size }))
